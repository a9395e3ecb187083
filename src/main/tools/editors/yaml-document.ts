import { err, type Failure, ok, type Result } from '@shared/failure'
import {
  Composer,
  type CST,
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
  type YAMLSeq,
} from 'yaml'
import { memoizeLatest, splitBom } from './editor'
import { buildUnparsableFailure, getLineNumber, ParseFault, type Span } from './text'
import {
  type Collection,
  createScalar,
  type Entry,
  type Key,
  mergedMaps,
  nodeToJson,
  type TreeDocument,
  type TreeNode,
} from './tree'

/** Nesting limit: the library is recursive, and a stack overflow can end the process. */
const MAX_DEPTH = 200

const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  keepSourceTokens: true,
} as const

/** Parses a text with the library. `head`: tokens before the root. Throws `ParseFault` unless it is one document. */
function parseTokens(text: string) {
  const tokens = [...new Parser().parse(text)]
  const comments = tokens.flatMap(findComments).sort((a, b) => a.start - b.start)
  const [document, second] = [...new Composer(options).compose(tokens, true, text.length)]
  const error = document?.errors[0]
  if (error !== undefined) {
    // Some errors are reported at the end, below the last line with content.
    const offset = Math.min(error.pos[0], text.trimEnd().length)
    throw new ParseFault(reasons[error.code] ?? invalidYaml, offset)
  }
  if (second !== undefined) throw new ParseFault('It holds several documents', second.range[0])
  if (document === undefined) throw new ParseFault(invalidYaml, 0)
  // The library accepts a directive without a document after it.
  const directive = tokens.findLast(({ type }) => type === 'directive')
  if (directive && directive.offset >= document.range[2]) throw new ParseFault(invalidYaml, directive.offset)
  const head = tokens.flatMap((token) => (token.type === 'document' ? token.start : []))
  return { root: document.contents, head, comments }
}

const invalidYaml = 'It is not valid YAML'
const reasons: { readonly [code: string]: string } = { TAB_AS_INDENT: 'It is indented with tabs' }

/** Comments within a token, except those in the first line of a block scalar. Throws `ParseFault` for deep nesting. */
function findComments(root: CST.Token): Span[] {
  const comments: Span[] = []
  const pendingTokens: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let pendingToken = pendingTokens.pop(); pendingToken !== undefined; pendingToken = pendingTokens.pop()) {
    const { token, depth } = pendingToken
    if (depth > MAX_DEPTH) throw new ParseFault('It is nested too deeply', token.offset)
    if (token.type === 'comment') comments.push({ start: token.offset, end: getEnd(token) })
    for (const childToken of listChildTokens(token)) pendingTokens.push({ token: childToken, depth: depth + 1 })
  }
  return comments
}

function listChildTokens(token: CST.Token): CST.Token[] {
  return [
    ...listItems(token).flatMap(({ start, key, sep = [], value }) => [...start, ...sep, key ?? [], value ?? []].flat()),
    'start' in token ? token.start : [],
    token.type === 'document' ? (token.value ?? []) : [],
    'end' in token ? (token.end ?? []) : [],
  ].flat()
}

const listItems = (token: CST.Token | undefined): readonly CST.CollectionItem[] =>
  token !== undefined && 'items' in token ? token.items : []

const getEnd = ({ offset, source }: CST.SourceToken): number => offset + source.length

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
      throw new ParseFault('It has a carriage return that ends no line', loneCarriageReturn.index)
    const { root: parsedRoot, head, comments } = parseTokens(text)
    const builder = new TreeBuilder(text)
    const isOmitted = parsedRoot === null || (isScalar(parsedRoot) && isEmpty(parsedRoot) && !head.some(isProperty))
    const root = isOmitted ? undefined : builder.node(parsedRoot, head, 0)
    const { targets } = builder
    if (root !== undefined && root.kind !== 'map') throw new ParseFault('It does not hold a mapping', root.outer)
    if (root !== undefined) requireUniqueKeys(root)
    if (root !== undefined && targets.size > 0) nodeToJson(root)
    return ok({ bom, text, root, comments, targets })
  } catch (error) {
    if (error instanceof ParseFault)
      return err(buildUnparsableFailure(error.message, getLineNumber(text, error.offset)))
    if (error instanceof RangeError) return err(buildUnparsableFailure('It repeats too much', 1))
    throw error
  }
})

/** Rejects duplicate names in a mapping, because parsers disagree on which one counts. */
function requireUniqueKeys(node: TreeNode): void {
  if (node.kind !== 'map' && node.kind !== 'list') return
  const names = node.kind === 'map' && node.entries.length > 1 ? new Set<string>() : undefined
  for (const { key, start, value } of node.entries) {
    if (key !== undefined && names?.has(key.name)) throw new ParseFault('A setting appears twice', start)
    if (key !== undefined) names?.add(key.name)
    requireUniqueKeys(value)
  }
}

/** Converts parsed nodes to a tree. Takes the positions of values from the library's tokens. */
class TreeBuilder {
  readonly targets = new Set<TreeNode>()
  readonly #anchors = new Map<string, TreeNode>()
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Converts a node. `tokens`: those before it, with its anchor and tag. `emptyOffset`: position if it is omitted. */
  node(parsed: Node | null, tokens: readonly CST.SourceToken[], emptyOffset: number): TreeNode {
    const properties = tokens.filter(isProperty)
    const outer = properties[0]?.offset
    if (isAlias(parsed)) {
      const [start, end] = parsed.range ?? [0, 0]
      const target = this.#anchors.get(parsed.source)
      if (target === undefined) throw new ParseFault(invalidYaml, start)
      this.targets.add(target)
      return { kind: 'alias', outer: start, start, end, target }
    }
    if (isMap(parsed) || isSeq(parsed)) return this.#collection(parsed, outer)
    if (parsed !== null && !isEmpty(parsed)) return this.#keep(parsed, this.#scalar(parsed, outer))
    const lastProperty = properties.at(-1)
    const start = lastProperty === undefined ? emptyOffset : getEnd(lastProperty)
    return this.#keep(parsed, createScalar(null, { outer: outer ?? start, start, end: start }))
  }

