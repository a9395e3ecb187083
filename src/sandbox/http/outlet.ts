import { once } from 'node:events'
import type { Exchange } from './listener'

/** The way out of an answer's body, which may be made to break off. */
export interface Outlet {
  /** Sends a complete JSON answer. */
  readonly json: (status: number, body: unknown) => void
  /** Sends the head of an answer that comes in pieces. */
  readonly begin: (contentType: string) => void
  /** Sends a piece and waits while the client is slow; false when the rest need not be written. */
  readonly write: (text: string) => Promise<boolean>
  /** Sends the last piece. */
  readonly end: (text: string) => void
  readonly isCut: () => boolean
}

/** How an outlet behaves beyond sending. */
export interface OutletOptions {
  /** A longer body than this breaks off after so many bytes, and the connection is closed. */
  readonly cutAfterBytes?: number | undefined
  /** Called just before the last bytes of an answer leave. */
  readonly beforeLast?: () => void
}

/** An outlet over one exchange. */
export function createOutlet({ response, signal }: Exchange, options: OutletOptions = {}): Outlet {
  const { cutAfterBytes = Number.POSITIVE_INFINITY, beforeLast = () => {} } = options
  let sent = 0
  let isCut = false
  const exceeds = (bytes: Buffer) => {
    isCut ||= sent + bytes.length > cutAfterBytes
    return isCut
  }
  const cut = (bytes: Buffer) => {
    response.write(bytes.subarray(0, cutAfterBytes - sent), () => response.socket?.destroySoon())
  }
  const write = async (text: string) => {
    const bytes = Buffer.from(text)
    if (isCut || signal.aborted) return false
    if (exceeds(bytes)) {
      cut(bytes)
      return false
    }
    sent += bytes.length
    if (!response.write(bytes)) await once(response, 'drain', { signal }).catch(() => undefined)
    return !signal.aborted
  }
  const last = (bytes: Buffer) => {
    const isTooLong = exceeds(bytes)
    beforeLast()
    if (isTooLong) cut(bytes)
    else response.end(bytes)
  }
  const json = (status: number, body: unknown) => {
    const bytes = Buffer.from(JSON.stringify(body))
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
    last(bytes)
  }
  const begin = (contentType: string) => {
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache, no-transform' })
    response.flushHeaders()
  }
  return { json, begin, write, end: (text) => last(Buffer.from(text)), isCut: () => isCut }
}
