import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { getRounds } from '../../../support/depth'
import { hostileClients, startAttack } from '../../../support/hostile-clients'
import {
  buildTable,
  chatPath,
  chatRequestBody,
  chatResponseBody,
  readBody,
  respondWithJson,
  sendRequest,
  startGateway,
  startHarness,
  token,
  upstream,
} from './support'

/** Number of clients of each kind, and of requests from the good client. */
const count = getRounds(2, 8)
const roundCount = getRounds(3, 5)
/** Number of requested bytes, far more than the system's socket buffers hold. */
const maxRequestBytes = 32_000_000

async function startRelay() {
  const gateway = await startGateway(async (request, response) => {
    await readBody(request).catch(() => undefined)
    if (!response.destroyed) respondWithJson(response, chatResponseBody)
  })
  // On a busy machine, a shorter header timeout would also disconnect the well-behaved client.
  return startHarness(buildTable([upstream(gateway.url)]), {
    limits: { headersMs: 5000, unreadMs: 300, connections: 64 },
  })
}

const clientNames = hostileClients({ port: 1, token, path: chatPath }).map(({ name }) => name)

test.each(clientNames)('a good client is served while another %s', async (name) => {
  const { relay, url, send } = await startRelay()
  const client = hostileClients({ port: relay.port, token, path: chatPath }).find((item) => item.name === name)
  if (client === undefined) throw new Error('There is no such client.')
  const { stop } = startAttack(relay.port, client, count)
  try {
    for (let round = 0; round < roundCount; round += 1) {
      expect(await sendRequest(`${url}/health`)).toMatchObject({ status: 200, body: 'ok' })
      expect(await send(chatPath, chatRequestBody)).toMatchObject({
        status: 200,
        body: JSON.stringify(chatResponseBody),
      })
    }
  } finally {
    stop()
  }
})

test.each([
  ['health', '/health'],
  ['what it is refused', chatPath],
])('reading stops for a client that requests %s and never reads, and it is closed', async (_, path) => {
  const { relay } = await startRelay()
  const requests = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${relay.port}\r\n\r\n`.repeat(1000))
  const socket = connect(relay.port, '127.0.0.1')
  const closePromise = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve))
  const writeUntilFull = () => {
    while (socket.writable && socket.bytesWritten < maxRequestBytes && socket.write(requests));
  }
  socket.on('drain', writeUntilFull)
  writeUntilFull()
  await closePromise
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(maxRequestBytes / 2)
})

test('slow unauthenticated clients above the connection limit do not delay a good client', async () => {
  const { relay, url, send } = await startRelay()
  const [silent] = hostileClients({ port: relay.port, token, path: chatPath }).filter(
    ({ name }) => name === 'sends nothing',
  )
  if (silent === undefined) throw new Error('There is no such client.')
  const { stop } = startAttack(relay.port, silent, 200)
  try {
    expect(await sendRequest(`${url}/health`)).toMatchObject({ status: 200 })
    expect(await send(chatPath, chatRequestBody)).toMatchObject({ status: 200 })
  } finally {
    stop()
  }
})
