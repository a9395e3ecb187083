import { err, type Failure, ok, type Result } from '@shared/failure'
import { Composer, type CST, type Document, Parser } from 'yaml'
import { rememberingLast } from './editor'
import { lineAt, type Span, unparsable } from './json-document'
import {
  compose,
  lineEnd,
  Misplaced,
  nextLine,
  type YamlCollection,
  type YamlEntry,
  type YamlNode,
  type YamlParts,
  type YamlScalar,
  yamlToJson,
} from './yaml-node'

/** Characters above which plain texts bypass the library, which takes seconds for megabytes. */
const LONG = 200_000

/** Nesting limit: the library is recursive, and a stack overflow can end the process. */
const DEEPEST = 200

const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const

/** Parses a text with positions. Throws `Refused` for invalid YAML or several documents. */
function takenApart(text: string): YamlParts {
  const read = text.length < LONG ? undefined : readLines(text)
  return read ?? compose(text, parsed(text))
}

function parsed(text: string): Document.Parsed {
  const tokens = [...new Parser().parse(text)]
  for (const token of tokens) refuseDeep(token)
  const [document, second] = [...new Composer(options).compose(tokens, true, text.length)]
  const error = document?.errors[0]
  if (error !== undefined) throw new Refused(reasons[error.code] ?? 'It is not valid YAML', error.pos[0])
  if (second !== undefined) throw new Refused('It holds several documents', second.range[0])
  if (document === undefined) throw new Refused('It is not valid YAML', 0)
  return document
}

const reasons: { readonly [code: string]: string } = { TAB_AS_INDENT: 'It is indented with tabs' }

function refuseDeep(root: CST.Token): void {
  const left: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { token, depth } = next
    if (depth > DEEPEST) throw new Refused('It is nested too deeply', 'offset' in token ? token.offset : 0)
    for (const inner of listChildTokens(token)) left.push({ token: inner, depth: depth + 1 })
  }
}

function listChildTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value]
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return []
  return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat())
}

class Refused extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
  }
}

/** A parsed YAML text. Offsets start after the byte order mark. A blank text has no `root`. */
export type YamlDocument = {
  readonly bom: string
  readonly text: string
  readonly root: YamlCollection | undefined
  readonly comments: readonly Span[]
  readonly targets: ReadonlySet<YamlNode>
}

const BOM = '\uFEFF'

/** Parses the text. Fails with `file.unparsable` and the line, never its content. */
export const parseYamlDocument = rememberingLast((source: string): Result<YamlDocument, Failure> => {
  const bom = source.startsWith(BOM) ? BOM : ''
  const text = source.slice(bom.length)
  try {
    const lone = /\r(?!\n)/.exec(text)
    if (lone !== null) return err(unparsable('It has a carriage return that ends no line', lineAt(text, lone.index)))
    const { root, comments, targets } = takenApart(text)
    if (root !== undefined && root.kind !== 'map')
      return err(unparsable('It does not hold a mapping', lineAt(text, root.outer)))
    if (root !== undefined) requireOnce(root)
    if (root !== undefined && targets.size > 0) yamlToJson(root)
    return ok({ bom, text, root, comments, targets })
  } catch (error) {
    if (error instanceof Refused)
      return err(unparsable(error.message, lineAt(text, Math.min(error.offset, text.trimEnd().length))))
    if (error instanceof Misplaced) return err(unparsable('It is not valid YAML', lineAt(text, error.offset)))
    if (error instanceof RangeError) return err(unparsable('It repeats too much', 1))
    throw error
  }
})

/** Rejects duplicate names in a mapping, because parsers disagree on which one counts. */
function requireOnce(node: YamlNode): void {
  if (node.kind !== 'map' && node.kind !== 'list') return
  const names = node.kind === 'map' && node.entries.length > 1 ? new Set<string>() : undefined
  for (const { key, start, value } of node.entries) {
    if (key !== undefined && names?.has(key.name)) throw new Refused('A setting appears twice', start)
    if (key !== undefined) names?.add(key.name)
    requireOnce(value)
  }
}

/** Fast parser for plain lines: keys, dashes and single-line values. Undefined for any other syntax or errors. */
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

/** Maximum line length in characters. Regular expressions may overflow on longer matches. */
const LONGEST_LINE = 10_000

const DEEPEST_PLAIN = 100

