import { err, type Failure, ok, type Result } from '@shared/failure'
import { Composer, type CST, type Document, Parser } from 'yaml'
import { memoizeLatest, splitBom } from './editor'
import { buildUnparsableFailure, getLineNumber, lineEnd, nextLine, type Span } from './json-document'
import {
  buildYamlParts,
  MisplacedError,
  type YamlCollection,
  type YamlEntry,
  type YamlNode,
  type YamlParts,
  type YamlScalar,
  yamlToJson,
} from './yaml-node'

/** Length in characters from which simple texts are parsed without the library, which takes seconds for megabytes. */
const MIN_LONG_LENGTH = 200_000

/** Nesting limit: the library is recursive, and a stack overflow can end the process. */
const MAX_DEPTH = 200

const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const

/** Parses a text with positions. Throws `RefusedError` for invalid YAML or several documents. */
function parseParts(text: string): YamlParts {
  const linesOfLongText = text.length < MIN_LONG_LENGTH ? undefined : readLines(text)
  return linesOfLongText ?? buildYamlParts(text, parseTokens(text))
}

function parseTokens(text: string): Document.Parsed {
  const tokens = [...new Parser().parse(text)]
  for (const token of tokens) rejectDeepNesting(token)
  const [document, second] = [...new Composer(options).compose(tokens, true, text.length)]
  const error = document?.errors[0]
  if (error !== undefined) throw new RefusedError(reasons[error.code] ?? 'It is not valid YAML', error.pos[0])
  if (second !== undefined) throw new RefusedError('It holds several documents', second.range[0])
  if (document === undefined) throw new RefusedError('It is not valid YAML', 0)
  return document
}

const reasons: { readonly [code: string]: string } = { TAB_AS_INDENT: 'It is indented with tabs' }

function rejectDeepNesting(root: CST.Token): void {
  const pendingTokens: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let pendingToken = pendingTokens.pop(); pendingToken !== undefined; pendingToken = pendingTokens.pop()) {
    const { token, depth } = pendingToken
    if (depth > MAX_DEPTH) throw new RefusedError('It is nested too deeply', 'offset' in token ? token.offset : 0)
    for (const childToken of listChildTokens(token)) pendingTokens.push({ token: childToken, depth: depth + 1 })
  }
}

function listChildTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value]
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return []
  return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat())
}

class RefusedError extends Error {
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

/** Parses the text. Fails with `file.unparsable`. The failure contains the line number but not its text. */
export const parseYamlDocument = memoizeLatest((source: string): Result<YamlDocument, Failure> => {
  const { bom, text } = splitBom(source)
  try {
    const loneCarriageReturn = /\r(?!\n)/.exec(text)
    if (loneCarriageReturn !== null)
      return err(
        buildUnparsableFailure(
          'It has a carriage return that ends no line',
          getLineNumber(text, loneCarriageReturn.index),
        ),
      )
    const { root, comments, targets } = parseParts(text)
    if (root !== undefined && root.kind !== 'map')
      return err(buildUnparsableFailure('It does not hold a mapping', getLineNumber(text, root.outer)))
    if (root !== undefined) requireUniqueKeys(root)
    if (root !== undefined && targets.size > 0) yamlToJson(root)
    return ok({ bom, text, root, comments, targets })
  } catch (error) {
    if (error instanceof RefusedError)
      return err(
        buildUnparsableFailure(error.message, getLineNumber(text, Math.min(error.offset, text.trimEnd().length))),
      )
    if (error instanceof MisplacedError)
      return err(buildUnparsableFailure('It is not valid YAML', getLineNumber(text, error.offset)))
    if (error instanceof RangeError) return err(buildUnparsableFailure('It repeats too much', 1))
    throw error
  }
})

/** Rejects duplicate names in a mapping, because parsers disagree on which one counts. */
function requireUniqueKeys(node: YamlNode): void {
  if (node.kind !== 'map' && node.kind !== 'list') return
  const names = node.kind === 'map' && node.entries.length > 1 ? new Set<string>() : undefined
  for (const { key, start, value } of node.entries) {
    if (key !== undefined && names?.has(key.name)) throw new RefusedError('A setting appears twice', start)
    if (key !== undefined) names?.add(key.name)
    requireUniqueKeys(value)
  }
}

/**
 * Fast parser for simple YAML: lines with keys, dashes and single-line values. Returns undefined for any other syntax
 * and for errors.
 */
export function readLines(text: string): YamlParts | undefined {
  if (/\t|^(?:---|\.\.\.|%)/m.test(text)) return undefined
  const reader = new LineReader(text)
  try {
    for (let lineOffset = 0; lineOffset < text.length; lineOffset = nextLine(text, lineOffset))
      reader.readLine(lineOffset)
    reader.finish()
  } catch (error) {
    if (error instanceof NotPlainYamlError) return undefined
    throw error
  }
  return { root: reader.root, comments: reader.comments, targets: new Set() }
}

/** Maximum line length in characters. Matching a longer line could overflow the stack of a regular expression. */
const MAX_LINE_LENGTH = 10_000

const MAX_PLAIN_DEPTH = 100

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type UnfinishedEntry = Mutable<YamlEntry>
type UnfinishedNode = Mutable<Omit<YamlCollection, 'entries'>> & { entries: UnfinishedEntry[] }
type OpenContainer = { readonly column: number; readonly node: UnfinishedNode }

class LineReader {
  readonly comments: Span[] = []
  root: YamlNode | undefined
  readonly #open: OpenContainer[] = []

