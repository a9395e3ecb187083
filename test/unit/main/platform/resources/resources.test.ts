import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { json } from '../harness'
import { startFileHarness } from './bench'

const run = promisify(execFile)

const { harness, platform, connectionId } = await startFileHarness("the boss's")

const specialCharacterText = `it's "$HOME" \`id\` \\ é !`

it('writes a curl command that a shell parses as intended', async () => {
  harness.clipboard.text = 'pasted-secret-1'
  const { pendingId } = await harness.ask('resources.takeSecret', {})
  const { code } = await harness.ask('resources.code', {
    connectionId,
    language: 'curl',
    operation: 'identity.apiKeyProviders.update',
    path: { name: "a'b/c" },
    query: { note: specialCharacterText },
    body: { apiKey: { $pending: pendingId }, more: { $held: 'h' }, text: specialCharacterText },
  })
  expect(code).not.toContain('pasted-secret-1')
  platform.answer(json(200, { fine: true }))
  const env = { ...process.env, PLATFORM_TOKEN: 'tok-1', SECRET_1: 'one', SECRET_2: 'two' }
  const { stdout } = await run('sh', ['-c', code], { env })
  expect(JSON.parse(stdout)).toEqual({ fine: true })
  const [received] = platform.server.received
  expect(received?.method).toBe('PUT')
  expect(received?.headers).toMatchObject({ authorization: 'Bearer tok-1', 'content-type': 'application/json' })
  const url = new URL(received?.path ?? '', 'http://x')
  expect(url.pathname).toBe('/identity/api/v1/outbound-auth/api-key-providers/a%27b%2Fc')
  expect(url.searchParams.get('note')).toBe(specialCharacterText)
  expect(JSON.parse(received?.body ?? '')).toEqual({ apiKey: 'one', more: 'two', text: specialCharacterText })
})

/** Arguments and standard input of a shell command that starts with `companion`. */
async function parseShellCommand(code: string): Promise<{ args: string[]; input: string }> {
  const script = `companion() { printf '%s\\0' "$@"; printf '\\1'; case "$*" in *@-*) cat;; esac; }\n${code}`
  const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, SECRET_1: 'one' } })
  const [args = '', input = ''] = stdout.split('\u0001')
  return { args: args.split('\0').slice(0, -1), input }
}

it("writes a command for this app's command line", async () => {
  const { code } = await harness.ask('resources.code', {
    connectionId,
    language: 'companion',
    operation: 'memory.records.search',
    path: { id: 'm-1' },
    query: { namespace: '/a b' },
    body: { query: specialCharacterText, limit: 5 },
  })
  const { args } = await parseShellCommand(code)
  expect(args).toEqual([
    'api',
    'call',
    'memory.records.search',
    '--connection',
    "the boss's",
    '--path',
    'id=m-1',
    '--query',
    'namespace=/a b',
    '--body',
    JSON.stringify({ query: specialCharacterText, limit: 5 }),
  ])
})

it('passes a secret of the body to the command line on standard input', async () => {
  const { code } = await harness.ask('resources.code', {
    connectionId,
    language: 'companion',
    operation: 'identity.apiKeyProviders.create',
    body: { name: 'p', apiKey: { $pending: 'p-1' }, text: specialCharacterText },
  })
  const { args, input } = await parseShellCommand(code)
  expect(args.slice(-2)).toEqual(['--body', '@-'])
  expect(JSON.parse(input)).toEqual({ name: 'p', apiKey: 'one', text: specialCharacterText })
})

it('writes no command for an invalid call', async () => {
  const failure = await harness.catchFailure('resources.code', {
    connectionId,
    language: 'curl',
    operation: 'aip.apiKeys.create',
    body: { name: 'no' },
  })
  expect(failure).toMatchObject({ code: 'input.invalid', field: 'name' })
})
