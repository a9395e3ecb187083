import type { Span } from './json-tree'
import type { Json } from './json-value'

/** Where a value stands: `start` to `end` without its anchor and tag, which begin at `outer`. */
type Placed = Span & { readonly outer: number }

/** A mapping or a list; a block one begins with its first entry and ends with its last. `isSet`: tagged `!!set`, so that no key may have a value. */
export type YamlCollection = Placed & {
  readonly kind: 'map' | 'list'
  readonly flow: boolean
  readonly isSet?: boolean
  readonly entries: readonly YamlEntry[]
}

/** A text, number, truth value or null; an empty value is a null of no length. `isBlock`: written behind `|` or `>`. */
export type YamlScalar = Placed & {
  readonly kind: 'scalar'
  readonly value: null | boolean | number | string
  readonly isBlock: boolean
}

/** A value that stands elsewhere; a target may hold its alias. */
type YamlAlias = Placed & { readonly kind: 'alias'; readonly target: YamlNode }

export type YamlNode = YamlCollection | YamlScalar | YamlAlias

/** A pair of a mapping, or an item of a list, whose block form begins with its dash. */
export type YamlEntry = Span & {
  readonly value: YamlNode
  readonly key: YamlKey | undefined
}

/** The key of a pair; `colon` is the offset behind it. `isExplicit`: written with a question mark. */
export type YamlKey = {
  readonly name: string
  readonly node: YamlNode
  readonly colon: number | undefined
  readonly isExplicit: boolean
  readonly isMerge: boolean
}

/** How many values aliases may stand for in one document, and how many may stand within each other. */
const EXPANSION_LIMIT = 100_000
const ALIAS_DEPTH = 100

/** The pair of this name; merge keys are not followed. */
export function entryOf(node: YamlNode | undefined, name: string): YamlEntry | undefined {
  return node?.kind === 'map' ? node.entries.find(({ key }) => key?.name === name && !key.isMerge) : undefined
}

/** The pair at a path of names, or undefined. */
export function entryAt(root: YamlNode | undefined, path: readonly string[]): YamlEntry | undefined {
  const parent = path.slice(0, -1).reduce<YamlNode | undefined>((node, name) => entryOf(node, name)?.value, root)
  return entryOf(parent, path.at(-1) ?? '')
}

/** True when the mapping at this path, the root's being empty, is written in brackets. */
export function isInBrackets(root: YamlNode | undefined, path: readonly string[]): boolean {
  const map = path.length === 0 ? root : entryAt(root, path)?.value
  return map?.kind === 'map' && map.flow
}

/** True for a null, written out or left out. */
export function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null
}

/** The value, aliases and merge keys resolved. Throws a RangeError for aliases that stand for too much. */
export function jsonOf(node: YamlNode): Json {
  const expansion = { left: EXPANSION_LIMIT }
  return toJson(node, { aliases: 0, expansion })
}

/** `aliases`: how many of them lead to where the reading is. */
type Reading = { readonly aliases: number; readonly expansion: { left: number } }

function toJson(node: YamlNode, reading: Reading): Json {
  if (reading.aliases > 0) spend(reading)
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'alias':
      return toJson(node.target, { ...reading, aliases: reading.aliases + 1 })
    case 'list':
      return node.entries.map(({ value }) => toJson(value, reading))
    case 'map':
      return Object.fromEntries(membersOf(node, reading))
  }
}

/** The members as they are read: merged ones first, so that the mapping's own win. */
function membersOf({ entries }: YamlCollection, reading: Reading): [string, Json][] {
  const merged = entries.flatMap(({ key, value }) => (key?.isMerge ? mergedMaps(value) : []))
  return [
    ...merged.reverse().flatMap((map) => {
      spend(reading)
      return membersOf(map, { ...reading, aliases: reading.aliases + 1 })
    }),
    ...entries.flatMap(({ key, value }): [string, Json][] =>
      key === undefined || key.isMerge ? [] : [[key.name, toJson(value, reading)]],
    ),
  ]
}

function spend({ expansion, aliases }: Reading): void {
  expansion.left -= 1
  if (expansion.left < 0 || aliases > ALIAS_DEPTH) throw new RangeError('Aliases stand for too many values')
}

/** The mappings that a merge key brings in, the strongest first; nothing where it brings in anything else. */
export function mergedMaps(value: YamlNode): YamlCollection[] {
  const node = resolved(value)
  if (node?.kind === 'map') return [node]
  const maps = node?.kind === 'list' ? node.entries.map((item) => resolved(item.value)) : []
  const found = maps.filter((map): map is YamlCollection => map?.kind === 'map')
  return found.length === maps.length ? found : []
}

const resolved = (node: YamlNode): YamlNode => (node.kind === 'alias' ? resolved(node.target) : node)
