import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startLocalServer } from './local-server'

/** A proxy in front of a platform that can delay its responses. */
export interface HoldingProxy {
  readonly url: string
  /**
   * Delays the next response to a request such as `GET /console/token-plans`. The platform has already processed the
   * request.
   */
  hold(request: string): void
  /** Number of responses that are being delayed. */
  held(): number
  /** Sends a delayed response. Resolves when it is sent. */
  release(request: string): Promise<void>
  close(): Promise<void>
}

async function forwardRequest(request: IncomingMessage, target: string): Promise<Response> {
  const { method = 'GET', url = '/', headers } = request
  const forwardedHeaders = ['authorization', 'content-type', 'accept'].flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const body = method === 'GET' ? {} : { body: await buffer(request) }
  return fetch(`${target}${url}`, { method, headers: Object.fromEntries(forwardedHeaders), ...body })
}

/** Starts a proxy for a platform's address on a free port. */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const pausedPaths = new Set<string>()
  const delayedAnswers = new Map<string, () => Promise<void>>()
  const server = createServer(async (request, response) => {
    const answer = await forwardRequest(request, target)
    const body = Buffer.from(await answer.arrayBuffer())
    const send = async (): Promise<void> => {
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      response.end(body)
      await once(response, 'close')
    }
    const name = `${request.method} ${request.url?.split('?')[0]}`
    if (pausedPaths.delete(name)) delayedAnswers.set(name, send)
    else await send()
  })
  const { url, stop } = await startLocalServer(server)
  return {
    url,
    hold: (name) => void pausedPaths.add(name),
    held: () => delayedAnswers.size,
    async release(name) {
      const send = delayedAnswers.get(name)
      delayedAnswers.delete(name)
      await send?.()
    },
    close: stop,
  }
}
