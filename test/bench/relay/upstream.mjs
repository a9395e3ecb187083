import { createServer } from 'node:net'
import { startPace } from './pace.mjs'

/**
 * A gateway that costs almost nothing: it knows just enough of HTTP to answer what the bench sends. A body with
 * `"bench":"CHUNKSxMS"` gets a stream of that many chunks, one each so many ms, each with the moment it left; a stream
 * that is left before its end is told to the parent. The process ends with its parent.
 */
const message = { role: 'assistant', content: 'Hello to the bench. '.repeat(12) }
const usage = {
  prompt_tokens: 20,
  completion_tokens: 40,
  total_tokens: 60,
  prompt_tokens_details: { cached_tokens: 0 },
}
const id = 'chatcmpl-0123456789abcdef0123456789abcdef'
const choices = [{ index: 0, message, finish_reason: 'stop' }]
const plain = JSON.stringify({ id, object: 'chat.completion', created: 1, model: 'bench', choices, usage })
const answer = Buffer.from(
  [
    ...['HTTP/1.1 200 OK', 'content-type: application/json', 'x-request-id: req_1'],
    ...['date: Sat, 21 Nov 2026 22:00:00 GMT', `content-length: ${Buffer.byteLength(plain)}`, '', plain],
  ].join('\r\n'),
)
const streamHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n'

const chunk = (/** @type {string} */ text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const event = (/** @type {object} */ rest) =>
  chunk(`data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'bench', ...rest })}\n\n`)
const stamped = () => {
  const content = `@${process.hrtime.bigint().toString().padStart(20, '0')}@`
  return event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
}

const pace = startPace()

/**
 * @param {import('node:net').Socket} socket
 * @param {{ chunks: number, everyMs: number }} order
 */
function stream(socket, { chunks, everyMs }) {
  let left = chunks
  const leave = () => {
    stop()
    process.send?.({ leftAt: process.hrtime.bigint().toString() })
  }
  const send = () => {
    socket.write(stamped())
    left -= 1
    if (left > 0) return
    socket.off('close', leave)
    stop()
    socket.write(`${event({ choices: [], usage })}${chunk('data: [DONE]\n\n')}0\r\n\r\n`)
  }
  socket.once('close', leave)
  socket.write(streamHead)
  const stop = pace.beat({ everyMs, times: chunks - 1 }, send)
  send()
}

const server = createServer({ noDelay: true }, (socket) => {
  let begun = Buffer.alloc(0)
  let missing = 0
  let order = ''
  const whole = () => {
    const [, chunks, everyMs] = /"bench":"(\d+)x(\d+)"/.exec(order) ?? []
    if (chunks === undefined) socket.write(answer)
    else stream(socket, { chunks: Number(chunks), everyMs: Number(everyMs) })
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', (data) => {
    if (missing > 0) {
      missing -= data.length
      if (missing <= 0) whole()
      return
    }
    begun = begun.length === 0 ? data : Buffer.concat([begun, data])
    const head = begun.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(begun.toString('latin1', 0, head))?.[1] ?? 0)
    missing = head + 4 + length - begun.length
    order = begun.toString('latin1', head + 4, head + 400)
    begun = Buffer.alloc(0)
    if (missing <= 0) whole()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
})
process.on('disconnect', () => process.exit())
