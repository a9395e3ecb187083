import { expect, test } from 'vitest'
import { attack, hostileClients } from '../../../support/hostile-clients'
import {
  answerJson,
  ask,
  ask1,
  bodyOf,
  chatAnswer,
  chatPath,
  startBench,
  startGateway,
  tableOf,
  token,
  upstream,
} from './support'

/** So many of each kind: the long form has a thousand, and looks at memory. */
const count = 2
const turns = 3

async function startRelay() {
  const gateway = await startGateway(async (request, response) => {
    await bodyOf(request).catch(() => undefined)
    if (!response.destroyed) answerJson(response, chatAnswer)
  })
  return startBench(tableOf([upstream(gateway.url)]), { limits: { headersMs: 300, unreadMs: 300, connections: 64 } })
}

const kinds = hostileClients({ port: 1, token, path: chatPath }).map(({ name }) => name)

test.each(kinds)('a good client is answered while another %s', async (name) => {
  const { relay, url, send } = await startRelay()
  const client = hostileClients({ port: relay.port, token, path: chatPath }).find((each) => each.name === name)
  if (client === undefined) throw new Error('There is no such client.')
  const { stop } = attack(relay.port, client, count)
  try {
    for (let turn = 0; turn < turns; turn += 1) {
      expect(await ask(`${url}/health`)).toMatchObject({ status: 200, body: 'ok' })
      expect(await send(chatPath, ask1)).toMatchObject({ status: 200, body: JSON.stringify(chatAnswer) })
    }
  } finally {
    stop()
  }
})

test('a client that asks and never reads is closed, and what was written for it is little', async () => {
  const { relay, url } = await startRelay()
  const client = hostileClients({ port: relay.port, token, path: chatPath })[0]
  if (client === undefined) throw new Error('There is no such client.')
  const before = process.memoryUsage()
  const { stop } = attack(relay.port, client, 1)
  const bytes = () => process.memoryUsage().heapUsed + process.memoryUsage().external
  let most = 0
  for (let turn = 0; turn < 100; turn += 1) {
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 })
    most = Math.max(most, bytes() - before.heapUsed - before.external)
  }
  stop()
  expect(most).toBeLessThan(64 * 1024 * 1024)
})

test('more slow strangers than there may be connections do not keep a good client waiting', async () => {
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
