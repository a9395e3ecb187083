import type { RequestListener } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createSender } from '../../../../../src/main/core/net/send'
import { callEndpoint } from '../../../../../src/main/platform/containers/endpoint-call'
import { type StubServer, startAnsweringServer } from '../../gateway/answering-server'

async function startAgent(answer: RequestListener): Promise<StubServer> {
  const server = await startAnsweringServer(answer)
  onTestFinished(() => server.close())
  return server
}

const request = { runtimeId: 'r', endpointId: 'live' }

/** Calls an endpoint whose row the platform returns on the second page. */
function callRow(row: object, input: object = {}, options: { signal?: AbortSignal; timeoutMs?: number } = {}) {
  const sender = createSender({ proxyFor: async () => ({ kind: 'direct' }) })
  onTestFinished(() => sender.close())
  async function* pages() {
    yield { items: [{ id: 'other', url: 'http://127.0.0.1:1' }], page: 1, status: 200, data: undefined }
    yield { items: [row], page: 2, status: 200, data: undefined }
  }
  const { signal = new AbortController().signal, ...rest } = options
  return callEndpoint({ ...request, ...input }, { client: { pages }, send: sender.send, signal, ...rest })
}

it('posts the body with the headers of the contract and without credentials, and returns the response', async () => {
  const { url, received } = await startAgent((_, response) => response.writeHead(201).end('{"answer":"Xin chào"}'))
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
  const { url } = await startAgent((_, response) => response.writeHead(302, { location: '/x' }).end('a'.repeat(30_000)))
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
  await expect(callRow(row, input)).rejects.toMatchObject({ failure: { code } })
})

it('fails with net.cut when the agent closes the connection', async () => {
  const { url } = await startAgent((incoming) => void incoming.socket.destroy())
  await expect(callRow({ id: 'live', url })).rejects.toMatchObject({ failure: { code: 'net.cut' } })
})

it('stops after a timeout or when canceled', async () => {
  const { url } = await startAgent(() => undefined)
  await expect(callRow({ id: 'live', url }, {}, { timeoutMs: 50 })).rejects.toMatchObject({
    failure: { code: 'net.timeout' },
  })
  const controller = new AbortController()
  const call = callRow({ id: 'live', url }, {}, { signal: controller.signal })
  controller.abort()
  await expect(call).rejects.toMatchObject({ failure: { code: 'net.cancelled' } })
})
