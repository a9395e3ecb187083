import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { getRounds } from '../../../support/depth'
import {
  answerChat,
  buildRawRequest,
  chatPath,
  chatRequestBody,
  messagesPath,
  openRequest,
  respondWithJson,
  sendRequest,
  startRelayTo,
  token,
} from './support'

const MB = 1024 * 1024

test('parallel streams each get their own bytes and counts', async () => {
  const streams = getRounds(150, 500)
  const { url, entries, relay } = await startRelayTo((request, response) => {
    const number = Number(request.headers['x-number'])
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sentCount = 0
    const send = () => {
      response.write(`data: {"id":"c${number}","choices":[{"delta":{"content":"${number}.${sentCount}"}}]}\n\n`)
      sentCount += 1
      if (sentCount < 10) setTimeout(send, 5)
      else response.end(`data: {"choices":[],"usage":{"prompt_tokens":${number + 1},"completion_tokens":10}}\n\n`)
    }
    send()
  })
  const answers = await Promise.all(
    Array.from({ length: streams }, (_, number) =>
      sendRequest(url + chatPath, chatRequestBody, { authorization: `Bearer ${token}`, 'x-number': String(number) }),
    ),
  )
  for (const [number, { body }] of answers.entries()) {
    const expected = Array.from({ length: 10 }, (_, index) => `"content":"${number}.${index}"`)
    expect(body.match(/"content":"\d+\.\d+"/g)).toEqual(expected)
  }
  expect(entries.map(({ inputTokens, answerId }) => `${answerId} ${inputTokens}`).sort()).toEqual(
    Array.from({ length: streams }, (_, number) => `c${number} ${number + 1}`).sort(),
  )
  await vi.waitFor(() => expect(relay.open().get('x')).toBe(0))
})

test('a tool that does not read throttles the gateway and uses bounded memory', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  let sentBytes = 0
  const { relay } = await startRelayTo((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = () => {
      while (sentBytes < 400 * MB) {
        sentBytes += chunk.length
        if (!response.write(chunk)) return
      }
      response.end()
    }
    response.on('drain', send)
    send()
  })
  const socket = connect(relay.port, '127.0.0.1')
  socket.on('error', () => undefined).pause()
  socket.write(buildRawRequest(relay.port, chatPath))
  let heapBefore = -1
  await vi.waitFor(
    () => {
      const hasStoppedSending = sentBytes > 0 && sentBytes === heapBefore
      heapBefore = sentBytes
      expect(hasStoppedSending).toBe(true)
    },
    { interval: 100 },
  )
  expect(sentBytes).toBeLessThan(40 * MB)
  socket.destroy()
})

test.each([700_000, 20 * MB])('a request of %i bytes arrives completely', async (bytes) => {
  const { send } = await startRelayTo((request, response) => {
    const hash = createHash('sha256')
    request
      .on('data', (chunk) => hash.update(chunk))
      .on('end', () => respondWithJson(response, { id: hash.digest('hex') }))
  })
  const body = Buffer.alloc(bytes, 'The quick brown fox. ')
  const id = createHash('sha256').update(body).digest('hex')
  const chunkedResponse = await send(messagesPath, body, { 'transfer-encoding': 'chunked' })
  expect([await send(chatPath, body), chunkedResponse].map((answer) => JSON.parse(answer.body).id)).toEqual([id, id])
})

test('connections to the tool and to the gateway are reused', async () => {
  const { gateway, url } = await startRelayTo(answerChat)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = new Set<number | undefined>()
  for (let roundIndex = 0; roundIndex < 5; roundIndex += 1) {
    const request = openRequest(url + chatPath, { agent })
    request.on('socket', ({ localPort }) => ports.add(localPort)).end(chatRequestBody)
    const [response] = await once(request, 'response')
    ports.add(response.socket.localPort)
    await once(response.resume(), 'end')
  }
  agent.destroy()
  expect([[...ports].filter((port) => port !== undefined).length, gateway.sockets.size]).toEqual([1, 1])
})
