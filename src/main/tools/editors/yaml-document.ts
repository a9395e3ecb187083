import { err, type Failure, ok, type Result } from '@shared/failure'
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Parser,
  Scalar,
  type YAMLMap,
} from 'yaml'
import { memoizeLatest, splitBom } from './editor'
import { buildUnparsableFailure, getLineNumber, lineEnd, type Span } from './text'
import { type Collection, type Entry, type Key, mergedMaps, nodeToJson, type TreeDocument, type TreeNode } from './tree'

/** Nesting limit: the library is recursive, and a stack overflow can end the process. */
const MAX_DEPTH = 200

const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const

/** Parses a text with the library. Throws `RefusedError` for invalid YAML or several documents. */
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

/** A parsed YAML text. `targets`: nodes to which aliases refer. */
export type YamlDocument = TreeDocument & {
  readonly root: Collection | undefined
  readonly targets: ReadonlySet<TreeNode>
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
    const { root, comments, targets } = buildYamlParts(text, parseTokens(text))
    if (root !== undefined && root.kind !== 'map')
      return err(buildUnparsableFailure('It does not hold a mapping', getLineNumber(text, root.outer)))
    if (root !== undefined) requireUniqueKeys(root)
    if (root !== undefined && targets.size > 0) nodeToJson(root)
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
function requireUniqueKeys(node: TreeNode): void {
  if (node.kind !== 'map' && node.kind !== 'list') return
  const names = node.kind === 'map' && node.entries.length > 1 ? new Set<string>() : undefined
  for (const { key, start, value } of node.entries) {
    if (key !== undefined && names?.has(key.name)) throw new RefusedError('A setting appears twice', start)
    if (key !== undefined) names?.add(key.name)
    requireUniqueKeys(value)
  }
}

/** Reads a text that the parser accepted, to find positions, and collects the comments. */
class YamlCursor {
  at = 0
  readonly comments: Span[] = []

  constructor(readonly text: string) {}

  /** Skips blanks, line breaks, comments and characters in `also`, such as the comma in flow style. */
  skipGap(also = ''): void {
    for (;;) {
      const character = this.text[this.at]
      if (character === '#') {
        const start = this.at
        this.at = lineEnd(this.text, start)
        this.comments.push({ start, end: this.at })
      } else if (character !== undefined && (' \t\r\n'.includes(character) || character === also)) this.at += 1
      else return
    }
  }

  /** Skips the anchor and tag of a collection. `count` limits them: further ones belong to its first key. */
  skipProperties(count: number): number {
    let end = this.at
    for (let remainingCount = count; remainingCount > 0 && /[&!]/.test(this.text[this.at] ?? ''); remainingCount -= 1) {
      const property = /!<[^>]*>|[&!][^\s,[\]{}]*/y
      property.lastIndex = this.at
      property.test(this.text)
      end = property.lastIndex
      this.at = end
      this.skipGap()
    }
    return end
  }

  /** Skips a required token. Throws if it is missing, which means that this cursor disagrees with the parser. */
  expect(token: string): void {
    if (!this.text.startsWith(token, this.at)) throw new MisplacedError(this.at)
    this.at += token.length
  }
}

/** Thrown if the position of a value cannot be determined. */
class MisplacedError extends Error {
  constructor(readonly offset: number) {
    super('The text is written in a way that cannot be placed')
  }
}

/** Result of reading a text. `targets`: nodes to which aliases refer. */
type YamlParts = Pick<YamlCursor, 'comments'> & {
  readonly root: TreeNode | undefined
  readonly targets: ReadonlySet<TreeNode>
}

/** Adds positions to parsed values. Throws `MisplacedError` if they cannot be determined. */
function buildYamlParts(text: string, { contents }: Document.Parsed): YamlParts {
  const builder = new Builder(text)
  builder.passHead()
  const isBlank = contents === null || (isScalar(contents) && isOmittedValue(contents))
  const root = isBlank ? undefined : builder.node(contents, builder.cursor.at)
  builder.passTail()
  return { root, comments: builder.cursor.comments, targets: builder.targets }
}

class Builder {
  readonly cursor: YamlCursor
  readonly targets = new Set<TreeNode>()
  readonly #anchors = new Map<string, TreeNode>()

  constructor(text: string) {
    this.cursor = new YamlCursor(text)
  }

  passHead(): void {
    this.cursor.skipGap()
    while (this.cursor.text[this.cursor.at] === '%') {
      this.cursor.at = this.cursor.text.indexOf('\n', this.cursor.at) + 1
      this.cursor.skipGap()
    }
    if (/^---(?=\s|$)/.test(this.cursor.text.slice(this.cursor.at, this.cursor.at + 4))) this.cursor.at += 3
  }

  passTail(): void {
    this.cursor.skipGap()
    if (this.cursor.text.startsWith('...', this.cursor.at)) this.cursor.at += 3
    this.cursor.skipGap()
    if (this.cursor.at < this.cursor.text.length) throw new MisplacedError(this.cursor.at)
  }

  /** Converts a parsed node that starts at `startOffset`. */
  node(parsed: Node, startOffset: number): TreeNode {
    if (isScalar(parsed) && isOmittedValue(parsed)) return createEmptyNode(startOffset, startOffset)
    const { cursor } = this
    cursor.skipGap()
    const outerStart = cursor.at
    const end = cursor.skipProperties(propertyCount(parsed))
    const start = isScalar(parsed) && isEmpty(parsed) ? end : cursor.at
    return this.#content(parsed, { outer: outerStart, start })
  }

  #content(parsed: Node, valueStart: ValueStart): TreeNode {
    const { cursor } = this
    if (isAlias(parsed)) {
      const target = this.#anchors.get(parsed.source)
      if (target === undefined) throw new MisplacedError(valueStart.start)
      this.targets.add(target)
      cursor.at = valueStart.start + parsed.source.length + 1
      return { kind: 'alias', ...valueStart, end: cursor.at, target }
    }
    if (isScalar(parsed)) return this.#keep(parsed, this.#scalar(parsed, valueStart))
    const isList = isSeq(parsed)
    if (!isList && !isMap(parsed)) throw new MisplacedError(valueStart.start)
    const entries: Entry[] = []
    const node = {
      kind: isList ? 'list' : 'map',
      ...valueStart,
      end: valueStart.start,
      flow: parsed.flow === true,
      ...(parsed.tag === SET_TAG ? { isSet: true } : {}),
      entries,
    } as const
    this.#keep(parsed, node)
    const brackets =
      parsed.flow === true && !(isMap(parsed) && isPairWithoutBraces(parsed)) ? (isList ? '[]' : '{}') : ''
    const separator = brackets === '' ? '' : ','
    cursor.expect(brackets[0] ?? '')
    for (const item of parsed.items) {
      cursor.skipGap(separator)
      if (isPair<Node | null, Node | null>(item)) entries.push(this.#pair(item))
      else entries.push(this.#item(item as Node, brackets === ''))
    }
    if (brackets !== '') cursor.skipGap(',')
    cursor.expect(brackets[1] ?? '')
    return Object.assign(node, { end: brackets === '' ? (entries.at(-1)?.end ?? valueStart.start) : cursor.at })
  }

  #keep<N extends TreeNode>(parsed: Node, node: N): N {
    if ('anchor' in parsed && parsed.anchor !== undefined) this.#anchors.set(parsed.anchor, node)
    return node
  }

  #scalar(parsed: Scalar, valueStart: ValueStart): TreeNode {
    if (isEmpty(parsed)) return createEmptyNode(valueStart.outer, valueStart.start)
    const [start, valueEnd] = parsed.range ?? [-1, -1]
    if (start !== valueStart.start) throw new MisplacedError(valueStart.start)
    const isBlock = parsed.type === Scalar.BLOCK_LITERAL || parsed.type === Scalar.BLOCK_FOLDED
    const { text } = this.cursor
    const hasTrailingLineBreak = isBlock && text[valueEnd - 1] === '\n'
    const end = hasTrailingLineBreak ? valueEnd - (text[valueEnd - 2] === '\r' ? 2 : 1) : valueEnd
    this.cursor.at = end
    return { kind: 'scalar', ...valueStart, end, isBlock, value: plainValue(parsed) }
  }

  #item(parsed: Node, hasDash: boolean): Entry {
    const start = this.cursor.at
    if (hasDash) this.cursor.expect('-')
    const value = this.node(parsed, this.cursor.at)
    return { start, end: Math.max(value.end, start + (hasDash ? 1 : 0)), key: undefined, value }
  }

  #pair(parsed: Pair<Node | null, Node | null>): Entry {
    const { cursor } = this
    const start = cursor.at
    const isExplicit = /^\?(?=\s|$)/.test(cursor.text.slice(start, start + 2))
    if (isExplicit) cursor.at += 1
    const node = parsed.key === null ? createEmptyNode(cursor.at, cursor.at) : this.node(parsed.key, cursor.at)
    if (parsed.value === null) {
      const name = this.#readName(parsed.key, node)
      const key: Key = { name, node, colon: undefined, isExplicit, isMerge: false }
      return { start, end: node.end, key, value: createEmptyNode(node.end, node.end) }
    }
    cursor.skipGap()
    cursor.expect(':')
    const colonEnd = cursor.at
    const value = this.node(parsed.value, colonEnd)
    const isMerge = isPlainScalar(parsed.key) && parsed.key.value === '<<' && mergedMaps(value).length > 0
    const key: Key = { name: this.#readName(parsed.key, node), node, colon: colonEnd, isExplicit, isMerge }
    return { start, end: Math.max(value.end, colonEnd), key, value }
  }

  #readName(parsed: Node | null, node: TreeNode): string {
    const key = node.kind === 'alias' ? node.target : node
    if (key.kind !== 'scalar') return this.cursor.text.slice(key.start, key.end)
    return isPlainScalar(parsed) ? (parsed.source ?? '') : String(key.value)
  }
}

