import { canonicalText } from './json-value'
import type { TextEdit } from './splice'
import { appendLines, insertBehind, prependLines } from './yaml-block'
import { type ElementPlace, itemsOf, type ListChange } from './yaml-changes'
import { columnAt } from './yaml-cursor'
import { flowAppend, flowInsertBehind, flowPrepend } from './yaml-flow-insert'
import { jsonOf, type YamlCollection, type YamlEntry } from './yaml-node'
import { put } from './yaml-put'
import { isSame } from './yaml-raw'
import { flowText, itemText, type Renderable, type Site } from './yaml-render'

/** The edits that put items into a list, or other ones in their place. */
export function itemInsertions(site: Site, list: YamlCollection, changes: readonly ListChange[]): TextEdit[] {
  const edits: TextEdit[] = []
  const [first, last]: [string[], string[]] = [[], []]
  for (const change of changes) {
    const wanted = wantedBy(change)
    const [found] = itemsOf(list, change)
    if (found !== undefined) {
      edits.push(...replacement(site, list, { found, change }))
      continue
    }
    for (const { value, place } of wanted) {
      const text = textOf(site, list, value)
      const before = typeof place === 'string' ? undefined : neighbourOf(list, place.behind)
      if (before !== undefined)
        edits.push(...(list.flow ? flowInsertBehind : insertBehind)(site, list, { before, text }))
      else (place === 'last' ? last : first).push(text)
    }
  }
  return [...edits, ...endsOf(site, list, { first, last })]
}

type Wanted = { readonly value: Renderable; readonly place: ElementPlace }

function wantedBy(change: ListChange): readonly Wanted[] {
  if (change.kind === 'element') return change.value === undefined ? [] : [{ value: change.value, place: change.place }]
  if (!change.present) return []
  return change.raws ?? [{ value: change.member, place: 'last' }]
}

type Standing = { readonly found: YamlEntry; readonly change: ListChange }

function replacement(site: Site, list: YamlCollection, { found, change }: Standing): TextEdit[] {
  if (change.kind === 'member' || change.value === undefined) return []
  if (isSame(site.document, { entry: found, flow: list.flow }, change.value)) return []
  return [put(found.start, found.end, textOf(site, list, change.value))]
}

function textOf({ document, style }: Site, list: YamlCollection, value: Renderable): string {
  return list.flow ? flowText(value) : itemText(value, columnAt(document.text, list.start), style)
}

const neighbourOf = ({ entries }: YamlCollection, canonical: string): YamlEntry | undefined =>
  entries.find(({ value }) => canonicalText(jsonOf(value)) === canonical)

type Ends = { readonly first: readonly string[]; readonly last: readonly string[] }

function endsOf(site: Site, list: YamlCollection, { first, last }: Ends): TextEdit[] {
  if (list.entries.length === 0) {
    const all = [...first, ...last]
    return all.length === 0 ? [] : flowAppend(site, list, all)
  }
  const [prepend, append] = list.flow ? [flowPrepend, flowAppend] : [prependLines, appendLines]
  return [
    ...(first.length === 0 ? [] : prepend(site, list, first)),
    ...(last.length === 0 ? [] : append(site, list, last)),
  ]
}
