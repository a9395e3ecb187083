import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
} from 'yaml'
import { Misplaced, YamlCursor } from './yaml-cursor'
import { mergedMaps, type YamlEntry, type YamlKey, type YamlNode } from './yaml-node'

/** What a text consists of; `targets` are the values that aliases stand for. */
export type YamlParts = Pick<YamlCursor, 'comments'> & {
  readonly root: YamlNode | undefined
  readonly targets: ReadonlySet<YamlNode>
}

/** The values of a parsed text, each where it stands. Throws `Misplaced` where that cannot be told. */
export function compose(text: string, { contents }: Document.Parsed): YamlParts {
  const builder = new Builder(text)
  builder.passHead()
  const isBlank = contents === null || (isScalar(contents) && isBare(contents))
  const root = isBlank ? undefined : builder.node(contents, builder.cursor.at)
  builder.passTail()
  return { root, comments: builder.cursor.comments, targets: builder.targets }
}

class Builder {
  readonly cursor: YamlCursor
  readonly targets = new Set<YamlNode>()
  readonly #anchors = new Map<string, YamlNode>()

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
    if (this.cursor.at < this.cursor.text.length) throw new Misplaced(this.cursor.at)
  }

  /** The value of a parsed node whose place begins at `from`. */
  node(parsed: Node, from: number): YamlNode {
    if (isScalar(parsed) && isBare(parsed)) return empty(from, from)
    const { cursor } = this
    cursor.skipGap()
    const outer = cursor.at
    const end = cursor.skipProperties(propertyCount(parsed))
    const start = isScalar(parsed) && isEmpty(parsed) ? end : cursor.at
    return this.#content(parsed, { outer, start })
  }

  #content(parsed: Node, place: Place): YamlNode {
    const { cursor } = this
    if (isAlias(parsed)) {
      const target = this.#anchors.get(parsed.source)
      if (target === undefined) throw new Misplaced(place.start)
      this.targets.add(target)
      cursor.at = place.start + parsed.source.length + 1
      return { kind: 'alias', ...place, end: cursor.at, target }
    }
    if (isScalar(parsed)) return this.#keep(parsed, this.#scalar(parsed, place))
    const isList = isSeq(parsed)
    if (!isList && !isMap(parsed)) throw new Misplaced(place.start)
    const entries: YamlEntry[] = []
    const node = {
      kind: isList ? 'list' : 'map',
      ...place,
      end: place.start,
      flow: parsed.flow === true,
      ...(parsed.tag === SET_TAG ? { isSet: true } : {}),
      entries,
    } as const
    this.#keep(parsed, node)
    const brackets = parsed.flow === true && !(isMap(parsed) && isBarePair(parsed)) ? (isList ? '[]' : '{}') : ''
    const also = brackets === '' ? '' : ','
    cursor.expect(brackets[0] ?? '')
    for (const item of parsed.items) {
      cursor.skipGap(also)
      if (isPair<Node | null, Node | null>(item)) entries.push(this.#pair(item))
      else entries.push(this.#item(item as Node, brackets === ''))
    }
    if (brackets !== '') cursor.skipGap(',')
    cursor.expect(brackets[1] ?? '')
    return Object.assign(node, { end: brackets === '' ? (entries.at(-1)?.end ?? place.start) : cursor.at })
  }

  #keep<N extends YamlNode>(parsed: Node, node: N): N {
    if ('anchor' in parsed && parsed.anchor !== undefined) this.#anchors.set(parsed.anchor, node)
    return node
  }

  #scalar(parsed: Scalar, place: Place): YamlNode {
    if (isEmpty(parsed)) return empty(place.outer, place.start)
    const [start, valueEnd] = parsed.range ?? [-1, -1]
    if (start !== place.start) throw new Misplaced(place.start)
    const isBlock = parsed.type === Scalar.BLOCK_LITERAL || parsed.type === Scalar.BLOCK_FOLDED
    const { text } = this.cursor
    const hasBreak = isBlock && text[valueEnd - 1] === '\n'
    const end = hasBreak ? valueEnd - (text[valueEnd - 2] === '\r' ? 2 : 1) : valueEnd
    this.cursor.at = end
    return { kind: 'scalar', ...place, end, isBlock, value: plainValue(parsed) }
  }

  #item(parsed: Node, hasDash: boolean): YamlEntry {
    const start = this.cursor.at
    if (hasDash) this.cursor.expect('-')
    const value = this.node(parsed, this.cursor.at)
    return { start, end: Math.max(value.end, start + (hasDash ? 1 : 0)), key: undefined, value }
  }

  #pair(parsed: Pair<Node | null, Node | null>): YamlEntry {
    const { cursor } = this
    const start = cursor.at
    const isExplicit = /^\?(?=\s|$)/.test(cursor.text.slice(start, start + 2))
    if (isExplicit) cursor.at += 1
    const node = parsed.key === null ? empty(cursor.at, cursor.at) : this.node(parsed.key, cursor.at)
    if (parsed.value === null) {
      const key: YamlKey = { name: this.#nameOf(parsed.key, node), node, colon: undefined, isExplicit, isMerge: false }
      return { start, end: node.end, key, value: empty(node.end, node.end) }
    }
    cursor.skipGap()
    cursor.expect(':')
    const colon = cursor.at
    const value = this.node(parsed.value, colon)
    const isMerge = isPlainScalar(parsed.key) && parsed.key.value === '<<' && mergedMaps(value).length > 0
    const key: YamlKey = { name: this.#nameOf(parsed.key, node), node, colon, isExplicit, isMerge }
    return { start, end: Math.max(value.end, colon), key, value }
  }

  #nameOf(parsed: Node | null, node: YamlNode): string {
    const key = node.kind === 'alias' ? node.target : node
    if (key.kind !== 'scalar') return this.cursor.text.slice(key.start, key.end)
    return isPlainScalar(parsed) ? (parsed.source ?? '') : String(key.value)
  }
}

type Place = { readonly outer: number; readonly start: number }

const SET_TAG = 'tag:yaml.org,2002:set'

/** How many of anchor and tag a value has itself. */
const propertyCount = (parsed: Node): number =>
  [isAlias(parsed) ? undefined : parsed.anchor, parsed.tag].filter((property) => property !== undefined).length

const empty = (outer: number, at: number): YamlNode => ({
  kind: 'scalar',
  outer,
  start: at,
  end: at,
  isBlock: false,
  value: null,
})

const isPlainScalar = (parsed: Node | null): parsed is Scalar => isScalar(parsed) && parsed.type === Scalar.PLAIN

const isEmpty = ({ range, source }: Scalar): boolean => (source ?? '') === '' && range?.[0] === range?.[1]

/** True for a value left out, without so much as an anchor. */
const isBare = (parsed: Scalar): boolean => isEmpty(parsed) && parsed.anchor === undefined && parsed.tag === undefined

/** True for `[name: value]`, a mapping without brackets within a list. */
const isBarePair = ({ items, range }: YAMLMap): boolean => {
  const key = items.length === 1 && isPair(items[0]) ? items[0].key : undefined
  return isNodeAt(key, range?.[0])
}

const isNodeAt = (key: unknown, start: number | undefined): boolean =>
  (isScalar(key) || isAlias(key) || isMap(key) || isSeq(key)) && key.range?.[0] === start

/** What the parser's own types for dates and bytes would be, is text. */
function plainValue({ value, source }: Scalar): null | boolean | number | string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  return typeof value === 'string' ? value : (source ?? '')
}
