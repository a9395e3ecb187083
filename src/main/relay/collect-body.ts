import { Readable } from 'node:stream'
import type { BodyReader, HttpRequest } from './http/http-request'
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
  readonly request: HttpRequest
  readonly limits: RelayLimits
  readonly heldBytes: HeldBytes
}

/** Reads a body as far as it is kept. A tool that leaves before its request is complete is never heard of again. */
export function collectBody({ request, limits, heldBytes }: BodySource, then: (collected: Collected) => void): void {
  const chunks: Buffer[] = []
  let held = 0
  const pass = () => {
    heldBytes.give(held)
    const beginning = Buffer.concat(chunks)
    then({ body: { kind: 'passing', beginning, stream: streamOf(request, chunks, limits.bodyBytes) }, held: 0 })
  }
  request.read({
    add(chunk) {
      chunks.push(chunk)
      const mayHold = held + chunk.length <= limits.keptBytes && heldBytes.take(chunk.length)
      if (mayHold) held += chunk.length
      else pass()
    },
    end: () => then({ body: chunks.length === 0 ? nothing : new WholeBody(chunks), held }),
    leave: () => heldBytes.give(held),
  })
}

/** Gives what has come and what comes, until there is too much. */
function streamOf(request: HttpRequest, chunks: readonly Buffer[], most: number): Readable {
  let left = most
  const stream = new Readable({
    read: () => request.resume(),
    destroy(error, done) {
      request.drop()
      done(error)
    },
  })
  // Whoever reads it is told by an error; until then nobody is.
  stream.on('error', () => undefined)
  const reader: BodyReader = {
    add(chunk) {
      left -= chunk.length
      if (left < 0) stream.destroy(new BodyTooLarge())
      else if (!stream.push(chunk)) request.pause()
    },
    end: () => void stream.push(null),
    leave: () => void stream.destroy(new Error('The tool left before its request was complete.')),
  }
  request.read(reader)
  for (const chunk of chunks) reader.add(chunk)
  return stream
}
