import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { RelayLimits } from './ports'

/**
 * A body that is there as a whole, in the chunks it came in. It goes on in these: a body of a coding tool's usual size
 * joined into one would double the memory that V8 has to clear up for each request.
 */
export class WholeBody {
  readonly kind = 'whole'
  readonly chunks: readonly Buffer[]

  constructor(chunks: readonly Buffer[]) {
    this.chunks = chunks
  }

  get length(): number {
    return this.chunks.reduce((sum, { length }) => sum + length, 0)
  }

  /** All of it in one; costs a copy where it came in several. */
  bytes(): Buffer {
    const [first] = this.chunks
    return first !== undefined && this.chunks.length === 1 ? first : Buffer.concat(this.chunks)
  }

  /**
   * Whether this name is anywhere in its JSON, for a member or as a text; fastest when it is near the beginning or the
   * end. With both its quotes a name is in no longer text of JSON, where quotes are escaped.
   */
  includesName(name: NameInBody): boolean {
    const { chunks } = this
    const [only] = chunks
    const { whole } = searches[name]
    const most = whole.length
    if (only !== undefined && chunks.length === 1 && only.length <= 2 * edgeBytes) return isNamedIn(only, name)
    const edges = [chunks[0]?.subarray(0, edgeBytes), chunks.at(-1)?.subarray(-edgeBytes)]
    if (edges.some((edge) => edge !== undefined && isNamedIn(edge, name))) return true
    if (chunks.some(({ length }) => length < most)) return isNamedIn(this.bytes(), name)
    const seams = chunks.slice(1).map((chunk, place) => {
      const before = chunks[place]?.subarray(-most) ?? noBytes
      return Buffer.concat([before, chunk.subarray(0, most)])
    })
    return [...seams, ...chunks].some((part) => isNamedIn(part, name))
  }
}

type NameInBody = 'stream' | 'stream_options'

/** Names with their quotes, and their ends by each letter. */
const searches: Readonly<Record<NameInBody, { readonly whole: Buffer; readonly ends: readonly Buffer[] }>> = {
  stream: searchFor('stream'),
  stream_options: searchFor('stream_options'),
}
const noBytes: Buffer = Buffer.alloc(0)
const edgeBytes = 4096
const sampleBytes = 512

function searchFor(name: NameInBody) {
  const whole = Buffer.from(`"${name}"`)
  return { whole, ends: [...name].map((_, at) => whole.subarray(at + 1)) }
}

/**
 * Looks for the end of the name that begins with the letter that is rarest here, for a search stops at each of these: `m"` instead
 * of `stream"` takes 26 µs instead of 93 for 255 KB of code.
 */
function isNamedIn(json: Buffer, name: NameInBody): boolean {
  const { whole, ends } = searches[name]
  const end = json.length > 2 * edgeBytes ? rarestIn(json, ends) : whole.subarray(1)
  const before = whole.length - end.length
  for (let at = json.indexOf(end); at >= 0; at = json.indexOf(end, at + 1)) {
    if (at >= before && whole.equals(json.subarray(at - before, at + end.length))) return true
  }
  return false
}

const counts = new Uint16Array(256)

/** By a sample out of the middle. */
function rarestIn(json: Buffer, ends: readonly Buffer[]): Buffer {
  const from = json.length >> 1
  counts.fill(0)
  for (let at = from; at < from + sampleBytes; at += 1) {
    const byte = json[at] ?? 0
    counts[byte] = (counts[byte] ?? 0) + 1
  }
  const countOf = (end: Buffer): number => counts[end[0] ?? 0] ?? 0
  return ends.reduce((rarest, end) => (countOf(end) < countOf(rarest) ? end : rarest))
}

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
interface Collected {
  readonly body: Body
  readonly held: number
}

/** Where a body comes from, and what it may take. */
interface BodySource {
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