  constructor(readonly text: string) {}

  readLine(line: number): void {
    const { text } = this
    const stop = lineEnd(text, line)
    if (stop - line > MAX_LINE_LENGTH) throw new NotPlainYamlError()
    let position = skipBlanks(text, line)
    if (this.#isRestBlank(position, stop)) return
    this.#close(position - line, text[position] === '-' && isGap(text[position + 1]))
    while (text[position] === '-' && isGap(text[position + 1])) {
      const dash = position
      position = skipBlanks(text, position + 1)
      this.#add(dash - line, 'list', { start: dash, end: dash + 1, key: undefined, value: createEmptyNode(dash + 1) })
      if (this.#isRestBlank(position, stop)) return
    }
    const key = readKey(text, position)
    if (key === undefined) {
      if (this.#open.at(-1)?.node.kind !== 'list' || !/[ -]/.test(text[position - 1] ?? ''))
        throw new NotPlainYamlError()
      this.#settle(readValueAt(text, position), stop)
      return
    }
    const colonEnd = key.end + 1
    this.#add(position - line, 'map', {
      start: position,
      end: colonEnd,
      key: toKey(text, key, colonEnd),
      value: createEmptyNode(colonEnd),
    })
    position = skipBlanks(text, colonEnd)
    if (!this.#isRestBlank(position, stop)) this.#settle(readValueAt(text, position), stop)
  }

  finish(): void {
    this.#close(-1, false)
  }

  /** Whether only a comment follows on a line. */
  #isRestBlank(position: number, stop: number): boolean {
    if (position >= stop) return true
    if (this.text[position] !== '#') return false
    if (position > 0 && isNotGap(this.text[position - 1])) throw new NotPlainYamlError()
    this.comments.push({ start: position, end: stop })
    return true
  }

  #close(column: number, isItem: boolean): void {
    for (let top = this.#open.at(-1); top !== undefined; top = this.#open.at(-1)) {
      if (top.column < column || (top.column === column && (isItem || top.node.kind === 'map'))) return
      this.#open.pop()
      const holder = this.#open.at(-1)?.node
      if (holder !== undefined) setNodeEnd(holder, top.node.end)
    }
  }

  #add(column: number, kind: 'map' | 'list', entry: UnfinishedEntry): void {
    const top = this.#open.at(-1)
    if (top?.column === column && top.node.kind === kind) {
      top.node.entries.push(entry)
      setNodeEnd(top.node, entry.end)
      return
    }
    const node = { kind, outer: entry.start, start: entry.start, end: entry.end, flow: false, entries: [entry] }
    const holder = top?.node.entries.at(-1)
    if (top === undefined) {
      if (this.root !== undefined || kind !== 'map' || column !== 0) throw new NotPlainYamlError()
      this.root = node
    } else {
      const isNestedInTop = column > top.column || (column === top.column && kind === 'list' && top.node.kind === 'map')
      if (holder === undefined || !isNestedInTop || !isEmpty(holder.value)) throw new NotPlainYamlError()
      holder.value = node
    }
    this.#open.push({ column, node })
    if (this.#open.length > MAX_PLAIN_DEPTH) throw new NotPlainYamlError()
  }

  /** Sets the value of the last entry. Throws if anything except a comment follows on its line. */
  #settle(value: YamlNode, stop: number): void {
    const top = this.#open.at(-1)?.node
    const entry = top?.entries.at(-1)
    if (top === undefined || entry === undefined || !isEmpty(entry.value)) throw new NotPlainYamlError()
    const nextTokenOffset = skipBlanks(this.text, value.end)
    if (nextTokenOffset < stop && (this.text[nextTokenOffset] !== '#' || nextTokenOffset === value.end))
      throw new NotPlainYamlError()
    this.#isRestBlank(nextTokenOffset, stop)
    entry.value = value
    entry.end = value.end
    setNodeEnd(top, value.end)
  }
}

/** Sets the end of a collection, and of its last entry. */
function setNodeEnd(node: UnfinishedNode, endOffset: number): void {
  node.end = endOffset
  const lastEntry = node.entries.at(-1)
  if (lastEntry !== undefined) lastEntry.end = endOffset
}

const createEmptyNode = (offset: number): YamlNode => ({
  kind: 'scalar',
  outer: offset,
  start: offset,
  end: offset,
  isBlock: false,
  value: null,
})

const isEmpty = (node: YamlNode): boolean => node.kind === 'scalar' && node.end === node.start

const isGap = (character: string | undefined): boolean =>
  character === undefined || character === ' ' || character === '\r' || character === '\n'

const isNotGap = (character: string | undefined): boolean => !isGap(character)

class NotPlainYamlError extends Error {}