type Building<T> = { -readonly [K in keyof T]: T[K] }
type OpenEntry = Building<YamlEntry>
type OpenNode = Building<Omit<YamlCollection, 'entries'>> & { entries: OpenEntry[] }
type Open = { readonly column: number; readonly node: OpenNode }

class LineReader {
  readonly comments: Span[] = []
  root: YamlNode | undefined
  readonly #open: Open[] = []

  constructor(readonly text: string) {}

  readLine(line: number): void {
    const { text } = this
    const stop = lineEnd(text, line)
    if (stop - line > LONGEST_LINE) throw new NotPlain()
    let at = pastBlanks(text, line)
    if (this.#isRestBlank(at, stop)) return
    this.#close(at - line, text[at] === '-' && isGap(text[at + 1]))
    while (text[at] === '-' && isGap(text[at + 1])) {
      const dash = at
      at = pastBlanks(text, at + 1)
      this.#add(dash - line, 'list', { start: dash, end: dash + 1, key: undefined, value: empty(dash + 1) })
      if (this.#isRestBlank(at, stop)) return
    }
    const key = keyAt(text, at)
    if (key === undefined) {
      if (this.#open.at(-1)?.node.kind !== 'list' || !/[ -]/.test(text[at - 1] ?? '')) throw new NotPlain()
      this.#settle(valueAt(text, at), stop)
      return
    }
    const colon = key.end + 1
    this.#add(at - line, 'map', { start: at, end: colon, key: toKey(text, key, colon), value: empty(colon) })
    at = pastBlanks(text, colon)
    if (!this.#isRestBlank(at, stop)) this.#settle(valueAt(text, at), stop)
  }

  finish(): void {
    this.#close(-1, false)
  }

  /** Whether only a comment follows on a line. */
  #isRestBlank(at: number, stop: number): boolean {
    if (at >= stop) return true
    if (this.text[at] !== '#') return false
    if (at > 0 && isInk(this.text[at - 1])) throw new NotPlain()
    this.comments.push({ start: at, end: stop })
    return true
  }

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
    if (this.#open.length > DEEPEST_PLAIN) throw new NotPlain()
  }

  /** Sets the value of the last entry. Only a comment may follow on its line. */
  #settle(value: YamlNode, stop: number): void {
    const top = this.#open.at(-1)?.node
    const entry = top?.entries.at(-1)
    if (top === undefined || entry === undefined || !isEmpty(entry.value)) throw new NotPlain()
    const rest = pastBlanks(this.text, value.end)
    if (rest < stop && (this.text[rest] !== '#' || rest === value.end)) throw new NotPlain()
    this.#isRestBlank(rest, stop)
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

class NotPlain extends Error {}

/** Matches at least 100 opening brackets on one line, which may be nested too deeply for the parser. */
const tooManyBrackets = /(?:[[{][^[{\n]*){100}/y

const quotedText = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\n]|'')*'/y
const keyText = /(?:[\w./$][\w./$@+-]*|"[^"\\\n]*"|'[^'\n]*')(?=:(?:[ \r\n]|$))/y
const blockPlain = /[\w./$~+(=\u00a0-\ufeff-](?:[^\s#:]|:(?=\S)|(?<=\S)#| +(?=[^\s#]))*/y
const flowPlain = /[\w./$~+(=-](?:[^\s#:,[\]{}"'&*!|>%@`?]|:(?=[^\s,[\]{}])| +(?=[^\s#,[\]{}:]))*/y

function keyAt(text: string, start: number): YamlScalar | undefined {
  const end = matchEnd(keyText, text, start)
  return end === undefined || end - start > 1000 ? undefined : scalar(text, start, end)
}

/** The single-line value at this offset. Throws `NotPlain` for any other. */
function valueAt(text: string, start: number): YamlNode {
  const first = text[start]
  if (first === '[' || first === '{') {
    if (matchEnd(tooManyBrackets, text, start) !== undefined) throw new NotPlain()
    return collectionAt(text, start)
  }
  if (first === '"' || first === "'") return scalarAt(quotedText, text, start)
  if (first === '-' && /[\s-]/.test(text[start + 1] ?? '\n')) throw new NotPlain()
  return scalarAt(blockPlain, text, start)
}

function collectionAt(text: string, start: number): YamlNode {
  const kind = text[start] === '[' ? 'list' : 'map'
  const close = kind === 'list' ? ']' : '}'
  const entries: YamlEntry[] = []
  let at = pastBlanks(text, start + 1)
  while (text[at] !== close) {
    const entry = kind === 'list' ? itemAt(text, at) : pairAt(text, at)
    entries.push(entry)
    at = pastBlanks(text, entry.end)
    if (text[at] === ',') at = pastBlanks(text, at + 1)
    else if (text[at] !== close) throw new NotPlain()
  }
  return { kind, outer: start, start, end: at + 1, flow: true, entries }
}

function itemAt(text: string, start: number): YamlEntry {
  const value = flowValueAt(text, start)
  return { start, end: value.end, key: undefined, value }
}

function pairAt(text: string, start: number): YamlEntry {
  const node = keyAt(text, start)
  if (node === undefined) throw new NotPlain()
  const colon = node.end + 1
  const value = flowValueAt(text, pastBlanks(text, colon))
  return { start, end: value.end, key: toKey(text, node, colon), value }
}

function flowValueAt(text: string, start: number): YamlNode {
  const first = text[start]
  if (first === '[' || first === '{') return collectionAt(text, start)
  if (first === '-' && !/[\w.]/.test(text[start + 1] ?? '')) throw new NotPlain()
  return scalarAt(first === '"' || first === "'" ? quotedText : flowPlain, text, start)
}

/** A key with its name: source text if plain, value if quoted. */
function toKey(text: string, node: YamlScalar, colon: number): YamlEntry['key'] {
  const isQuoted = /["']/.test(text[node.start] ?? '')
  const name = isQuoted ? String(node.value) : text.slice(node.start, node.end)
  return { name, node, colon, isExplicit: false, isMerge: false }
}

function pastBlanks(text: string, start: number): number {
  let at = start
  while (text[at] === ' ') at += 1
  return at
}

function scalarAt(form: RegExp, text: string, start: number): YamlScalar {
  const end = matchEnd(form, text, start)
  if (end === undefined) throw new NotPlain()
  return scalar(text, start, end)
}

function matchEnd(form: RegExp, text: string, start: number): number | undefined {
  form.lastIndex = start
  return form.test(text) ? form.lastIndex : undefined
}

function scalar(text: string, start: number, end: number): YamlScalar {
  return { kind: 'scalar', outer: start, start, end, isBlock: false, value: parseScalar(text.slice(start, end)) }
}

function parseScalar(raw: string): YamlScalar['value'] {
  if (raw.startsWith("'")) return raw.slice(1, -1).replaceAll("''", "'")
  if (!raw.startsWith('"')) return /^[-+.\d~ntf]/i.test(raw) ? coreValue(raw) : raw
  if (!raw.includes('\\')) return raw.slice(1, -1)
  if (!/^"(?:[^"\\]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"$/.test(raw)) throw new NotPlain()
  return String(JSON.parse(raw))
}

const keywords = new Map<string, null | boolean>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** Value of a plain text in the core schema. */
function coreValue(text: string): YamlScalar['value'] {
  const word = keywords.get(text)
  if (word !== undefined) return word
  if (/^[-+]?\d+$/.test(text)) return Number.parseInt(text, 10)
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8)
  if (/^0x[\da-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16)
  if (/^[-+]?(?:\.\d+|\d+\.\d*|\d+(?=[eE]))(?:[eE][-+]?\d+)?$/.test(text)) return Number.parseFloat(text)
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : text
}

/** A comma or comment between two entries in flow style. */
export type GapToken = Span & { readonly kind: 'comma' | 'comment' }

export function findGaps({ text }: YamlDocument, { start, end, entries }: YamlCollection): GapToken[][] {
  const starts = [start + 1, ...entries.map((entry) => entry.end)]
  const ends = [...entries.map((entry) => entry.start), end - 1]
  return starts.map((from, index) => gapTokens(text, { start: from, end: ends[index] ?? from }))
}

function gapTokens(text: string, { start, end }: Span): GapToken[] {
  const tokens: GapToken[] = []
  for (const { 0: token, index } of text.slice(start, end).matchAll(/,|#[^\r\n]*/g))
    tokens.push({ kind: token === ',' ? 'comma' : 'comment', start: start + index, end: start + index + token.length })
  return tokens
}
