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
    const last = lasts[name]
    const most = last.length + 1
    if (only !== undefined && chunks.length === 1 && only.length <= 2 * edgeBytes) return isNamedIn(only, last)
    const edges = [chunks[0]?.subarray(0, edgeBytes), chunks.at(-1)?.subarray(-edgeBytes)]
    if (edges.some((edge) => edge !== undefined && isNamedIn(edge, last))) return true
    if (chunks.some(({ length }) => length < most)) return isNamedIn(this.bytes(), last)
    const seams = chunks.slice(1).map((chunk, place) => {
      const before = chunks[place]?.subarray(-most) ?? nothing
      return Buffer.concat([before, chunk.subarray(0, most)])
    })
    return [...seams, ...chunks].some((part) => isNamedIn(part, last))
  }
}

type NameInBody = 'stream' | 'stream_options'

/** Names with the quote behind them. */
const lasts: Readonly<Record<NameInBody, Buffer>> = {
  stream: Buffer.from('stream"'),
  stream_options: Buffer.from('stream_options"'),
}
const nothing: Buffer = Buffer.alloc(0)
const edgeBytes = 4096
const quote = 0x22

/** Looks for the name with the quote behind it: a search for what begins with a quote stops at each one there is. */
function isNamedIn(json: Buffer, last: Buffer): boolean {
  let at = json.indexOf(last)
  while (at >= 0 && json[at - 1] !== quote) at = json.indexOf(last, at + 1)
  return at >= 0
}
