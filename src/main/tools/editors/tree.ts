import { type Json, type Match, matches } from './editor'
import type { Span } from './text'

/** Range of a value without its anchor and tag. `outer`: start including anchor and tag. */
type NodeSpan = Span & { readonly outer: number }

/** Path of names, and of indices of list items. */
export type Path = readonly (string | number)[]

/** A mapping or list. A block collection ranges from first to last entry. `isSet`: `!!set`, keys without values. */
export type Collection = NodeSpan & {
  readonly kind: 'map' | 'list'
  readonly flow: boolean
  readonly isSet?: boolean
  readonly entries: readonly Entry[]
  /** Path of a TOML table. */
  readonly path?: Path
  /** The inline table that contains a TOML table, with all its pairs. */
  readonly brackets?: Span & { readonly entries: readonly Entry[]; readonly path: Path }
  /** Formats a TOML table that headers or dotted keys define as one value. */
  readonly toText?: () => string
}

/** A scalar. An empty value is a zero-length null. `isBlock`: written with `|` or `>`. */
export type ScalarNode = NodeSpan & {
  readonly kind: 'scalar'
  readonly value: null | boolean | number | string
  readonly isBlock: boolean
}

export const createScalar = (
  value: ScalarNode['value'],
  { start, end, outer = start }: Span & { readonly outer?: number },
): ScalarNode => ({ kind: 'scalar', outer, start, end, isBlock: false, value })

/** An alias. Its target may contain the alias, so tree walks can be infinite. */
type AliasNode = NodeSpan & { readonly kind: 'alias'; readonly target: TreeNode }

export type TreeNode = Collection | ScalarNode | AliasNode

/**
 * A key with its value in a mapping, or an item of a list. A block item includes its dash. `own`: the lines of a
 * setting whose comment is removed with it. `isPart`: lines with a dotted key.
 */
export type Entry = Span & {
  readonly value: TreeNode
  readonly key: Key | undefined
  readonly own?: readonly (Span & { readonly isPart?: boolean })[]
}

/** Key in a mapping. `colon`: offset after its colon (in JSON and the blanks there). `isExplicit`: written with `?`. */
export type Key = {
  readonly name: string
  readonly node: TreeNode
  readonly colon: number | undefined
  readonly isExplicit: boolean
  readonly isMerge: boolean
}

/** A parsed text. Offsets start after the byte order mark. A blank text has no `root`. `targets`: nodes of aliases. */
export type TreeDocument = {
  readonly bom: string
  readonly text: string
  readonly root: TreeNode | undefined
  readonly comments: readonly Span[]
  readonly targets?: ReadonlySet<TreeNode>
}

/** Limits for the values after expansion of aliases and the nesting of aliases, against expansion attacks. */
const MAX_EXPANSIONS = 100_000
const ALIAS_DEPTH = 100

/** The last pair of this name, which is the one that parsers use. Does not follow merge keys. */
export function findEntry(node: TreeNode | undefined, name: string): Entry | undefined {
  return node?.kind === 'map' ? node.entries.findLast(({ key }) => key?.name === name && !key.isMerge) : undefined
}

export const getNode = (root: TreeNode | undefined, path: readonly string[]): TreeNode | undefined =>
  path.reduce<TreeNode | undefined>((node, name) => findEntry(node, name)?.value, root)

/** Whether a value is null. An omitted value counts as null. */
export const isNull = (node: TreeNode): boolean => node.kind === 'scalar' && node.value === null

export const isEmpty = (node: TreeNode): boolean =>
  isNull(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.length === 0)

export const isFlow = (node: TreeNode | undefined): boolean =>
  (node?.kind === 'map' || node?.kind === 'list') && node.flow

/** Text of a TOML table that headers or dotted keys define, so that its settings can be in several places. */
export const getTableText = (node: TreeNode): string | undefined =>
  node.kind === 'map' || node.kind === 'list' ? node.toText?.() : undefined

export const isTable = (node: TreeNode | undefined): node is Collection =>
  (node?.kind === 'map' || node?.kind === 'list') && node.toText !== undefined

/** JSON value with aliases and merge keys resolved. Throws a RangeError beyond the expansion limits. */
export const nodeToJson = (node: TreeNode): Json =>
  resolveNode(node, { aliases: 0, expansion: { left: MAX_EXPANSIONS } })

/** The settings of a document. None if its root is missing or a scalar. */
export function toSettings({ root }: Pick<TreeDocument, 'root'>): Json & object {
  const value = root && nodeToJson(root)
  return typeof value === 'object' && value !== null ? value : {}
}

/** State of the conversion. `aliases`: nesting depth of aliases around the current node. */
type ReadState = { readonly aliases: number; readonly expansion: { left: number } }

function resolveNode(node: TreeNode, reading: ReadState): Json {
  if (reading.aliases > 0) consumeExpansionBudget(reading)
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'alias':
      return resolveNode(node.target, { ...reading, aliases: reading.aliases + 1 })
    case 'list':
      return node.entries.map(({ value }) => resolveNode(value, reading))
    case 'map':
      return Object.fromEntries(listMembers(node, reading))
  }
}

/** Keys and values of a mapping. Merged ones come first, so that the mapping's own values override them. */
function listMembers({ entries }: Collection, reading: ReadState): [string, Json][] {
  const mergedEntries = entries.flatMap(({ key, value }) => (key?.isMerge ? mergedMaps(value) : []))
  return [
    ...mergedEntries.reverse().flatMap((map) => {
      consumeExpansionBudget(reading)
      return listMembers(map, { ...reading, aliases: reading.aliases + 1 })
    }),
    ...entries.flatMap(({ key, value }): [string, Json][] =>
      key === undefined || key.isMerge ? [] : [[key.name, resolveNode(value, reading)]],
    ),
  ]
}

function consumeExpansionBudget({ expansion, aliases }: ReadState): void {
  expansion.left -= 1
  if (expansion.left < 0 || aliases > ALIAS_DEPTH) throw new RangeError('Aliases stand for too many values')
}

/** Mappings that a merge key (`<<`) refers to, highest priority first. Empty if the value contains no mapping. */
export function mergedMaps(value: TreeNode): Collection[] {
  const node = resolveAlias(value)
  if (node?.kind === 'map') return [node]
  const mergedNodes = node?.kind === 'list' ? node.entries.map((item) => resolveAlias(item.value)) : []
  const yamlMaps = mergedNodes.filter((map): map is Collection => map?.kind === 'map')
  return yamlMaps.length === mergedNodes.length ? yamlMaps : []
}

const resolveAlias = (node: TreeNode): TreeNode => (node.kind === 'alias' ? resolveAlias(node.target) : node)

/** Whether a value is an object with these texts. */
export function isMatch(node: TreeNode, match: Match): boolean {
  if (node.kind === 'scalar' || node.kind === 'list') return false
  if (node.kind === 'alias' || node.entries.some(({ key, value }) => key?.isMerge || value.kind === 'alias'))
    return matches(nodeToJson(node), match)
  return Object.entries(match).every(([name, text]) => isText(findEntry(node, name)?.value, text))
}

export const isText = (node: TreeNode | undefined, text: string): boolean =>
  node?.kind === 'scalar' && node.value === text

export const getColumn = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1)
