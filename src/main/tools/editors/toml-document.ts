import { err, type Failure, ok, type Result } from '@shared/failure'
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser'
import { memoizeLatest, splitBom } from './editor'
import { buildUnparsableFailure, lineStart, nextLine, type Span } from './text'
import {
  type Collection,
  createScalar,
  type Entry,
  getTableText,
  type Path,
  type TreeDocument,
  type TreeNode,
} from './tree'

/** A key with its value on a separate line. */
export type Pair = Span & { readonly path: Path }

/** A header and the pairs below it. The first table of a document has no header. */
type Table = { readonly path: Path; readonly header: Span | undefined; readonly pairs: readonly Pair[] }

/** A parsed TOML text. */
export type TomlDocument = TreeDocument & { readonly root: Collection; readonly tables: readonly Table[] }

/** Parses TOML. Fails with `file.unparsable`. The failure contains the line number but not its text. */
export const readToml = memoizeLatest((source: string): Result<TomlDocument, Failure> => {
  const { bom, text } = splitBom(source)
  try {
    const { body, comments } = parseTOML(text)
    return ok({
      bom,
      text,
      ...new TreeBuilder(text).build(body[0].body),
      comments: comments.map(({ range }) => toSpan(range)),
    })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return err(buildUnparsableFailure('It is not valid TOML', error.lineNumber))
  }
})

const toSpan = ([start, end]: AST.Range): Span => ({ start, end })

/** A table that headers or dotted keys define, in one or several places. */
type OpenTable = Collection & { readonly entries: Entry[]; readonly path: Path }

/** Lines of a table. `table`: index of the last header in them. */
type Lines = { readonly start: number; end: number; readonly isPart: boolean; table: number }

type OpenEntry = Omit<Entry, 'own' | 'value'> & { readonly value: OpenTable; readonly own: Lines[] }

/** Converts parsed nodes to a tree of settings, whatever the notation of their tables. */
class TreeBuilder {
  readonly #text: string
  readonly #entriesByTable = new Map<OpenTable, Map<string | number, OpenEntry>>()

  constructor(text: string) {
    this.#text = text
  }

