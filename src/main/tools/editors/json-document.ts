import { err, type Failure, ok, type Result } from '@shared/failure'
import { type JSONVisitor, visit } from 'jsonc-parser'
import { type Json, memoizeLatest, splitBom } from './editor'

export type Span = { readonly start: number; readonly end: number }

export type Node = ObjectNode | ListNode | LiteralNode
type ObjectNode = Span & { readonly type: 'object'; readonly members: readonly Member[] }
type ListNode = Span & { readonly type: 'list'; readonly items: readonly Node[] }
type LiteralNode = Span & { readonly type: 'literal'; readonly value: null | boolean | number | string }

export type Container = ObjectNode | ListNode

/** A parsed property, from its name to the end of its value. */
export type Member = Span & { readonly name: string; readonly nameEnd: number; readonly value: Node }

/** Properties of an object in text order. Empty for other nodes. */
export function listMembers(node: Node | undefined): readonly Member[] {
  return node?.type === 'object' ? node.members : []
}

export function listItems(node: Node | undefined): readonly Node[] {
  return node?.type === 'list' ? node.items : []
}

/** Ranges of the properties or elements. */
export function listEntries(container: Container): readonly (Member | Node)[] {
  return container.type === 'object' ? container.members : container.items
}

export const findMembers = (node: Node | undefined, name: string): Member[] =>
  listMembers(node).filter((member) => member.name === name)

/** The last property of this name, which is the one that parsers use. */
export const findMember = (node: Node | undefined, name: string): Member | undefined =>
  listMembers(node).findLast((member) => member.name === name)

/** JSON value of a node. Treats `__proto__` as an ordinary property. */
export function nodeToJson(node: Node): Json {
  switch (node.type) {
    case 'object':
      return Object.fromEntries(node.members.map(({ name, value }) => [name, nodeToJson(value)]))
    case 'list':
      return node.items.map(nodeToJson)
    case 'literal':
      return node.value
  }
}

/** Parsed JSON, with the comments and trailing commas that strict JSON does not allow, in text order. */
type ParsedJson = {
  readonly root: Node | undefined
  readonly comments: readonly Span[]
  readonly trailingCommas: readonly Span[]
}

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

/** An object or list whose end is not read yet. `property`: name of the next value in an object. */
type OpenContainer = {
  readonly start: number
  readonly members: Member[]
  readonly items: Node[]
  property?: Pick<Member, 'name' | 'start' | 'nameEnd'>
}

/** Parses JSON with comments and trailing commas. Throws a `JsonFault`. */
function readJson(text: string): ParsedJson {
  const comments: Span[] = []
  const trailingCommas: Span[] = []
  const openContainers: OpenContainer[] = []
  let root: Node | undefined
  let comma: Span | undefined
  const begin = (start: number): void => {
    comma = undefined
    openContainers.push({ start, members: [], items: [] })
    if (openContainers.length > MAX_DEPTH) throw new JsonFault(start, 'It is nested too deeply')
  }
  const add = (node: Node): void => {
    comma = undefined
    const parent = openContainers.at(-1)
    if (parent === undefined) root = node
    else if (parent.property === undefined) parent.items.push(node)
    else parent.members.push({ ...parent.property, end: node.end, value: node })
  }
  const end = (type: Container['type'], endOffset: number): void => {
    if (comma !== undefined) trailingCommas.push(comma)
    const { start = 0, members = [], items = [] } = openContainers.pop() ?? {}
    add(type === 'object' ? { type, start, end: endOffset, members } : { type, start, end: endOffset, items })
  }
  const visitor: JSONVisitor = {
    onObjectBegin: begin,
    onObjectProperty: (name, start, length) => {
      comma = undefined
      const parent = openContainers.at(-1)
      if (parent !== undefined) parent.property = { name, start, nameEnd: start + length }
    },
    onObjectEnd: (offset, length) => end('object', offset + length),
    onArrayBegin: begin,
    onArrayEnd: (offset, length) => end('list', offset + length),
    onLiteralValue: (value: LiteralNode['value'], start, length) =>
      add({ type: 'literal', start, end: start + length, value }),
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

/** A parsed JSON text. Offsets start after the byte order mark. A blank text has no `root`. */
export type JsonDocument = ParsedJson & { readonly bom: string; readonly text: string }

/**
 * Syntax that the tool's parser accepts. `strict`: no comments and trailing commas. `lists`: also a list at the root.
 */
export type SyntaxOptions = { readonly strict: boolean; readonly lists?: true }

/**
 * Parses the text. Fails with `file.unparsable` or `file.notStrict`. The failure contains the line number but not its
 * text.
 */
export function parseDocument(source: string, { strict, lists }: SyntaxOptions): Result<JsonDocument, Failure> {
  const document = parseCached(source)
  if (!document.ok) return document
  const { root, text } = document.value
  if (root?.type === 'literal' || (root?.type === 'list' && !lists))
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

export const buildUnparsableFailure = (problem: string, line: number): Failure => ({
  code: 'file.unparsable',
  message: `${problem} (line ${line}). Correct that line and try again.`,
  line,
})

export function getLineNumber(text: string, offset: number): number {
  let line = 1
  for (let position = 0; position < offset; position += 1) {
    const character = text[position]
    if (character === '\n' || (character === '\r' && (text[position + 1] !== '\n' || position + 1 === offset)))
      line += 1
  }
  return line
}

/** End of the line before its line break (`\n` or `\r\n`). */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end === -1) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

export function lineStart(text: string, offset: number): number {
  let start = offset
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1
  return start
}

/** Offset where the blanks before another offset start. `blanks`: characters that count as blanks. */
export function findWhitespaceStart(text: string, offset: number, blanks = ' \t'): number {
  let start = offset
  while (start > 0 && blanks.includes(text[start - 1] ?? '|')) start -= 1
  return start
}

export function findWhitespaceEnd(text: string, offset: number): number {
  let end = offset
  while (text[end] === ' ' || text[end] === '\t') end += 1
  return end
}

export function isFirstInLine(text: string, offset: number): boolean {
  const start = findWhitespaceStart(text, offset)
  return start === 0 || text[start - 1] === '\n' || text[start - 1] === '\r'
}

function requireStrictSyntax(document: JsonDocument): Result<JsonDocument, Failure> {
  const { text, comments, trailingCommas } = document
  const relaxedSyntaxOffsets = [comments[0], trailingCommas[0]].flatMap((span) =>
    span === undefined ? [] : [span.start],
  )
  return relaxedSyntaxOffsets.length === 0
    ? ok(document)
    : err(createNotStrictFailure(getLineNumber(text, Math.min(...relaxedSyntaxOffsets))))
}

const createNotStrictFailure = (line: number): Failure => ({
  code: 'file.notStrict',
  message: `Its tool reads strict JSON, and there is a comment or a trailing comma in line ${line}.`,
  line,
})
