import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { createSender } from '../../../../src/main/core/net/send'
import { parseExternalJson, readBody } from '../../../../src/main/gateway/server-message'
import { serve } from './answering-server'

it.each([
  ['nothing', ''],
  ['half a value', '{"a":'],
  ['what is nested 600 deep', `${'['.repeat(600)}${']'.repeat(600)}`],
  ['what opens a million brackets and closes none', '['.repeat(1_000_000)],
  ['ten million empty values', `[${'[],'.repeat(10_000_000)}[]]`],
  ['a string without an end', `{"a":"${'x'.repeat(600)}\\"`],
])('rejects %s as JSON', (_, text) => {
  expect(parseExternalJson(text)).toBeUndefined()
})

it.each([
  ['1e999', null],
  ['[-1e400, 1E+309, 1e308]', [null, null, 1e308]],
  [`{"a": 1${'0'.repeat(400)}, "b": "1e999"}`, { a: null, b: '1e999' }],
  ['{"id": "a1e4567", "n": 1}', { id: 'a1e4567', n: 1 }],
])('reads %s', (text, value) => {
  expect(parseExternalJson(text)).toEqual(value)
})

it('reads brackets, commas and quotes in a string as text', () => {
  const value = { text: `${'["\\'.repeat(1000)}`, 'a"b': ',,,'.repeat(1000), nested: [[[['x']]]] }
  expect(parseExternalJson(JSON.stringify(value))).toEqual(value)
})

it('reads a member called __proto__ as a member', () => {
  const value = parseExternalJson('{"__proto__": {"polluted": 1}}')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Object.keys(Object(value))).toEqual(['__proto__'])
})

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

it('stops the download at its limit', async () => {
  const { url, closed: closedPromise } = await serveEndlessly()
  const { body } = await sender.send({ method: 'GET', url, headers: {}, signal })
  const { text, isTooLong } = await readBody(body, 2_500_000)
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
