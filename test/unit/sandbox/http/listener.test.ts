import { expect, onTestFinished, test } from 'vitest'
import { type Exchange, type Listener, listen } from '../../../../src/sandbox/http/listener'

const startListener = async (handle: (exchange: Exchange) => Promise<void>) => {
  const listener = await listen(0, handle)
  onTestFinished(async () => listener.close())
  return listener
}

test.each([
  ['/a', '/a', []],
  ['/a?', '/a', []],
  ['/a?b=1&b=2%203', '/a', ['1', '2 3']],
  ['/a?b=x?y', '/a', ['x?y']],
])('%s has the path %s and its query', async (requestTarget, path, values) => {
  const { url } = await startListener(async (exchange) => {
    exchange.response.end(JSON.stringify([exchange.path, exchange.query.getAll('b')]))
  })
  expect(await (await fetch(url + requestTarget)).json()).toEqual([path, values])
})

test('the signal reports a disconnected client, whether it is read before or after', async () => {
  const clientController = new AbortController()
  const abortedBeforeRead = await new Promise((resolve, reject) => {
    startListener(async ({ signal }) => {
      signal.addEventListener('abort', () => resolve(signal.aborted))
      clientController.abort()
    }).then(({ url }) => fetch(url, { signal: clientController.signal }).then(reject, () => {}))
  })
  const lateController = new AbortController()
  const abortedAfterRead = await new Promise((resolve, reject) => {
    startListener(async (exchange) => {
      exchange.response.once('close', () => resolve(exchange.signal.aborted))
      lateController.abort()
    }).then(({ url }) => fetch(url, { signal: lateController.signal }).then(reject, () => {}))
  })
  expect([abortedBeforeRead, abortedAfterRead]).toEqual([true, true])
})

test('closing waits for running handlers', async () => {
  let isHandled = false
  const { listener, answer } = await new Promise<{ listener: Listener; answer: Promise<unknown> }>((resolve) => {
    const startedListener = startListener(async ({ signal }) => {
      resolve(startedListener)
      await new Promise((finishWait) => signal.addEventListener('abort', () => setTimeout(finishWait, 30)))
      isHandled = true
    }).then((startedServer) => ({
      listener: startedServer,
      answer: fetch(startedServer.url).catch(() => 'no answer'),
    }))
  })
  await listener.close()
  expect(isHandled).toBe(true)
  expect(await answer).toBe('no answer')
})
