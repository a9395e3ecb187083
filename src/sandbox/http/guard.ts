import type { IncomingMessage } from 'node:http'
import { Refused } from './refused'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** The address under which this connection reached us. */
export const ownUrl = (request: IncomingMessage): string => `http://127.0.0.1:${request.socket.localPort ?? 0}`

/**
 * Why a request is refused that a page in a browser could send: a host name that is not ours (421, DNS rebinding) or any `Origin` (403).
 * Command-line tools and the own processes of desktop apps send neither.
 */
export function foreignRefusal(request: IncomingMessage): Refused | undefined {
  const host = request.headers.host?.toLowerCase() ?? ''
  const port = request.socket.localPort ?? 0
  if (!loopbackNames.some((name) => host === `${name}:${port}`)) {
    const message = `The sandbox answers on this computer only: use the host ${ownUrl(request)}.`
    return new Refused({ status: 421, code: 'wrong_host', message })
  }
  if (request.headers.origin === undefined) return undefined
  const message = 'The sandbox refuses requests from web pages (this one has an Origin header).'
  return new Refused({ status: 403, code: 'browser_origin', message })
}
