import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ContainerCheck } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ContextCommand } from '../../../../../src/main/cli/context'
import { addContractCommands } from '../../../../../src/main/cli/platform'
import { callEndpoint, checkContainer } from '../../../../../src/main/platform/containers/check'
import { directSend } from '../../../../support/direct-send'
import { expectFailure } from '../../../support/failures'
import { memoryOutput } from '../../cli/desk'
import { serve } from '../../gateway/answering-server'

/** Simulates an agent container that meets all requirements and returns the ids of the request headers. */
const serveHealthy: RequestListener = (request, response) => {
  if (request.method === 'GET' && request.url === '/health') return void response.end('{"status":"ok"}')
  if (request.url !== '/invocations') return void response.writeHead(404).end()
  const { 'x-platform-agent-user-id': user, 'x-platform-agent-session-id': session } = request.headers
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => response.end(JSON.stringify({ user, session, body })))
}

/** Starts a container on all local addresses or on one. 127.0.0.2 simulates another address of the machine. */
async function startContainer(listener: RequestListener, host = '0.0.0.0'): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ownHosts = ['127.0.0.2']
const states = ({ findings }: ContainerCheck) => Object.fromEntries(findings.map(({ what, state }) => [what, state]))
const findFinding = ({ findings }: ContainerCheck, findingName: string) =>
  findings.find(({ what }) => what === findingName)?.seen ?? ''
const check = (url: string, input: Partial<Parameters<typeof checkContainer>[0]> = {}, options = {}) =>
  checkContainer({ url, ...input }, { own: ownHosts, healthMs: 400, sampleMs: 400, ...options })

it('passes a container that meets the runtime’s requirements, and shows the requests', async () => {
  const url = await startContainer(serveHealthy)
  const report = await check(url, { userId: 'user-7', sessionId: 'session 8', sampleBody: '{"q":1}' })
  expect(states(report)).toEqual({
    port: 'unknown',
    health: 'passed',
    bind: 'passed',
    sample: 'passed',
    userHeader: 'passed',
    sessionHeader: 'passed',
  })
  expect(findFinding(report, 'port')).toContain('8080')
  expect(report.url).toBe(`http://${url}`)
  expect(report.sample?.headers).toContainEqual(['X-Platform-Agent-User-Id', 'user-7'])
  expect(report.sample?.headers).toContainEqual(['X-Platform-Agent-Session-Id', 'session 8'])
  expect(report.sample).toMatchObject({ path: '/invocations', status: 200 })
  expect(JSON.parse(report.sample?.answer ?? '')).toEqual({ user: 'user-7', session: 'session 8', body: '{"q":1}' })
})

const health =
  (answer: RequestListener): RequestListener =>
  (request, response) =>
    request.url === '/health' ? answer(request, response) : serveHealthy(request, response)

it.each<[string, RequestListener, string, RegExp]>([
  ['500', (_, response) => void response.writeHead(500).end(), 'failed', /returned 500 instead of 200/],
  ['204', (_, response) => void response.writeHead(204).end(), 'failed', /returned 204/],
  ['404', (_, response) => void response.writeHead(404).end(), 'failed', /returned 404/],
  ['a redirect', (_, response) => void response.writeHead(302, { location: '/ok' }).end(), 'failed', /a redirect/],
  ['nothing in time', () => undefined, 'failed', /No response within 0.4 s/],
  ['a broken connection', (request) => void request.socket.destroy(), 'failed', /127\.0\.0\.1 inside/],
  ['a page', (_, response) => void response.end('<!doctype html><title>x</title>'), 'unknown', /with a web page/],
])('detects a health check that answers %s', async (_, answer, state, seenPattern) => {
  const report = await check(await startContainer(health(answer)))
  expect(states(report)).toMatchObject({ health: state, sample: 'passed' })
  expect(findFinding(report, 'health')).toMatch(seenPattern)
})

