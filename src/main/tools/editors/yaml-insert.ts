import type { TextEdit } from './splice'
import { appendLines, replaceValue } from './yaml-block'
import type { Change, Changes, ListChange } from './yaml-changes'
import { columnAt } from './yaml-cursor'
import type { YamlDocument } from './yaml-document'
import { flowAppend, flowReplace } from './yaml-flow-insert'
import { itemInsertions } from './yaml-items'
import { entryOf, isNull, type YamlCollection, type YamlEntry } from './yaml-node'
import { isSame } from './yaml-raw'
import { entryText, flowEntryText, type Renderable, type Site, styleOf } from './yaml-render'
import { newRoot } from './yaml-root'

/** The edits that make every `set`, and every item to be present, so; everything else stays. */
export function insertions(document: YamlDocument, changes: Changes): TextEdit[] {
  const site = { document, style: styleOf(document) }
  const { root } = document
  if (root !== undefined) return insertionsInto(site, { map: root, changes })
  const value = newValue({ kind: 'within', changes })
  return value instanceof Map ? newRoot(site, value) : []
}

type Within = { readonly map: YamlCollection; readonly changes: Changes }

function insertionsInto(site: Site, { map, changes }: Within): TextEdit[] {
  const splices: TextEdit[] = []
  const added: (readonly [string, Renderable])[] = []
  for (const [name, change] of changes) {
    const entry = entryOf(map, name)
    if (entry !== undefined) splices.push(...changeExisting(site, { map, entry, change, name }))
    else {
      const value = newValue(change)
      if (value !== undefined) added.push([name, value])
    }
  }
  if (added.length === 0) return splices
  const column = columnAt(site.document.text, map.start)
  const more = map.flow
    ? flowAppend(site, map, added.map(flowEntryText))
    : appendLines(
        site,
        map,
        added.map((pair) => entryText(pair, column, site.style)),
      )
  return [...splices, ...more]
}

type Existing = {
  readonly map: YamlCollection
  readonly entry: YamlEntry
  readonly change: Change
  readonly name: string
}

function changeExisting(site: Site, { map, entry, change, name }: Existing): TextEdit[] {
  const { value } = entry
  const replacement = (wanted: Renderable): TextEdit[] =>
    map.flow ? flowReplace(entry, [name, wanted]) : replaceValue(site, entry, wanted)
  if (change.kind === 'set')
    return isSame(site.document, { entry, flow: map.flow }, change.value) ? [] : replacement(change.value)
  if (change.kind === 'remove') return []
  const isEmpty = isNull(value) || isExpandable(site, map, entry)
  if (isEmpty) {
    const wanted = newValue(change, true)
    return wanted === undefined ? [] : replacement(wanted)
  }
  if (change.kind === 'within')
    return value.kind === 'map' ? insertionsInto(site, { map: value, changes: change.changes }) : []
  return value.kind === 'list' ? itemInsertions(site, value, change.items) : []
}

/** True for empty brackets in a block mapping, without a comment in them: they open into lines. */
function isExpandable({ document }: Site, map: YamlCollection, { value }: YamlEntry): boolean {
  if (map.flow || (value.kind !== 'map' && value.kind !== 'list') || value.entries.length > 0) return false
  return !document.text.slice(value.start, value.end).includes('#')
}

/** What a change makes of a setting that does not exist or is empty; undefined when there is nothing to write. */
function newValue(change: Change, hasList = false): Renderable | undefined {
  if (change.kind === 'set') return change.value
  if (change.kind === 'remove') return undefined
  if (change.kind === 'list') return newList(change.items, hasList)
  const inner = new Map<string, Renderable>()
  for (const [name, each] of change.changes) {
    const value = newValue(each)
    if (value !== undefined) inner.set(name, value)
  }
  return inner.size === 0 ? undefined : inner
}

/** A new list holds elements; members go into one that is there already. */
function newList(items: readonly ListChange[], hasList: boolean): Renderable | undefined {
  const values = items.flatMap((item): Renderable[] => {
    if (item.kind === 'member') return hasList && item.present ? [item.member] : []
    return item.value === undefined ? [] : [item.value]
  })
  return values.length === 0 ? undefined : new Set(values)
}
