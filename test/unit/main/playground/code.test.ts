import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '@shared/failure'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { chatBody } from '../../../../src/main/gateway/model-requests'
import { toShortenedJson, writeCode } from '../../../../src/main/playground/code'
import { makeFileFolder } from '../../support/folders'
import { type StubServer, startAnsweringServer } from '../gateway/answering-server'

type CodeRequest = Parameters<typeof writeCode>[0]
type CodeLanguage = Parameters<typeof writeCode>[1]

const run = promisify(execFile)

const folder = makeFileFolder()

/** Runs a program in the folder with the images and returns its output. */
async function runProgram(program: string, name: string, text: string): Promise<string> {
  const file = join(folder, name)
  writeFileSync(file, text)
  const env = { ...process.env, PLAN_KEY: 'sk-plan-0123', PYTHONIOENCODING: 'utf-8' }
  const { stdout } = await run(program, [file], { cwd: folder, env, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

const canRunProgram = async (program: string, args: readonly string[]) =>
  run(program, args).then(
    () => true,
    () => false,
  )

const isPosix = process.platform !== 'win32'
const hasPython = isPosix && (await canRunProgram('python3', ['-c', 'import json']))
const hasRequests = hasPython && (await canRunProgram('python3', ['-c', 'import requests']))
const hasCurl = isPosix && (await canRunProgram('curl', ['--version']))

const request = (body: unknown, overrides: Partial<CodeRequest> = {}): CodeRequest => ({
  requestAddress: 'https://gw.example/v1/chat/completions',
  requestHeaders: [
    ['Authorization', 'Bearer sk-secret-of-somebody'],
    ['content-type', 'application/json'],
    ['user-agent', 'platform-companion'],
  ],
  requestBody: JSON.stringify(body),
  ...overrides,
})

const languages: readonly CodeLanguage[] = ['curl', 'python', 'typescript']

const hostileText =
  '\'"`$PLAN_KEY $(id) $\x7bx} \\ \\n %s !! <<JSON\nJSON\n\u2028\u0085\0\x7f\r\n</script> 👋🏽 ệ \ud800 #{x} {x}'
const wellFormedText = Buffer.from(hostileText).toString()

const anyText = fc.string({ unit: 'binary' })

// Bodies that are difficult to quote in a shell or a language.
const bodies = [
  { model: 'm', [hostileText]: hostileText, list: [[], {}, [null, true, false, -0.5, 1e21, 1e-9]], JSON: 'JSON' },
  ...fc.sample(fc.object({ key: anyText, values: [fc.jsonValue(), anyText] }), 60),
  JSON.parse('{"__proto__": {"a": 1}, "constructor": "x", "if": 1, "1a": 2}'),
].map((body) => JSON.parse(JSON.stringify(body)) as unknown)

const getLiteral = (code: string): string => {
  const bodyText = code.slice(code.indexOf('body = ') + 'body = '.length)
  return bodyText.slice(0, bodyText.search(/\n\n(?:with |response = |const response = )/))
}

describe('the code of any request', () => {
  test.runIf(isPosix)('sends exactly the body in a shell', async () => {
    const curlStub = 'PLAN_KEY=k\ncurl() { cat; printf "\\0%s\\0" "$*"; }\n'
    const scripts = bodies.map((body) => writeCode(request(body), 'curl')).join('\n')
    const programOutput = await runProgram('bash', 'all.sh', curlStub + scripts)
    const parts = programOutput.split('\0')
    for (const [index, body] of bodies.entries()) {
      expect(JSON.stringify(JSON.parse(parts[2 * index] ?? ''))).toBe(JSON.stringify(body))
      const args = '--url https://gw.example/v1/chat/completions --header Authorization: Bearer k'
      expect(parts[2 * index + 1]).toContain(args)
    }
  })

  test.runIf(hasPython)('sends exactly the body in Python', async () => {
    const literals = bodies.map((body) => `print(json.dumps(${getLiteral(writeCode(request(body), 'python'))}))`)
    const lines = (await runProgram('python3', 'all.py', `import json\n${literals.join('\n')}\n`)).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(bodies)
  })

  it('sends exactly the body in TypeScript', () => {
    for (const body of bodies) {
      const value: unknown = new Function(`return ${getLiteral(writeCode(request(body), 'typescript'))}`)()
      expect(JSON.stringify(value)).toBe(JSON.stringify(body))
    }
  })

  test.each(languages)('contains no key in %s, whatever the headers contain', (language) => {
    const headers = ['authorization', 'x-api-key', 'API-Key'].map((name): [string, string] => [name, 'sk-secret'])
    const code = writeCode(request({ model: 'm' }, { requestHeaders: headers }), language)
    expect(code).not.toContain('sk-secret')
    expect(code.match(/PLAN_KEY/g)?.length).toBeGreaterThan(0)
    expect(writeCode(request({ model: 'm' }, { requestHeaders: [] }), language)).not.toContain('PLAN_KEY')
  })

  it('is refused for a body that was shortened when saved', () => {
    expect(() => writeCode(request({}, { requestBody: '{"a": 1 … 2}' }), 'curl')).toThrow(AppError)
  })
})

const base64 = Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 256)).toString('base64')

const image = { kind: 'image', mediaType: 'image/png', base64 } as const

const buildRequest = (standard: 'chat-completions' | 'messages', stream: boolean) => ({
  ...chatBody({
    standard,
    modelCode: 'gw-large',
    system: 'Cost: $5 `now` \\o/',
    messages: [{ role: 'user', parts: [{ kind: 'text', text: wellFormedText }, image, image] }],
    parameters: {},
  }),
  stream,
})

/** Tests of generated programs with a server that sends the standard's fixture in small chunks. */
describe('the program', () => {
  let server: StubServer

  const readFixture = (isMessages: boolean, isStream: boolean) => {
    const name = isMessages ? 'messages' : 'chat'
    const recordedFile = isMessages ? 'messages-all.json' : 'chat-text.json'
    return readFileSync(`test/fixtures/streams/${isStream ? `${name}-text.sse` : recordedFile}`)
  }

  beforeAll(async () => {
    server = await startAnsweringServer((_, answer) => {
      const { path, body } = server.received.at(-1) ?? { path: '', body: '' }
      const isStream = /"stream": ?true/.test(body)
      answer.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
      const bytes = readFixture(path.endsWith('/messages'), isStream)
      for (let offset = 0; offset < bytes.length; offset += 7) answer.write(bytes.subarray(offset, offset + 7))
      answer.end()
    })
    writeFileSync(join(folder, 'image-1.png'), Buffer.from(base64, 'base64'))
  })
  afterAll(() => server.close())

  const paths = { 'chat-completions': '/chat/completions', messages: '/messages' } as const

  const generateCode = (standard: keyof typeof paths, stream: boolean, language: CodeLanguage) => {
    const body = buildRequest(standard, stream)
    const requestAddress = `${server.url}/v1${paths[standard]}`
    return { body, code: writeCode(request(body, { requestAddress, requestBody: toShortenedJson(body) }), language) }
  }

  const programs = [
    { language: 'typescript', program: process.execPath, name: 'it.mjs', isThere: true },
    { language: 'python', program: 'python3', name: 'it.py', isThere: hasRequests },
    { language: 'curl', program: 'bash', name: 'it.sh', isThere: hasCurl },
  ] as const
  const programCases = programs
    .filter(({ isThere }) => isThere)
    .flatMap((program) => [
      { ...program, standard: 'chat-completions' as const, stream: true },
      { ...program, standard: 'messages' as const, stream: true },
      { ...program, standard: 'messages' as const, stream: false },
    ])

  test.each(programCases)(
    "in $language sends the app's request and prints the answer ($standard, stream: $stream)",
    async (row) => {
      const { body, code } = generateCode(row.standard, row.stream, row.language)
      expect(code).not.toContain(base64.slice(0, 40))
      // Remove the only TypeScript syntax in the code, so that Node can run it.
      const text = row.language === 'typescript' ? code.replace(': { text?: string }', '') : code
      const programOutput = await runProgram(row.program, row.name, text)
      const { headers, body: sentBody = '' } = server.received.at(-1) ?? {}
      expect([headers?.authorization, JSON.parse(sentBody)]).toEqual(['Bearer sk-plan-0123', body])
      if (row.language === 'curl')
        expect(programOutput).toBe(readFixture(row.standard === 'messages', row.stream).toString())
      else expect(programOutput.trim()).toBe('Xin chào, thế giới 👋🏽!')
    },
  )
})

test('keeps images and shows them shortened, and other texts in full', () => {
  const shortenedText = toShortenedJson(buildRequest('messages', true))
  expect(shortenedText).toMatch(/"data":"[A-Za-z0-9+/]{48}… \(4000 characters\) …[A-Za-z0-9+/=]{48}"/)
  expect(shortenedText).toContain(JSON.stringify(wellFormedText))
  const text = { messages: [{ role: 'user', content: `data:image/png;base64,${base64}` }], url: 'https://a/b.png' }
  expect(toShortenedJson(text)).toBe(JSON.stringify(text))
})