  build(nodes: AST.TOMLTopLevelTable['body']): Pick<TomlDocument, 'root' | 'tables'> {
    const root = this.#createTable('map', { start: 0, end: 0 }, [], undefined)
    const topPairs = nodes.filter((node) => node.type === 'TOMLKeyValue')
    const tables: Table[] = [{ path: [], header: undefined, pairs: this.#addPairs(root, topPairs) }]
    for (const node of nodes) if (node.type === 'TOMLTable') tables.push(this.#addTable(root, node, tables.length))
    return { root, tables }
  }

  #addTable(root: OpenTable, { key, kind, resolvedKey: path, body, range }: AST.TOMLTable, index: number): Table {
    const bracket = kind === 'array' ? ']]' : ']'
    const header = { start: range[0], end: this.#text.indexOf(bracket, key.range[1]) + bracket.length }
    const end = nextLine(this.#text, body.at(-1)?.range[1] ?? header.end)
    let table = root
    for (const [depth, name] of path.entries()) {
      const { own, value } = this.#enter(table, name, typeof path[depth + 1] === 'number' ? 'list' : 'map', header)
      const lastLines = own.at(-1)
      if (lastLines?.table === index - 1) Object.assign(lastLines, { end, table: index })
      else own.push({ start: lineStart(this.#text, header.start), end, isPart: false, table: index })
      table = value
    }
    return { path, header, pairs: this.#addPairs(table, body) }
  }

  #addPairs(table: OpenTable, nodes: readonly AST.TOMLKeyValue[]): Pair[] {
    return nodes.map((node) => {
      const [start, end] = node.range
      const names = readNames(node)
      const lines = {
        start: lineStart(this.#text, start),
        end: nextLine(this.#text, end),
        isPart: names.length > 1,
        table: Number.NaN,
      }
      this.#addPair(table, node, [lines])
      return { start, end, path: [...table.path, ...names] }
    })
  }

  #addPair(table: OpenTable, node: AST.TOMLKeyValue, own: Lines[] | undefined): Entry {
    const { start, end } = toSpan(node.range)
    const names = readNames(node)
    let parent = table
    for (const name of names.slice(0, -1)) {
      const entry = this.#enter(parent, name, 'map', { start, end })
      entry.own.push(...(own ?? []))
      parent = entry.value
    }
    const name = names.at(-1) ?? ''
    const value = this.#toNode(node.value, [...parent.path, name])
    const pair = { start, end, key: createKey(name, toSpan(node.key.range), value.start), value, ...(own && { own }) }
    parent.entries.push(pair)
    return pair
  }

  /** The entry of a table. It is added unless it exists. `span`: its first definition. */
  #enter(parent: OpenTable, name: string | number, kind: Collection['kind'], span: Span): OpenEntry {
    const entries = this.#entriesByTable.get(parent) ?? new Map<string | number, OpenEntry>()
    this.#entriesByTable.set(parent, entries)
    const existingEntry = entries.get(name)
    if (existingEntry !== undefined) return existingEntry
    const value = this.#createTable(kind, span, [...parent.path, name], parent.brackets)
    const key = typeof name === 'number' ? undefined : createKey(name, { start: span.start, end: span.start })
    const entry = { ...span, key, value, own: [] }
    entries.set(name, entry)
    parent.entries.push(entry)
    return entry
  }

  #createTable(
    kind: Collection['kind'],
    { start, end }: Span,
    path: Path,
    brackets: Collection['brackets'],
  ): OpenTable {
    const entries: Entry[] = []
    const flow = brackets !== undefined
    const toText = (): string => this.#formatTable(kind, entries)
    return { kind, flow, outer: start, start, end, entries, path, toText, ...(brackets && { brackets }) }
  }

  /** Text of a table that is not in one place, as an inline table. */
  #formatTable(kind: Collection['kind'], entries: readonly Entry[]): string {
    const texts = entries.map(({ key, value }) => {
      const text = getTableText(value) ?? this.#text.slice(value.start, value.end)
      return key === undefined ? text : formatPair([key.name], text)
    })
    return kind === 'list' ? `[${texts.join(', ')}]` : formatInlineTable(texts)
  }

  #toNode(node: AST.TOMLContentNode, path: Path): TreeNode {
    const { start, end } = toSpan(node.range)
    if (node.type === 'TOMLValue') return createScalar(readScalar(node), { start, end })
    const list = { kind: 'list', flow: true, outer: start, start, end } as const
    if (node.type === 'TOMLArray') {
      const values = node.elements.map((element, index) => this.#toNode(element, [...path, index]))
      return {
        ...list,
        entries: values.map((value) => ({ start: value.start, end: value.end, key: undefined, value })),
      }
    }
    const pairs: Entry[] = []
    const table: OpenTable = { ...list, kind: 'map', entries: [], path, brackets: { start, end, entries: pairs, path } }
    for (const pair of node.body) pairs.push(this.#addPair(table, pair, undefined))
    return table
  }
}

const readNames = ({ key }: AST.TOMLKeyValue): string[] =>
  key.keys.map((keyPart) => (keyPart.type === 'TOMLBare' ? keyPart.name : keyPart.value))

const createKey = (name: string, span: Span, colon = span.end) => ({
  name,
  node: createScalar(name, span),
  colon,
  isExplicit: false,
  isMerge: false,
})

/** JSON value. Values without a JSON form (dates, infinity, long numbers) become their source text. */
function readScalar(node: AST.TOMLValue): string | number | boolean {
  if (node.kind === 'string' || node.kind === 'boolean') return node.value
  if (node.kind === 'integer') return Number.isSafeInteger(node.value) ? node.value : node.number
  if (node.kind === 'float') return Number.isFinite(node.value) ? node.value : node.number
  return node.datetime
}

export const startsWith = (path: Path, start: Path): boolean => start.every((name, index) => path[index] === name)

export const formatKeyPath = (path: Path): string =>
  path.map((name) => (/^[\w-]+$/.test(String(name)) ? name : quoteToml(String(name)))).join('.')

export const formatPair = (path: Path, raw: string): string => `${formatKeyPath(path)} = ${raw}`

export const formatInlineTable = (pairs: readonly string[]): string =>
  pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`

export const quoteToml = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f')
