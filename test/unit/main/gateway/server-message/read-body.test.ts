import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { createSender } from '../../../../../src/main/core/net/send'
import { readBody } from '../../../../../src/main/gateway/server-message'
import { serve } from '../serve'

const oneMegabyteBytes = Buffer.alloc(1_000_000, 'x')

/** A server with an endless response. `closed` resolves with the number of sent bytes once the client disconnects. */
async function serveEndlessly() {
  let resolveSentBytes: (sentBytes: number) => void = () => undefined
  const closePromise = new Promise<number>((resolve) => {
    resolveSentBytes = resolve
  })
  const answer: RequestListener = (_request, response) => {
    let sentBytes = 0
    const resume = (): void => {
      sentBytes += oneMegabyteBytes.length
      response.write(oneMegabyteBytes, () => response.writable && resume())
    }
    response.once('close', () => resolveSentBytes(sentBytes))
    resume()
  }
  return { url: (await serve(answer)).url, closed: closePromise }
}

const sender = createSender({ proxyFor: async () => ({ kind: 'direct' }) })
afterAll(() => sender.close())
const { signal } = new AbortController()

it.each([
  [
    'the app’s own sender',
    async (url: string) => (await sender.send({ method: 'GET', url, headers: {}, signal })).body,
  ],
  ['fetch', async (url: string) => (await fetch(url)).body],
])('stops the download at its limit, over %s', async (_, buildBody) => {
  const { url, closed: closedPromise } = await serveEndlessly()
  const { text, isTooLong } = await readBody(await buildBody(url), 2_500_000)
  expect([text.length, isTooLong]).toEqual([2_500_000, true])
  // More than was read, because sent bytes include data in socket and stream buffers.
  expect(await closedPromise).toBeLessThan(20_000_000)
})

it('decompresses no more than the limit', async () => {
  const compressedBody = gzipSync(Buffer.alloc(100_000_000))
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressedBody)
  })
  const { body } = await sender.send({ method: 'GET', url, headers: {}, signal })
  expect(compressedBody.length).toBeLessThan(200_000)
  expect(await readBody(body, 1000)).toMatchObject({ isTooLong: true, text: '\0'.repeat(1000) })
})
