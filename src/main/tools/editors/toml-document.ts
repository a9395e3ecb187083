import { err, type Failure, ok, type Result } from '@shared/failure'
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser'
import { isJsonObject, type Json, memoizeBySubject, memoizeLatest, requireValue, splitBom } from './editor'
import { buildUnparsableFailure, type Span } from './text'

/** Path of names. Elements in an array of tables are identified by their index. */
export type Path = readonly (string | number)[]

/** A key with its value, on a separate line or in an inline table. */
export type Pair = Span & { readonly path: Path; readonly value: AST.TOMLContentNode }

/** A header and the pairs below it. The first table of a document has no header. */
export type Table = {
  readonly path: Path
  readonly header?: Span & { readonly isList: boolean }
  readonly pairs: readonly Pair[]
}

/** A parsed TOML text. Offsets start after the byte order mark. */
export type TomlDocument = {
  readonly bom: string
  readonly text: string
  readonly tables: readonly [Table, ...Table[]]
  readonly comments: readonly Span[]
}

/** Parses TOML. Fails with `file.unparsable`. The failure contains the line number but not its text. */
export const readToml = memoizeLatest((source: string): Result<TomlDocument, Failure> => {
  const { bom, text } = splitBom(source)
  try {
    const { body, comments } = parseTOML(text)
    const top = body[0].body
    const root: Table = {
      path: [],
      pairs: readPairs(
        top.filter((node) => node.type === 'TOMLKeyValue'),
        [],
      ),
    }
    const otherTables = top.flatMap((node) => (node.type === 'TOMLTable' ? [toTable(text, node)] : []))
    return ok({ bom, text, tables: [root, ...otherTables], comments: comments.map(({ range }) => toSpan(range)) })
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return err(buildUnparsableFailure('It is not valid TOML', error.lineNumber))
  }
})

export const requireToml = (source: string): TomlDocument => requireValue(readToml(source))

const toSpan = ([start, end]: AST.Range): Span => ({ start, end })

function toTable(text: string, { key, kind, resolvedKey, body, range: [start] }: AST.TOMLTable): Table {
  const isList = kind === 'array'
  const end = text.indexOf(isList ? ']]' : ']', key.range[1]) + (isList ? 2 : 1)
  return { path: resolvedKey, header: { start, end, isList }, pairs: readPairs(body, resolvedKey) }
}

/** Pairs of a table. Each path starts with `parent`. */
export function readPairs(nodes: readonly AST.TOMLKeyValue[], parent: Path): Pair[] {
  return nodes.map(({ key, value, range }) => {
    const names = key.keys.map((keyPart) => (keyPart.type === 'TOMLBare' ? keyPart.name : keyPart.value))
    return { ...toSpan(range), path: [...parent, ...names], value }
  })
}

export const pathKey = (path: Path): string => JSON.stringify(path)

/** Pairs in an inline table. Undefined if the value is not an inline table. */
export const inlinePairs = ({ path, value }: Pair): readonly Pair[] | undefined =>
  value.type === 'TOMLInlineTable' ? readPairs(value.body, path) : undefined

const indexLines = memoizeBySubject(
  ({ tables }: TomlDocument) =>
    new Map(tables.flatMap(({ pairs }) => pairs.map((pair) => [pathKey(pair.path), pair] as const))),
)

export function findPair(document: TomlDocument, path: Path): Pair | undefined {
  const lines = indexLines(document)
  const findPairByPath = (pairs: readonly Pair[]): Pair | undefined => {
    const pair = pairs.find((candidate) => startsWith(path, candidate.path))
    return pair === undefined || pair.path.length === path.length ? pair : findPairByPath(inlinePairs(pair) ?? [])
  }
  return (
    lines.get(pathKey(path)) ??
    findPairByPath(path.flatMap((_, depth) => lines.get(pathKey(path.slice(0, depth))) ?? []))
  )
}

type Branch = Map<string | number, Branch | Json>

export const tomlToJson = memoizeBySubject(({ tables }: TomlDocument): Json & object => {
  const root: Branch = new Map()
  for (const { path, pairs } of tables) {
    getBranch(root, path)
    for (const pair of pairs)
      getBranch(root, pair.path.slice(0, -1)).set(pair.path.at(-1) ?? '', tomlValueToJson(pair.value))
  }
  const settings = branchToJson(root)
  return isJsonObject(settings) ? settings : {}
})

function getBranch(root: Branch, path: Path): Branch {
  return path.reduce<Branch>((branch, name) => {
    const existingBranch = branch.get(name)
    if (existingBranch instanceof Map) return existingBranch
    const newBranch: Branch = new Map()
    branch.set(name, newBranch)
    return newBranch
  }, root)
}

function branchToJson(branch: Branch): Json {
  const entries = [...branch].map(
    ([name, value]) => [name, value instanceof Map ? branchToJson(value) : value] as const,
  )
  const isList = entries.length > 0 && entries.every(([name]) => typeof name === 'number')
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

/** JSON value. Values without a JSON form (dates, infinity, long numbers) become their source text. */
export function tomlValueToJson(node: AST.TOMLContentNode): Json {
  if (node.type === 'TOMLArray') return node.elements.map(tomlValueToJson)
  if (node.type === 'TOMLInlineTable') {
    const root: Branch = new Map()
    for (const { path, value } of readPairs(node.body, []))
      getBranch(root, path.slice(0, -1)).set(path.at(-1) ?? '', tomlValueToJson(value))
    return branchToJson(root)
  }
  if (node.kind === 'string' || node.kind === 'boolean') return node.value
  if (node.kind === 'integer') return Number.isSafeInteger(node.value) ? node.value : node.number
  if (node.kind === 'float') return Number.isFinite(node.value) ? node.value : node.number
  return node.datetime
}

export const startsWith = (path: Path, start: Path): boolean => start.every((name, index) => path[index] === name)