it.each<[string, RequestListener, string, RegExp]>([
  ['500', (_, response) => void response.writeHead(500).end('broken'), 'failed', /returned 500/],
  ['404', (_, response) => void response.writeHead(404).end(), 'unknown', /Enter the path/],
  ['422', (_, response) => void response.writeHead(422).end('{"detail":[]}'), 'unknown', /Enter a body/],
  ['a redirect', (_, response) => void response.writeHead(307, { location: '/x' }).end(), 'failed', /a redirect/],
  ['nothing in time', () => undefined, 'failed', /No response within/],
  ['a page', (_, response) => void response.end('<html></html>'), 'unknown', /with a web page/],
  ['a stream without end', (_, response) => void response.write('data: {"a":1}\n\n'), 'passed', /returned 200/],
])('detects a sample that is answered with %s', async (_, answer, state, seenPattern) => {
  const report = await check(
    await startContainer((request, response) => (request.url === '/health' ? serveHealthy : answer)(request, response)),
  )
  expect(states(report)).toMatchObject({
    health: 'passed',
    sample: state,
    userHeader: 'unknown',
    sessionHeader: 'unknown',
  })
  expect(findFinding(report, 'sample')).toMatch(seenPattern)
})

it('fails a server that is reachable at one address only, and says how to publish the port', async () => {
  const url = await startContainer(serveHealthy, '127.0.0.1')
  const report = await check(url)
  expect(states(report).bind).toBe('failed')
  expect(findFinding(report, 'bind')).toMatch(
    /only at 127\.0\.0\.1.*127\.0\.0\.2 refused.*-p 8080:8080.*bind 0\.0\.0\.0/,
  )
  expect(report.findings.find(({ what }) => what === 'bind')).toMatchObject({
    code: 'bindOne',
    values: { address: '127.0.0.1', otherAddresses: '127.0.0.2' },
  })
  const checkResult = await check(url, {}, { own: [] })
  expect(states(checkResult).bind).toBe('unknown')
})

it('does not claim that a server binds 0.0.0.0 when only the port forwarder was reached', async () => {
  const report = await check(await startContainer((request) => void request.socket.destroy()))
  expect(states(report)).toMatchObject({ health: 'failed', bind: 'unknown', sample: 'failed' })
  expect(findFinding(report, 'bind')).toContain('binds 127.0.0.1 inside')
})

it('reports that no server listens, and skips the other checks', async () => {
  const report = await check('127.0.0.1:1')
  expect(states(report)).toMatchObject({ port: 'failed', health: 'failed', bind: 'unknown', sample: 'unknown' })
  expect(states(report)).toMatchObject({ userHeader: 'unknown', sessionHeader: 'unknown' })
  // Docker's iptables forwarding refuses a connection in the same way when the server binds 127.0.0.1 inside.
  expect(findFinding(report, 'health')).toMatch(/refused.*publish its port.*binds 127\.0\.0\.1/)
  expect(report.sample).toBeUndefined()
})

it.each([
  ['8.8.8.8:8080', 'address.notAnAddress'],
  ['http://169.254.169.254/', 'address.notAnAddress'],
  ['http://[2001:4860:4860::8888]:8080', 'address.notAnAddress'],
  ['http://134744072', 'address.notAnAddress'],
  ['https://127.0.0.1:8080', 'address.scheme'],
  ['http://me:secret@127.0.0.1:8080', 'address.credentials'],
  ['http://', 'address.notAnAddress'],
  ['file:///etc/passwd', 'address.notAnAddress'],
])('sends nothing to %s', async (url, code) => {
  const error: unknown = await check(url).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw error
  expect(error.failure).toMatchObject({ code, field: 'url' })
  expect(error.message).not.toContain('secret')
})

it.each([
  [{ samplePath: 'invocations' }, 'samplePath'],
  [{ userId: 'a\r\nX-Evil: 1' }, 'userId'],
  [{ sessionId: 'é' }, 'sessionId'],
])('refuses %j, which no request can contain', async (input, field) => {
  await expectFailure(check('127.0.0.1:1', input), 'input.invalid', { field })
})

