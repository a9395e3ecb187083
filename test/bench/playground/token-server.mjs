import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import answer from './answer-tokens.cjs'

/** Write interval of a model server, in ms. */
const stepMs = 20

/**
 * A local chat-completions server whose answers have a fixed number of tokens and speed, with one event per token.
 * @param {{ tokens: number, tokensPerSecond: number }} pace
 */
export async function startTokenServer(pace) {
  const server = createServer((request, response) => void handleRequest(request, response, pace))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {{ tokens: number, tokensPerSecond: number }} pace
 */
async function handleRequest(request, response, { tokens, tokensPerSecond }) {
  const { model } = JSON.parse(await text(request))
  const answerTokens = answer.answerTokens({ seed: model, count: tokens })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const startedAt = performance.now()
  let sentCount = 0
  const timer = setInterval(() => {
    const expectedCount = Math.min(tokens, Math.floor(((performance.now() - startedAt) / 1000) * tokensPerSecond))
    response.write(
      answerTokens
        .slice(sentCount, expectedCount)
        .map((content) => event({ choices: [{ index: 0, delta: { content } }] }))
        .join(''),
    )
    sentCount = expectedCount
    if (sentCount < tokens) return
    clearInterval(timer)
    const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: tokens + 10 }
    response.end(`${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}data: [DONE]\n\n`)
  }, stepMs)
  response.on('close', () => clearInterval(timer))
}

const event = (/** @type {object} */ body) => `data: ${JSON.stringify(body)}\n\n`