type ValueStart = { readonly outer: number; readonly start: number }

const SET_TAG = 'tag:yaml.org,2002:set'

/** Number of properties (anchor and tag) of a value, 0 to 2. */
const propertyCount = (parsed: Node): number =>
  [isAlias(parsed) ? undefined : parsed.anchor, parsed.tag].filter((property) => property !== undefined).length

const createEmptyNode = (outer: number, offset: number): TreeNode => ({
  kind: 'scalar',
  outer,
  start: offset,
  end: offset,
  isBlock: false,
  value: null,
})

const isPlainScalar = (parsed: Node | null): parsed is Scalar => isScalar(parsed) && parsed.type === Scalar.PLAIN

const isEmpty = ({ range, source }: Scalar): boolean => (source ?? '') === '' && range?.[0] === range?.[1]

/** Whether the source contains no text for a value, not even an anchor or tag. */
const isOmittedValue = (parsed: Scalar): boolean =>
  isEmpty(parsed) && parsed.anchor === undefined && parsed.tag === undefined

/** Whether a map is a single pair written without braces inside a flow list: `[name: value]`. */
const isPairWithoutBraces = ({ items, range }: YAMLMap): boolean => {
  const key = items.length === 1 && isPair(items[0]) ? items[0].key : undefined
  return (isScalar(key) || isAlias(key) || isMap(key) || isSeq(key)) && key.range?.[0] === range?.[0]
}

/** Value of a scalar. Dates and binary data become their source text. */
function plainValue({ value, source }: Scalar): null | boolean | number | string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  return typeof value === 'string' ? value : (source ?? '')
}