/** Matches 100 opening brackets on one line. Such a line may be nested too deeply for the recursive parser. */
const bracketLimitPattern = /(?:[[{][^[{\n]*){100}/y

const quotedText = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\n]|'')*'/y
const keyText = /(?:[\w./$][\w./$@+-]*|"[^"\\\n]*"|'[^'\n]*')(?=:(?:[ \r\n]|$))/y
const blockScalarPattern = /[\w./$~+(=\u00a0-\ufeff-](?:[^\s#:]|:(?=\S)|(?<=\S)#| +(?=[^\s#]))*/y
const flowScalarPattern = /[\w./$~+(=-](?:[^\s#:,[\]{}"'&*!|>%@`?]|:(?=[^\s,[\]{}])| +(?=[^\s#,[\]{}:]))*/y

function readKey(text: string, start: number): YamlScalar | undefined {
  const end = matchEnd(keyText, text, start)
  return end === undefined || end - start > 1000 ? undefined : scalar(text, start, end)
}

/** Parses the value on a single line that starts at this offset. Throws `NotPlainYamlError` for other syntax. */
function readValueAt(text: string, start: number): YamlNode {
  const firstCharacter = text[start]
  if (firstCharacter === '[' || firstCharacter === '{') {
    if (matchEnd(bracketLimitPattern, text, start) !== undefined) throw new NotPlainYamlError()
    return readCollection(text, start)
  }
  if (firstCharacter === '"' || firstCharacter === "'") return readScalar(quotedText, text, start)
  if (firstCharacter === '-' && /[\s-]/.test(text[start + 1] ?? '\n')) throw new NotPlainYamlError()
  return readScalar(blockScalarPattern, text, start)
}

function readCollection(text: string, start: number): YamlNode {
  const kind = text[start] === '[' ? 'list' : 'map'
  const closingBracket = kind === 'list' ? ']' : '}'
  const entries: YamlEntry[] = []
  let position = skipBlanks(text, start + 1)
  while (text[position] !== closingBracket) {
    const entry = kind === 'list' ? readItem(text, position) : findPair(text, position)
    entries.push(entry)
    position = skipBlanks(text, entry.end)
    if (text[position] === ',') position = skipBlanks(text, position + 1)
    else if (text[position] !== closingBracket) throw new NotPlainYamlError()
  }
  return { kind, outer: start, start, end: position + 1, flow: true, entries }
}

function readItem(text: string, start: number): YamlEntry {
  const value = readFlowValue(text, start)
  return { start, end: value.end, key: undefined, value }
}

function findPair(text: string, start: number): YamlEntry {
  const node = readKey(text, start)
  if (node === undefined) throw new NotPlainYamlError()
  const colonEnd = node.end + 1
  const value = readFlowValue(text, skipBlanks(text, colonEnd))
  return { start, end: value.end, key: toKey(text, node, colonEnd), value }
}

function readFlowValue(text: string, start: number): YamlNode {
  const firstCharacter = text[start]
  if (firstCharacter === '[' || firstCharacter === '{') return readCollection(text, start)
  if (firstCharacter === '-' && !/[\w.]/.test(text[start + 1] ?? '')) throw new NotPlainYamlError()
  return readScalar(firstCharacter === '"' || firstCharacter === "'" ? quotedText : flowScalarPattern, text, start)
}

/** Parses a key. Its name is the source text of a plain key, or the value of a quoted key. */
function toKey(text: string, node: YamlScalar, colon: number): YamlEntry['key'] {
  const isQuoted = /["']/.test(text[node.start] ?? '')
  const name = isQuoted ? String(node.value) : text.slice(node.start, node.end)
  return { name, node, colon, isExplicit: false, isMerge: false }
}

function skipBlanks(text: string, start: number): number {
  let position = start
  while (text[position] === ' ') position += 1
  return position
}

function readScalar(form: RegExp, text: string, start: number): YamlScalar {
  const end = matchEnd(form, text, start)
  if (end === undefined) throw new NotPlainYamlError()
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
  if (!raw.startsWith('"')) return /^[-+.\d~ntf]/i.test(raw) ? parseCoreValue(raw) : raw
  if (!raw.includes('\\')) return raw.slice(1, -1)
  if (!/^"(?:[^"\\]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"$/.test(raw)) throw new NotPlainYamlError()
  return String(JSON.parse(raw))
}

const keywords = new Map<string, null | boolean>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** Value of a plain text in the core schema. */
function parseCoreValue(text: string): YamlScalar['value'] {
  const keyword = keywords.get(text)
  if (keyword !== undefined) return keyword
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
  const entryStarts = [start + 1, ...entries.map((entry) => entry.end)]
  const gapEnds = [...entries.map((entry) => entry.start), end - 1]
  return entryStarts.map((entryStart, index) =>
    listGapTokens(text, { start: entryStart, end: gapEnds[index] ?? entryStart }),
  )
}

function listGapTokens(text: string, { start, end }: Span): GapToken[] {
  const tokens: GapToken[] = []
  for (const { 0: token, index } of text.slice(start, end).matchAll(/,|#[^\r\n]*/g))
    tokens.push({ kind: token === ',' ? 'comma' : 'comment', start: start + index, end: start + index + token.length })
  return tokens
}
