import type { Span } from './json-tree'

/** Walks a text that a parser has already accepted, and gathers its comments on the way. */
export class YamlCursor {
  at = 0
  readonly comments: Span[] = []

  constructor(readonly text: string) {}

  /** Passes blanks, line ends and comments, and `also`, which is the comma within brackets. */
  skipGap(also = ''): void {
    for (;;) {
      const character = this.text[this.at]
      if (character === '#') this.#passComment()
      else if (character !== undefined && (' \t\r\n'.includes(character) || character === also)) this.at += 1
      else return
    }
  }

  /** Passes so many anchors and tags of a value, of which more may stand here for its first key; gives back where the last one ends. */
  skipProperties(count: number): number {
    let end = this.at
    for (let left = count; left > 0 && /[&!]/.test(this.text[this.at] ?? ''); left -= 1) {
      const property = /!<[^>]*>|[&!][^\s,[\]{}]*/y
      property.lastIndex = this.at
      property.test(this.text)
      end = property.lastIndex
      this.at = end
      this.skipGap()
    }
    return end
  }

  /** Passes what must stand here. Throws where it does not: parser and cursor then disagree. */
  expect(token: string): void {
    if (!this.text.startsWith(token, this.at)) throw new Misplaced(this.at)
    this.at += token.length
  }

  #passComment(): void {
    const start = this.at
    this.at = lineEnd(this.text, start)
    this.comments.push({ start, end: this.at })
  }
}

/** Thrown where a text is written in a way that cannot be placed. */
export class Misplaced extends Error {
  constructor(readonly offset: number) {
    super('The text is written in a way that cannot be placed')
  }
}

/** Where the line that holds this offset ends, before its line end. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end === -1) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

/** Where the line after the one that holds this offset begins, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

/** How many characters stand before this offset in its line. */
export function columnAt(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}
