import type { Span } from './json-tree'
import type { YamlParts } from './yaml-compose'
import { lineEnd, nextLine } from './yaml-cursor'
import { keyAt, keyOf, NotPlain, pastBlanks, valueAt } from './yaml-line-values'
import type { YamlCollection, YamlEntry, YamlNode } from './yaml-node'

/**
 * A text of plain lines, read without the library: keys, dashes, and values that end in their line. Undefined for any
 * other text, such as one with anchors, tags, block scalars, values of several lines, tabs, markers or mistakes.
 */
export function readLines(text: string): YamlParts | undefined {
  if (/\t|^(?:---|\.\.\.|%)/m.test(text)) return undefined
  const reader = new LineReader(text)
  try {
    for (let at = 0; at < text.length; at = nextLine(text, at)) reader.readLine(at)
    reader.finish()
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
  return { root: reader.root, comments: reader.comments, targets: new Set() }
}

/** In characters; expressions that match longer ones may run out of room. */
const LONGEST_LINE = 10_000
/** In levels. */
const DEEPEST = 100

type Building<T> = { -readonly [K in keyof T]: T[K] }
type OpenEntry = Building<YamlEntry>
type OpenNode = Building<Omit<YamlCollection, 'entries'>> & { entries: OpenEntry[] }
type Open = { readonly column: number; readonly node: OpenNode }

class LineReader {
  readonly comments: Span[] = []
  root: YamlNode | undefined
  /** The collections that a next line may add to, each within the one before. */
  readonly #open: Open[] = []

  constructor(readonly text: string) {}

  readLine(line: number): void {
    const { text } = this
    const stop = lineEnd(text, line)
    if (stop - line > LONGEST_LINE) throw new NotPlain()
    let at = pastBlanks(text, line)
    if (this.#passedRest(at, stop)) return
    this.#close(at - line, text[at] === '-' && isGap(text[at + 1]))
    while (text[at] === '-' && isGap(text[at + 1])) {
      const dash = at
      at = pastBlanks(text, at + 1)
      this.#add(dash - line, 'list', { start: dash, end: dash + 1, key: undefined, value: empty(dash + 1) })
      if (this.#passedRest(at, stop)) return
    }
    const key = keyAt(text, at)
    if (key === undefined) {
      if (this.#open.at(-1)?.node.kind !== 'list' || !/[ -]/.test(text[at - 1] ?? '')) throw new NotPlain()
      this.#settle(valueAt(text, at), stop)
      return
    }
    const colon = key.end + 1
    this.#add(at - line, 'map', { start: at, end: colon, key: keyOf(text, key, colon), value: empty(colon) })
    at = pastBlanks(text, colon)
    if (!this.#passedRest(at, stop)) this.#settle(valueAt(text, at), stop)
  }

  finish(): void {
    this.#close(-1, false)
  }

  /** True when nothing but a comment is left of a line. */
  #passedRest(at: number, stop: number): boolean {
    if (at >= stop) return true
    if (this.text[at] !== '#') return false
    if (at > 0 && isInk(this.text[at - 1])) throw new NotPlain()
    this.comments.push({ start: at, end: stop })
    return true
  }

  /** Leaves the collections that a line at this column is not part of. */
  #close(column: number, isItem: boolean): void {
    for (let top = this.#open.at(-1); top !== undefined; top = this.#open.at(-1)) {
      if (top.column < column || (top.column === column && (isItem || top.node.kind === 'map'))) return
      this.#open.pop()
      const holder = this.#open.at(-1)?.node
      if (holder !== undefined) end(holder, top.node.end)
    }
  }

  #add(column: number, kind: 'map' | 'list', entry: OpenEntry): void {
    const top = this.#open.at(-1)
    if (top?.column === column && top.node.kind === kind) {
      top.node.entries.push(entry)
      end(top.node, entry.end)
      return
    }
    const node = { kind, outer: entry.start, start: entry.start, end: entry.end, flow: false, entries: [entry] }
    const holder = top?.node.entries.at(-1)
    if (top === undefined) {
      if (this.root !== undefined || kind !== 'map' || column !== 0) throw new NotPlain()
      this.root = node
    } else {
      const isBelow = column > top.column || (column === top.column && kind === 'list' && top.node.kind === 'map')
      if (holder === undefined || !isBelow || !isEmpty(holder.value)) throw new NotPlain()
      holder.value = node
    }
    this.#open.push({ column, node })
    if (this.#open.length > DEEPEST) throw new NotPlain()
  }

  /** Gives the last entry its value, which must be all that its line holds but for a comment. */
  #settle(value: YamlNode, stop: number): void {
    const top = this.#open.at(-1)?.node
    const entry = top?.entries.at(-1)
    if (top === undefined || entry === undefined || !isEmpty(entry.value)) throw new NotPlain()
    const rest = pastBlanks(this.text, value.end)
    if (rest < stop && (this.text[rest] !== '#' || rest === value.end)) throw new NotPlain()
    this.#passedRest(rest, stop)
    entry.value = value
    entry.end = value.end
    end(top, value.end)
  }
}

/** A collection ends with its last entry, and an entry with its value. */
function end(node: OpenNode, at: number): void {
  node.end = at
  const last = node.entries.at(-1)
  if (last !== undefined) last.end = at
}

const empty = (at: number): YamlNode => ({ kind: 'scalar', outer: at, start: at, end: at, isBlock: false, value: null })

const isEmpty = (node: YamlNode): boolean => node.kind === 'scalar' && node.end === node.start

const isGap = (character: string | undefined): boolean =>
  character === undefined || character === ' ' || character === '\r' || character === '\n'

const isInk = (character: string | undefined): boolean => !isGap(character)
