import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
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
  const chunks: Buffer[] = []
  let held = 0
  const settle = (collected: Collected) => {
    request.off('data', add).off('end', end).off('close', leave)
    then(collected)
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
    const beginning = Buffer.concat(chunks)
    settle({ body: { kind: 'passing', beginning, stream: streamOf(request, chunks, limits.bodyBytes) }, held: 0 })
  }
  const end = () => settle({ body: chunks.length === 0 ? nothing : new WholeBody(chunks), held })
  const leave = () => heldBytes.give(held)
  request.on('data', add).on('end', end).on('close', leave)
}

/** Gives what has come and what comes, until there is too much. */
function streamOf(request: IncomingMessage, chunks: readonly Buffer[], most: number): Readable {
  let left = most
  const stream = new Readable({
    read: () => void request.resume(),
    destroy(error, done) {
      request.off('data', add).off('end', end).resume()
      done(error)
    },
  })
  const add = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) stream.destroy(new BodyTooLarge())
    else if (!stream.push(chunk)) request.pause()
  }
  const end = () => void stream.push(null)
  // Whoever reads it is told by an error; until then nobody is.
  stream.on('error', () => undefined)
  for (const chunk of chunks) add(chunk)
  request
    .on('data', add)
    .on('end', end)
    .once('close', () => {
      if (!request.complete) stream.destroy(new Error('The tool left before its request was complete.'))
    })
  return stream
}