it('uses port 8080 by default', async () => {
  // If the port is in use, another server listens already.
  const server = createServer(serveHealthy)
  await new Promise<void>((resolve) => server.once('error', () => resolve()).listen(8080, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const report = await check('http://127.0.0.1', {}, { healthMs: 100 })
  expect(report.url).toBe('http://127.0.0.1:8080')
  expect(states(report).port).toBe('passed')
  expect((await check('http://127.0.0.1:80', {}, { healthMs: 100 })).url).toBe('http://127.0.0.1:80')
})

async function runCheckCommand(...args: string[]) {
  const output = memoryOutput({ isJson: args.includes('--json') })
  const context = { output, readFile: async () => '{"from":"file"}' }
  const program = new ContextCommand('companion', () => context).option('--json')
  addContractCommands(program)
  await program.parseAsync(['node', 'companion', ...args])
  const code = process.exitCode ?? 0
  process.exitCode = 0
  return { text: output.stdout(), code }
}

it('is a command that exits with 1 when a requirement is not met', async () => {
  const url = await startContainer(serveHealthy)
  const passedRun = await runCheckCommand(
    'contract',
    'check',
    url,
    '--user',
    'u-77',
    '--body',
    '@body.json',
    '--path',
    '/invocations',
  )
  expect(passedRun.text).toContain('X-Platform-Agent-User-Id: u-77')
  expect(passedRun.text).toContain('{\\"from\\":\\"file\\"}')
  expect(passedRun.text).toMatch(/passed {2}GET \/health returns 200/)
  const failedRun = await runCheckCommand('--json', 'contract', 'check', '127.0.0.1:1')
  expect(failedRun.code).toBe(1)
  expect(JSON.parse(failedRun.text).findings).toHaveLength(6)
})

describe('a call of a runtime’s endpoint', () => {
  /** Calls an endpoint whose row the platform returns on the second page. */
  function callRow(row: object, input: object = {}, options: { signal?: AbortSignal; timeoutMs?: number } = {}) {
    async function* pages() {
      yield { items: [{ id: 'other', url: 'http://127.0.0.1:1' }], page: 1, status: 200, data: undefined }
      yield { items: [row], page: 2, status: 200, data: undefined }
    }
    const { signal = new AbortController().signal, ...rest } = options
    return callEndpoint(
      { runtimeId: 'r', endpointId: 'live', ...input },
      { client: { pages }, send: directSend, signal, ...rest },
    )
  }

  it('posts the body with the headers of the contract and without credentials, and returns the response', async () => {
    const { url, received } = await serve((_, response) => response.writeHead(201).end('{"answer":"Xin chào"}'))
    const result = await callRow(
      { id: 'live', url: `${url}/agents/` },
      { samplePath: '/chat', sampleBody: '{"q":1}', userId: 'u', sessionId: 's' },
    )
    expect(result).toMatchObject({
      url: `${url}/agents/chat`,
      status: 201,
      answer: '{"answer":"Xin chào"}',
      isCut: false,
    })
    const headers = { 'x-platform-agent-user-id': 'u', 'x-platform-agent-session-id': 's' }
    expect(received).toMatchObject([{ method: 'POST', path: '/agents/chat', headers, body: '{"q":1}' }])
    expect(received[0]?.headers.authorization).toBeUndefined()
  })

  it('returns an error status and cuts off a long response, and follows no redirect', async () => {
    const { url } = await serve((_, response) => response.writeHead(302, { location: '/x' }).end('a'.repeat(30_000)))
    const { status, answer, isCut } = await callRow({ id: 'live', invokeUrl: url })
    expect([status, answer.length, isCut]).toEqual([302, 20_000, true])
  })

  it.each([
    ['api.notFound', { id: 'gone', url: 'https://agent.example.com' }, {}],
    ['api.unreadable', { id: 'live' }, {}],
    ['address.insecure', { id: 'live', url: 'http://agent.example.com' }, {}],
    ['address.credentials', { id: 'live', url: 'https://a:b@agent.example.com' }, {}],
    ['address.notAnAddress', { id: 'live', url: 'file:///etc/passwd' }, {}],
    ['input.invalid', { id: 'live', url: 'https://agent.example.com' }, { samplePath: 'no slash' }],
  ])('fails with %s for %j', async (code, row, input) => {
    await expectFailure(callRow(row, input), code)
  })

  it('fails with net.cut when the agent closes the connection', async () => {
    const { url } = await serve((incoming) => void incoming.socket.destroy())
    await expectFailure(callRow({ id: 'live', url }), 'net.cut')
  })

  it('stops after a timeout or when canceled', async () => {
    const { url } = await serve(() => undefined)
    await expectFailure(callRow({ id: 'live', url }, {}, { timeoutMs: 50 }), 'net.timeout')
    const controller = new AbortController()
    const call = callRow({ id: 'live', url }, {}, { signal: controller.signal })
    controller.abort()
    await expectFailure(call, 'net.cancelled')
  })
})
