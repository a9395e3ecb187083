import { once } from 'node:events'
import type { Exchange } from './listener'

/** The way out of an answer's body, which may be made to break off. */
export interface Outlet {
  /** Sends a complete JSON answer. */
  readonly json: (status: number, body: unknown) => void
  /** Sends an answer without a body. */
  readonly empty: (status: number) => void
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
  /** Whether what should be JSON is not. */
  readonly isMalformed?: boolean | undefined
  /** Called just before the last bytes of an answer leave. */
  readonly beforeLast?: () => void
}

/** No longer JSON, in a whole answer as in the data of an event. */
const malformed = (text: string): string => text.replaceAll('":', '"=')

/** An outlet over one exchange. */
export function createOutlet({ response, signal }: Exchange, options: OutletOptions = {}): Outlet {
  const { cutAfterBytes = Number.POSITIVE_INFINITY, isMalformed = false, beforeLast = () => {} } = options
  const worded = (text: string) => (isMalformed ? malformed(text) : text)
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
    const bytes = Buffer.from(worded(text))
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
    const bytes = Buffer.from(worded(JSON.stringify(body)))
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
    last(bytes)
  }
  const empty = (status: number) => {
    beforeLast()
    response.writeHead(status).end()
  }
  const begin = (contentType: string) => {
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache, no-transform' })
    response.flushHeaders()
  }
  return { json, empty, begin, write, end: (text) => last(Buffer.from(worded(text))), isCut: () => isCut }
}
