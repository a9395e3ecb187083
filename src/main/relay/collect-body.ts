import type { IncomingMessage } from 'node:http'
import { type Readable, Transform, type TransformCallback } from 'node:stream'
import type { RelayLimits } from './limits'
import { WholeBody } from './whole-body'

/** A request's body: all of it, or its beginning and a stream that has the beginning in it as well. */
export type Body = WholeBody | { readonly kind: 'passing'; readonly beginning: Buffer; readonly stream: Readable }

/** A body that turned out to be longer than allowed while it was passed on. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** What is held of all requests together. */
export class HeldBytes {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** False when it would be too much. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#most) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
  }
}

/** Lets bytes through until there are too many. */
class Limited extends Transform {
  #left: number

  constructor(most: number) {
    super()
    this.#left = most
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length
    if (this.#left < 0) done(new BodyTooLarge())
    else done(null, chunk)
  }
}

const nothing = new WholeBody([])

/** A body with what it takes of the bytes held; give them back when the request is over. */
export interface Collected {
  readonly body: Body
  readonly held: number
}

/** Where a body comes from, and what it may take. */
export interface BodySource {
  readonly request: IncomingMessage
  readonly limits: RelayLimits
  readonly heldBytes: HeldBytes
}

/** Reads a body as far as it is kept. A tool that leaves before its request is complete is never heard of again. */
export function collectBody({ request, limits, heldBytes }: BodySource, then: (collected: Collected) => void): void {
  const { headers } = request
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    then({ body: nothing, held: 0 })
    return
  }
  let chunks: Buffer[] = []
  let held = 0
  const settle = (body: Body, taken: number) => {
    request.off('data', add).off('end', end).off('close', leave)
    chunks = []
    then({ body, held: taken })
  }
  const add = (chunk: Buffer) => {
    chunks.push(chunk)
    const mayHold = held + chunk.length <= limits.keptBytes && heldBytes.take(chunk.length)
    if (mayHold) held += chunk.length
    else pass()
  }
  const pass = () => {
    request.pause()
    heldBytes.give(held)
    settle(
      { kind: 'passing', beginning: Buffer.concat(chunks), stream: streamOf(request, chunks, limits.bodyBytes) },
      0,
    )
  }
  const end = () => settle(new WholeBody(chunks), held)
  const leave = () => heldBytes.give(held)
  request.on('data', add).on('end', end).on('close', leave)
}

function streamOf(request: IncomingMessage, chunks: readonly Buffer[], most: number): Readable {
  const stream = new Limited(most)
  // Whoever reads it is told by an error; until then nobody is.
  stream.on('error', () => undefined)
  for (const chunk of chunks) stream.write(chunk)
  request.pipe(stream)
  request.once('close', () => {
    if (!request.complete) stream.destroy(new Error('The tool left before its request was complete.'))
  })
  return stream
}
