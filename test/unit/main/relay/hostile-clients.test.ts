import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { getRounds } from '../../../support/depth'
import { hostileClients, startAttack } from '../../../support/hostile-clients'
import { answerChat, chatPath, chatResponseBody, sendRequest, startRelayTo, token } from './support'

/** Number of clients of each kind, and of requests from the good client. */
const count = getRounds(2, 8)
const roundCount = getRounds(3, 5)
/** Number of requested bytes, far more than the system's socket buffers hold. */
const maxRequestBytes = 32_000_000

// On a busy machine, a shorter header timeout would also disconnect the well-behaved client.
const startRelay = () => startRelayTo(answerChat, { limits: { headersMs: 5000, unreadMs: 300, connections: 64 } })

const clientNames = hostileClients({ port: 1, token, path: chatPath }).map(({ name }) => name)

test.each([
  ...clientNames.map((name) => [name, count] as const),
  // More than the connection limit, and without a token.
  ['sends nothing', 200],
] as const)('a good client is served while another %s, in %i connections', async (name, connections) => {
  const { relay, url, sendChat } = await startRelay()
  const client = hostileClients({ port: relay.port, token, path: chatPath }).find((item) => item.name === name)
  if (client === undefined) throw new Error('There is no such client.')
  const { stop } = startAttack(relay.port, client, connections)
  try {
    for (let round = 0; round < roundCount; round += 1) {
      expect(await sendRequest(`${url}/health`)).toMatchObject({ status: 200, body: 'ok' })
      expect(await sendChat()).toMatchObject({ status: 200, body: JSON.stringify(chatResponseBody) })
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
