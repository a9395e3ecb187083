import { err, type Failure, ok, type Result } from '@shared/failure'
import { type JSONVisitor, visit } from 'jsonc-parser'
import { memoizeLatest, splitBom } from './editor'
import { buildUnparsableFailure, getLineNumber, type Span } from './text'
import type { Collection, Entry, ScalarNode, TreeDocument, TreeNode } from './tree'

/** A parsed JSON text, with the comments and trailing commas that strict JSON does not allow, in text order. */
export type JsonDocument = TreeDocument & { readonly trailingCommas: readonly Span[] }

class JsonFault extends Error {
  constructor(
    readonly offset: number,
    problem: string,
  ) {
    super(problem)
  }
}

/** Nesting limit, because functions that walk the tree are recursive. */
const MAX_DEPTH = 1000

/** An object or list whose end is not read yet. `key`: name of the next value in an object. */
type OpenContainer = { readonly start: number; readonly entries: Entry[]; key?: ScalarNode }

const createScalar = (value: ScalarNode['value'], start: number, length: number): ScalarNode => ({
  kind: 'scalar',
  outer: start,
  start,
  end: start + length,
  isBlock: false,
  value,
})

/** Parses JSON with comments and trailing commas. Throws a `JsonFault`. */
function readJson(text: string): Omit<JsonDocument, 'bom' | 'text'> {
  const comments: Span[] = []
  const trailingCommas: Span[] = []
  const openContainers: OpenContainer[] = []
  let root: TreeNode | undefined
  let comma: Span | undefined
  const begin = (start: number): void => {
    comma = undefined
    openContainers.push({ start, entries: [] })
    if (openContainers.length > MAX_DEPTH) throw new JsonFault(start, 'It is nested too deeply')
  }
  const add = (value: TreeNode): void => {
    comma = undefined
    const { entries, key: node } = openContainers.at(-1) ?? {}
    const { start, end } = value
    if (entries === undefined) root = value
    else if (node === undefined) entries.push({ start, end, key: undefined, value })
    else {
      const key = { name: String(node.value), node, colon: start, isExplicit: false, isMerge: false }
      entries.push({ start: node.start, end, key, value })
    }
  }
  const leave = (kind: Collection['kind'], end: number): void => {
    if (comma !== undefined) trailingCommas.push(comma)
    const { start = 0, entries = [] } = openContainers.pop() ?? {}
    add({ kind, outer: start, start, end, flow: true, entries })
  }
  const visitor: JSONVisitor = {
    onObjectBegin: begin,
    onObjectProperty: (name, start, length) => {
      comma = undefined
      const parent = openContainers.at(-1)
      if (parent !== undefined) parent.key = createScalar(name, start, length)
    },
    onObjectEnd: (offset, length) => leave('map', offset + length),
    onArrayBegin: begin,
    onArrayEnd: (offset, length) => leave('list', offset + length),
    onLiteralValue: (value: ScalarNode['value'], start, length) => add(createScalar(value, start, length)),
    onSeparator: (character, start) => {
      if (character === ',') comma = { start, end: start + 1 }
    },
    onComment: (start, length) => void comments.push({ start, end: start + length }),
    onError: (_code, offset) => {
      throw new JsonFault(offset, 'It is not valid JSON')
    },
  }
  visit(text, visitor, { allowTrailingComma: true, allowEmptyContent: true })
  return { root, comments, trailingCommas }
}

/** Syntax of the tool's parser. `strict`: no comments or trailing commas. `lists`: also a list at the root. */
export type SyntaxOptions = { readonly strict: boolean; readonly lists?: true }

/** Parses the text. Fails with `file.unparsable` or `file.notStrict` and the line number, without the line's text. */
export function parseDocument(source: string, { strict, lists }: SyntaxOptions): Result<JsonDocument, Failure> {
  const document = parseCached(source)
  if (!document.ok) return document
  const { root, text } = document.value
  if (root?.kind === 'scalar' || (root?.kind === 'list' && !lists))
    return err(buildUnparsableFailure('It does not hold a JSON object', getLineNumber(text, root.start)))
  return strict ? requireStrictSyntax(document.value) : document
}

const parseCached = memoizeLatest((source: string): Result<JsonDocument, Failure> => {
  const { bom, text } = splitBom(source)
  try {
    return ok({ bom, text, ...readJson(text) })
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    return err(buildUnparsableFailure(error.message, getLineNumber(text, error.offset)))
  }
})

function requireStrictSyntax(document: JsonDocument): Result<JsonDocument, Failure> {
  const { text, comments, trailingCommas } = document
  const relaxedSyntaxOffsets = [comments[0], trailingCommas[0]].flatMap((span) =>
    span === undefined ? [] : [span.start],
  )
  if (relaxedSyntaxOffsets.length === 0) return ok(document)
  const line = getLineNumber(text, Math.min(...relaxedSyntaxOffsets))
  const message = `Its tool reads strict JSON, and there is a comment or a trailing comma in line ${line}.`
  return err({ code: 'file.notStrict', message, line })
}