  #scalar(parsed: Scalar, outer: number | undefined): TreeNode {
    const [start, valueEnd] = parsed.range ?? [0, 0]
    const isBlock = parsed.type === Scalar.BLOCK_LITERAL || parsed.type === Scalar.BLOCK_FOLDED
    const hasTrailingLineBreak = isBlock && this.#text[valueEnd - 1] === '\n'
    const end = hasTrailingLineBreak ? valueEnd - (this.#text[valueEnd - 2] === '\r' ? 2 : 1) : valueEnd
    return { kind: 'scalar', outer: outer ?? start, start, end, isBlock, value: plainValue(parsed) }
  }

  #collection(parsed: YAMLMap | YAMLSeq, outer: number | undefined): TreeNode {
    const { srcToken: token, flow = false, tag } = parsed
    const entries: Entry[] = []
    const kind = isSeq(parsed) ? 'list' : 'map'
    const isSet = tag === SET_TAG ? { isSet: true } : {}
    const node = { kind, outer: 0, start: 0, end: 0, flow, ...isSet, entries } as const
    this.#keep(parsed, node)
    const itemTokens = listItems(token).filter(isItem)
    for (const [index, item] of parsed.items.entries())
      if (isPair<Node | null, Node | null>(item)) entries.push(this.#pair(item))
      else entries.push(this.#item(item as Node, itemTokens[index]?.start ?? []))
    const [closingToken] = token?.type === 'flow-collection' ? token.end : []
    const start = token && closingToken ? token.offset : (entries[0]?.start ?? 0)
    const end = closingToken ? getEnd(closingToken) : (entries.at(-1)?.end ?? start)
    return Object.assign(node, { outer: outer ?? start, start, end })
  }

  #keep<N extends TreeNode>(parsed: Node | null, node: N): N {
    if (parsed !== null && 'anchor' in parsed && parsed.anchor !== undefined) this.#anchors.set(parsed.anchor, node)
    return node
  }

  #item(parsed: Node, tokens: readonly CST.SourceToken[]): Entry {
    const dash = tokens.find(({ type }) => type === 'seq-item-ind')
    const dashEnd = dash === undefined ? 0 : getEnd(dash)
    // A single pair without braces in a flow list, `[name: value]`, has no token. Anchor and tag belong to its key.
    const isPairWithoutBraces = isMap(parsed) && parsed.srcToken === undefined
    const value = this.node(parsed, isPairWithoutBraces ? [] : tokens, dashEnd)
    return { start: dash?.offset ?? value.outer, end: Math.max(value.end, dashEnd), key: undefined, value }
  }

  #pair({ key: parsedKey, value: parsedValue, srcToken }: Pair<Node | null, Node | null>): Entry {
    const { start: tokens = [], key: keyToken, sep = [], value: valueToken } = srcToken ?? {}
    const questionMark = tokens.find(({ type }) => type === 'explicit-key-ind')
    const colonToken = sep.find(({ type }) => type === 'map-value-ind')
    const firstToken = questionMark ?? tokens.find(isProperty) ?? keyToken ?? colonToken
    const start = firstToken?.offset ?? 0
    // The library ignores a value without a colon after a question mark.
    const ignoredToken = colonToken === undefined ? (sep.find(isProperty) ?? valueToken) : undefined
    if (ignoredToken !== undefined) throw new ParseFault(invalidYaml, ignoredToken.offset)
    const node = this.node(parsedKey, tokens, questionMark === undefined ? start : getEnd(questionMark))
    const colon = colonToken && getEnd(colonToken)
    const value = this.node(parsedValue, sep, colon ?? node.end)
    const isMerge = isPlainScalar(parsedKey) && parsedKey.value === '<<' && mergedMaps(value).length > 0
    const name = this.#readName(parsedKey, node)
    const key: Key = { name, node, colon, isExplicit: questionMark !== undefined, isMerge }
    return { start, end: Math.max(value.end, colon ?? node.end), key, value }
  }

  #readName(parsed: Node | null, node: TreeNode): string {
    const key = node.kind === 'alias' ? node.target : node
    if (key.kind !== 'scalar') return this.#text.slice(key.start, key.end)
    return isPlainScalar(parsed) ? (parsed.source ?? '') : String(key.value)
  }
}

const SET_TAG = 'tag:yaml.org,2002:set'

const isProperty = ({ type }: CST.SourceToken): boolean => type === 'anchor' || type === 'tag'

/** Whether tokens contain an item, not only comments, blanks and commas. */
const isItem = ({ start, key, sep, value }: CST.CollectionItem): boolean =>
  Boolean(key || sep || value) ||
  start.some((token) => isProperty(token) || ['seq-item-ind', 'explicit-key-ind'].includes(token.type))

const isPlainScalar = (parsed: Node | null): parsed is Scalar => isScalar(parsed) && parsed.type === Scalar.PLAIN

const isEmpty = ({ range, source }: Scalar): boolean => (source ?? '') === '' && range?.[0] === range?.[1]

/** Value of a scalar. Dates and binary data become their source text. */
function plainValue({ value, source }: Scalar): null | boolean | number | string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  return typeof value === 'string' ? value : (source ?? '')
}
