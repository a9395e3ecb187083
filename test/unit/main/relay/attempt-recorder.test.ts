import { expect, onTestFinished, test, vi } from 'vitest'
import {
  answerJson,
  ask,
  ask1,
  bodyOf,
  chatAnswer,
  chatPath,
  messagesPath,
  startBench,
  startGateway,
  tableOf,
  token,
  upstream,
} from './support'

/** A relay that may wait so long before it records what is over. */
async function start(recordMs: number) {
  const gateway = await startGateway(async (request, response) => {
    const body = await bodyOf(request).catch(() => '')
    if (body.includes('cut')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"id":"c1","choices":[]}\n\n', () => setImmediate(() => response.socket?.destroySoon()))
    } else answerJson(response, chatAnswer)
  })
  return startBench(tableOf([upstream(gateway.url)]), { limits: { recordMs } })
}

test('what is over is recorded a little later, and all of it', async () => {
  const { send, entries } = await start(60)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const answers = await Promise.all([send(chatPath, ask1), send(chatPath, ask1), send(chatPath, ask1)])
  expect([answers.map(({ status }) => status), entries]).toEqual([[200, 200, 200], []])
  vi.advanceTimersByTime(60)
  expect(entries).toMatchObject(
    Array(3).fill({ inputTokens: 8, cacheReadTokens: 4, outputTokens: 5, answerId: 'chatcmpl-1' }),
  )
  expect(entries.length).toBe(3)
})

test('many are not kept waiting, nor is what was broken off, which takes with it what waits', async () => {
  const { send, url, entries } = await start(60_000)
  for (let sent = 0; sent < 63; sent += 1) await send(chatPath, ask1)
  expect(entries).toEqual([])
  await send(chatPath, ask1)
  expect(entries.length).toBe(64)
  await send(chatPath, ask1)
  await expect(ask(url + messagesPath, '{"model":"cut"}', { authorization: `Bearer ${token}` })).rejects.toThrow()
  expect(entries.slice(64).map(({ error }) => error)).toEqual([undefined, 'cut'])
})

test('what waits when the relay is closed is recorded', async () => {
  const { send, relay, entries } = await start(60_000)
  await send(chatPath, ask1)
  expect(entries).toEqual([])
  await relay.close(0)
  expect(entries.length).toBe(1)
})
