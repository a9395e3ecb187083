import type { CodeBlock } from './block'
import { closesFence, type Opening, outdent } from './lines'

const segmentLines = 60
const segmentLength = 4_000

/** The content of a fence as it grows, in segments that do not change once they are full. */
export class CodeLines {
  readonly #opening: Opening
  readonly #full: string[] = []
  #last = ''
  #lines = 0
  /** Whether what comes next goes on in the same line. */
  isMidLine = false

  constructor(opening: Opening) {
    this.#opening = opening
  }

  closes(line: string): boolean {
    return closesFence(line, this.#opening)
  }

  /** Adds a line, or with `isPart` the beginning of one that is too long. */
  add(line: string, isPart: boolean): void {
    const words = this.isMidLine ? line : outdent(line, this.#opening.indent)
    this.#last += isPart ? words : `${words}\n`
    this.#lines += 1
    this.isMidLine = isPart
    if (this.#lines < segmentLines && this.#last.length < segmentLength) return
    this.#full.push(this.#last)
    this.#last = ''
    this.#lines = 0
  }

  /** The block as it stands, with the beginning of a line that is not complete. */
  block(partial: string, isClosed = false): CodeBlock {
    const rest = this.#last + (this.isMidLine ? partial : outdent(partial, this.#opening.indent))
    return {
      kind: 'code',
      language: this.#opening.rest.split(/[\s{,]/)[0] ?? '',
      segments: rest === '' ? [...this.#full] : [...this.#full, rest],
      isClosed,
    }
  }
}
