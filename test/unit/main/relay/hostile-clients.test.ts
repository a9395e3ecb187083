import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { rounds } from '../../../support/depth'
import { attack, hostileClients } from '../../../support/hostile-clients'
import {
  answerJson,
  ask,
  ask1,
  buildTable,
  chatAnswer,
  chatPath,
  readBody,
  startGateway,
  startHarness,
  token,
  upstream,
} from './support'

/** Number of clients of each kind, and of requests from the good client. */
const count = rounds(2, 8)
const turns = rounds(3, 5)
/** Number of requested bytes, far more than the system's socket buffers hold. */
const maxAsked = 32_000_000

async function startRelay() {
  const gateway = await startGateway(async (request, response) => {
    await readBody(request).catch(() => undefined)
    if (!response.destroyed) answerJson(response, chatAnswer)
  })
  // On a busy machine, a shorter header timeout would also disconnect the well-behaved client.
  return startHarness(buildTable([upstream(gateway.url)]), {
    limits: { headersMs: 5000, unreadMs: 300, connections: 64 },
  })
}

const allKinds = hostileClients({ port: 1, token, path: chatPath }).map(({ name }) => name)

test.each(allKinds)('a good client is served while another %s', async (name) => {
  const { relay, url, send } = await startRelay()
  const client = hostileClients({ port: relay.port, token, path: chatPath }).find((item) => item.name === name)
  if (client === undefined) throw new Error('There is no such client.')
  const { stop } = attack(relay.port, client, count)
  try {
    for (let round = 0; round < turns; round += 1) {
      expect(await ask(`${url}/health`)).toMatchObject({ status: 200, body: 'ok' })
      expect(await send(chatPath, ask1)).toMatchObject({ status: 200, body: JSON.stringify(chatAnswer) })
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
  const closedPromise = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve))
  const writeMore = () => {
    while (socket.writable && socket.bytesWritten < maxAsked && socket.write(requests));
  }
  socket.on('drain', writeMore)
  writeMore()
  await closedPromise
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(maxAsked / 2)
})

test('slow unauthenticated clients above the connection limit do not delay a good client', async () => {
  const { relay, url, send } = await startRelay()
  const [silent] = hostileClients({ port: relay.port, token, path: chatPath }).filter(
    ({ name }) => name === 'says nothing',
  )
  if (silent === undefined) throw new Error('There is no such client.')
  const { stop } = attack(relay.port, silent, 200)
  try {
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 })
    expect(await send(chatPath, ask1)).toMatchObject({ status: 200 })
  } finally {
    stop()
  }
})
