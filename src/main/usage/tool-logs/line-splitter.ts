const lineFeed = 0x0a

/** A line, or the mark that one was too long and is left out. */
export type SplitLine = Buffer | 'tooLong'

/** Splits bytes that come in pieces into lines; holds at most one line that has not ended, and never more than `longest` bytes of it. */
export class LineSplitter {
  readonly #longest: number
  #pieces: Buffer[] = []
  #held = 0
  #isSkipping: boolean

  constructor(longest: number, isSkipping: boolean) {
    this.#longest = longest
    this.#isSkipping = isSkipping
  }

  /** Bytes at the end that belong to a line that has not ended. */
  get held(): number {
    return this.#held
  }

  /** Within a line that is too long. */
  get isSkipping(): boolean {
    return this.#isSkipping
  }

  /** The lines that end in these bytes, without their line feeds. A line is told as too long when it becomes so. */
  *push(bytes: Buffer): Generator<SplitLine> {
    let begin = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, begin)) {
      const told = this.#ended(bytes.subarray(begin, end))
      begin = end + 1
      if (told !== undefined) yield told
    }
    const rest = bytes.subarray(begin)
    if (this.#isSkipping || rest.length === 0) return
    if (this.#held + rest.length <= this.#longest) {
      this.#pieces.push(Buffer.from(rest))
      this.#held += rest.length
    } else {
      this.#forget()
      this.#isSkipping = true
      yield 'tooLong'
    }
  }

  #ended(last: Buffer): SplitLine | undefined {
    const wasSkipping = this.#isSkipping
    const isTooLong = this.#held + last.length > this.#longest
    const line = wasSkipping || isTooLong ? undefined : Buffer.concat([...this.#pieces, last])
    this.#forget()
    this.#isSkipping = false
    if (wasSkipping) return undefined
    return isTooLong ? 'tooLong' : line
  }

  #forget(): void {
    this.#pieces = []
    this.#held = 0
  }
}
