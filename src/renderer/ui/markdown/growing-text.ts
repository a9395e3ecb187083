import { BlockReader, type Reading } from './block-reader'

/** A line that is longer is read in parts. */
const longLine = 4_000

/** Where to cut a line that is too long: after its last space, and never inside a character. */
function cutOf(line: string): number {
  const space = line.lastIndexOf(' ', longLine - 1)
  if (space > longLine / 2) return space + 1
  const code = line.charCodeAt(longLine - 1)
  return code >= 0xd800 && code < 0xdc00 ? longLine - 1 : longLine
}

/** A document of which always more comes; each character is looked at once. A text that does not continue the one before is read anew. */
export class GrowingText {
  #reader = new BlockReader()
  #seen = ''
  #partial = ''
  #isEnded = false

  /** The document's blocks. `isGrowing`: more will come. */
  read(text: string, isGrowing: boolean): Reading {
    if (text !== this.#seen && (this.#isEnded || !text.startsWith(this.#seen))) this.#restart()
    if (!this.#isEnded) {
      this.#take(text.slice(this.#seen.length))
      this.#seen = text
      if (!isGrowing) this.#end()
    }
    return { sections: this.#reader.sections, tail: this.#isEnded ? undefined : this.#reader.tail(this.#partial) }
  }

  #restart(): void {
    this.#reader = new BlockReader()
    this.#seen = ''
    this.#partial = ''
    this.#isEnded = false
  }

  #take(piece: string): void {
    const lines = (this.#partial + piece).split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) this.#reader.line(this.#cut(line.replace(/\r$/, '')))
    this.#partial = this.#cut(last)
  }

  /** Gives the reader the beginning of a line that is too long; the end of it goes back. */
  #cut(line: string): string {
    let rest = line
    while (rest.length > longLine) {
      const at = cutOf(rest)
      this.#reader.line(rest.slice(0, at), true)
      rest = rest.slice(at)
    }
    return rest
  }

  #end(): void {
    if (this.#partial !== '') this.#reader.line(this.#partial)
    this.#partial = ''
    this.#reader.end()
    this.#isEnded = true
  }
}
