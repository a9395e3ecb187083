import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'

/**
 * A gateway and a well-behaved client in a separate process, so that attacks from another process do not slow them.
 * Prints the gateway's port first. Answers each message `{ url, path, headers, pid }` with the outcome of `/health` and of a
 * relayed request. `readSchedulerDelayMs` is the time that other programs kept the relay (`pid`) and this process off the CPU.
 */
const answer = {
  id: 'a',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}
const requestBody = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'Hi' }] })
const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(4000) } }] })}\n\n`

const gateway = createServer((incoming, response) => {
  let body = ''
  incoming.setEncoding('latin1').on('data', (text) => {
    body += text
  })
  incoming.on('error', () => undefined)
  incoming.on('end', () =>
    body.includes('"stream":true') ? streamEndlessly(response) : response.end(JSON.stringify(answer)),
  )
})

/** @param {import('node:http').ServerResponse} response */
function streamEndlessly(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  // Alternates between streams, so that none delays the others.
  const writeUntilFull = () => {
    if (!response.destroyed && response.write(event)) setImmediate(writeUntilFull)
  }
  response.on('drain', writeUntilFull)
  writeUntilFull()
}

/**
 * @param {string} address
 * @param {string | undefined} body
 * @param {Record<string, string>} headers
 * @returns {Promise<{ status: number | undefined, body: string, ms: number }>}
 */
function sendRequest(address, body, headers) {
  const startedMs = performance.now()
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      address,
      { method: body === undefined ? 'GET' : 'POST', headers, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode, body: text, ms: performance.now() - startedMs }),
        )
      },
    )
    clientRequest.on('error', reject).end(body)
  })
}

/** @param {number} pid */
const readSchedulerDelayMs = (pid) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6

/** @typedef {{ url: string, path: string, headers: Record<string, string>, pid: number }} Order */

process.on('message', async (/** @type {Order} */ order) => {
  const getSuspendedMs = () => readSchedulerDelayMs(order.pid) + readSchedulerDelayMs(process.pid)
  try {
    const delayBeforeMs = getSuspendedMs()
    const response = await sendRequest(`${order.url}/health`, undefined, {})
    const health = { ...response, heldUpMs: getSuspendedMs() - delayBeforeMs }
    const request = await sendRequest(order.url + order.path, requestBody, order.headers)
    process.send?.({ health, request })
  } catch (error) {
    process.send?.({ error: String(error) })
  }
})
process.on('disconnect', () => process.exit())
gateway.listen(0, '127.0.0.1', () => {
  const address = gateway.address()
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
})
