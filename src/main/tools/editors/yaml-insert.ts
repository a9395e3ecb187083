import { canonicalText, type TextEdit } from './editor'
import { lineStart } from './json-document'
import {
  type Change,
  type Changes,
  createCutEdit,
  detectStyle,
  type EditSite,
  type ElementPlace,
  entryText,
  findYamlItems,
  flowEntryText,
  flowText,
  isSame,
  itemText,
  type ListChange,
  newLine,
  type RenderableValue,
  replaceRange,
  valueText,
} from './yaml-changes'
import { findGaps, type GapToken, type YamlDocument } from './yaml-document'
import {
  findYamlEntry,
  getColumn,
  isNull,
  lineEnd,
  nextLine,
  type YamlCollection,
  type YamlEntry,
  yamlToJson,
} from './yaml-node'

export function insertions(document: YamlDocument, changes: Changes): TextEdit[] {
  const site = { document, style: detectStyle(document) }
  const { root } = document
  if (root !== undefined) return insertionsInto(site, { map: root, changes })
  const value = newValue({ kind: 'within', changes })
  return value instanceof Map ? newRoot(site, value) : []
}

type InsertContext = { readonly map: YamlCollection; readonly changes: Changes }

function insertionsInto(site: EditSite, { map, changes }: InsertContext): TextEdit[] {
  const splices: TextEdit[] = []
  const addedPairs: (readonly [string, RenderableValue])[] = []
  for (const [name, change] of changes) {
    const entry = findYamlEntry(map, name)
    if (entry !== undefined) splices.push(...changeExisting(site, { map, entry, change, name }))
    else {
      const value = newValue(change)
      if (value !== undefined) addedPairs.push([name, value])
    }
  }
  if (addedPairs.length === 0) return splices
  const column = getColumn(site.document.text, map.start)
  const addedText = map.flow
    ? flowAppend(site, map, addedPairs.map(flowEntryText))
    : appendLines(
        site,
        map,
        addedPairs.map((pair) => entryText(pair, column, site.style)),
      )
  return [...splices, ...addedText]
}

type ExistingEntry = {
  readonly map: YamlCollection
  readonly entry: YamlEntry
  readonly change: Change
  readonly name: string
}

function changeExisting(site: EditSite, { map, entry, change, name }: ExistingEntry): TextEdit[] {
  const { value } = entry
  const replacement = (wantedValue: RenderableValue): TextEdit[] =>
    map.flow ? flowReplace(entry, [name, wantedValue]) : replaceValue(site, entry, wantedValue)
  if (change.kind === 'set')
    return isSame(site.document, { entry, flow: map.flow }, change.value) ? [] : replacement(change.value)
  if (change.kind === 'remove') return []
  const isEmpty = isNull(value) || isExpandable(site, map, entry)
  if (isEmpty) {
    const wantedValue = newValue(change, true)
    return wantedValue === undefined ? [] : replacement(wantedValue)
  }
  if (change.kind === 'within')
    return value.kind === 'map' ? insertionsInto(site, { map: value, changes: change.changes }) : []
  return value.kind === 'list' ? itemInsertions(site, value, change.items) : []
}

/** Whether an empty `{}` or `[]` in a block mapping can be replaced by block style. False if it contains a comment. */
function isExpandable({ document }: EditSite, map: YamlCollection, { value }: YamlEntry): boolean {
  if (map.flow || (value.kind !== 'map' && value.kind !== 'list') || value.entries.length > 0) return false
  return !document.text.slice(value.start, value.end).includes('#')
}

/** Value to create for a missing or empty setting. Undefined if the change creates nothing. */
function newValue(change: Change, hasList = false): RenderableValue | undefined {
  if (change.kind === 'set') return change.value
  if (change.kind === 'remove') return undefined
  if (change.kind === 'list') return newList(change.items, hasList)
  const innerMap = new Map<string, RenderableValue>()
  for (const [name, item] of change.changes) {
    const value = newValue(item)
    if (value !== undefined) innerMap.set(name, value)
  }
  return innerMap.size === 0 ? undefined : innerMap
}

/** Value of a new list with the new elements. Member texts are only added if a list exists. */
function newList(items: readonly ListChange[], hasList: boolean): RenderableValue | undefined {
  const values = items.flatMap((item): RenderableValue[] => {
    if (item.kind === 'member') return hasList && item.present ? [item.member] : []
    return item.value === undefined ? [] : [item.value]
  })
  return values.length === 0 ? undefined : new Set(values)
}

/** Inserts the first settings of an empty document: after comments and `---`, before `...`. */
function newRoot({ document, style }: EditSite, settings: ReadonlyMap<string, RenderableValue>): TextEdit[] {
  const { text } = document
  const lines = [...settings].map((pair) => entryText(pair, 0, style) + style.eol).join('')
  const marker = /^\.\.\.(?=\s|$)/m.exec(text)
  if (marker !== null) return [replaceRange(marker.index, marker.index, lines)]
  const keptLength = text.trimEnd().length
  return [replaceRange(keptLength, text.length, (keptLength === 0 ? '' : style.eol) + lines)]
}

function itemInsertions(site: EditSite, list: YamlCollection, changes: readonly ListChange[]): TextEdit[] {
  const edits: TextEdit[] = []
  const [prependedItems, appendedItems]: [string[], string[]] = [[], []]
  for (const change of changes) {
    const newElements = toNewElements(change)
    const [existingItem] = findYamlItems(list, change)
    if (existingItem !== undefined) {
      edits.push(...replacement(site, list, { found: existingItem, change }))
      continue
    }
    for (const { value, place } of newElements) {
      const text = renderItem(site, list, value)
      const neighbour = typeof place === 'string' ? undefined : findNeighbour(list, place.behind)
      if (neighbour !== undefined)
        edits.push(...(list.flow ? flowInsertBehind : insertBehind)(site, list, { before: neighbour, text }))
      else (place === 'last' ? appendedItems : prependedItems).push(text)
    }
  }
  return [...edits, ...appendEnds(site, list, { first: prependedItems, last: appendedItems })]
}

type NewElement = { readonly value: RenderableValue; readonly place: ElementPlace }

function toNewElements(change: ListChange): readonly NewElement[] {
  if (change.kind === 'element') return change.value === undefined ? [] : [{ value: change.value, place: change.place }]
  if (!change.present) return []
  return change.raws ?? [{ value: change.member, place: 'last' }]
}

function replacement(
  site: EditSite,
  list: YamlCollection,
  { found, change }: { readonly found: YamlEntry; readonly change: ListChange },
): TextEdit[] {
  if (change.kind === 'member' || change.value === undefined) return []
  if (isSame(site.document, { entry: found, flow: list.flow }, change.value)) return []
  return [replaceRange(found.start, found.end, renderItem(site, list, change.value))]
}

function renderItem({ document, style }: EditSite, list: YamlCollection, value: RenderableValue): string {
  return list.flow ? flowText(value) : itemText(value, getColumn(document.text, list.start), style)
}

const findNeighbour = ({ entries }: YamlCollection, canonical: string): YamlEntry | undefined =>
  entries.find(({ value }) => canonicalText(yamlToJson(value)) === canonical)

type ListEnds = { readonly first: readonly string[]; readonly last: readonly string[] }

function appendEnds(site: EditSite, list: YamlCollection, { first, last }: ListEnds): TextEdit[] {
  if (list.entries.length === 0) {
    const allItems = [...first, ...last]
    return allItems.length === 0 ? [] : flowAppend(site, list, allItems)
  }
  const [prepend, append] = list.flow ? [flowPrepend, flowAppend] : [prependLines, appendLines]
  return [
    ...(first.length === 0 ? [] : prepend(site, list, first)),
    ...(last.length === 0 ? [] : append(site, list, last)),
  ]
}

/** Appends entries to a flow collection, formatted like its other entries. */
function flowAppend(site: EditSite, container: YamlCollection, items: readonly string[]): TextEdit[] {
  const addition = { items, layout: detectLayout(site, container), gaps: findGaps(site.document, container) }
  return container.entries.length === 0 ? fill(site, container, addition) : extend(container, addition)
}

function flowInsertBehind(site: EditSite, container: YamlCollection, { before, text }: Insertion): TextEdit[] {
  const { isMultiline, eol, indent, gap } = detectLayout(site, container)
  return [replaceRange(before.end, before.end, `,${isMultiline ? eol + indent : gap}${text}`)]
}

function flowPrepend(site: EditSite, container: YamlCollection, items: readonly string[]): TextEdit[] {
  const [firstEntry] = container.entries
  if (firstEntry === undefined) return flowAppend(site, container, items)
  const { isMultiline, eol, indent, gap } = detectLayout(site, container)
  return [
    replaceRange(
      firstEntry.start,
      firstEntry.start,
      items.map((item) => `${item},${isMultiline ? eol + indent : gap}`).join(''),
    ),
  ]
}

function flowReplace({ start, end, key, value }: YamlEntry, pair: readonly [string, RenderableValue]): TextEdit[] {
  const text = flowText(pair[1])
  if (text === '' || key === undefined) return [replaceRange(start, end, flowEntryText(pair))]
  if (value.end > value.outer) return [replaceRange(value.outer, end, text)]
  return [replaceRange(key.node.end, end, `: ${text}`)]
}

type Layout = {
  /** Whether each entry is on its own line, indented by `indent`. */
  readonly isMultiline: boolean
  readonly indent: string
  /** Indentation of the line of the opening bracket. */
  readonly outer: string
  readonly eol: string
  readonly gap: string
}

type Addition = {
  readonly items: readonly string[]
  readonly layout: Layout
  readonly gaps: readonly (readonly GapToken[])[]
}

function detectLayout({ document: { text }, style }: EditSite, { start, entries }: YamlCollection): Layout {
  const outerIndent = getIndent(text, start)
  const neighbour = entries.find((entry) => /^[ \t]*$/.test(text.slice(lineStart(text, entry.start), entry.start)))
  const indent = neighbour === undefined ? outerIndent + ' '.repeat(style.mapStep) : getIndent(text, neighbour.start)
  const [firstEntry, second] = entries
  const isTight = firstEntry !== undefined && second !== undefined && text.slice(firstEntry.end, second.start) === ','
  return { isMultiline: neighbour !== undefined, indent, outer: outerIndent, eol: style.eol, gap: isTight ? '' : ' ' }
}

const getIndent = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''

/** Inserts entries between empty brackets, after any comments there. */
function fill({ document }: EditSite, { start, end }: YamlCollection, { items, layout, gaps }: Addition): TextEdit[] {
  const comment = gaps.flat().at(-1)
  if (comment === undefined) return [replaceRange(start + 1, end - 1, items.join(', '))]
  const content = items.map((item) => layout.eol + layout.indent + item).join(',')
  const textAfter = document.text.slice(comment.end, end - 1)
  if (/[\r\n]/.test(textAfter)) return [replaceRange(comment.end, comment.end, content)]
  return [replaceRange(comment.end, end - 1, content + layout.eol + layout.outer)]
}

/** Appends after the last entry and its comments. If that entry has a trailing comma, the new one gets one as well. */
function extend({ entries }: YamlCollection, { items, layout, gaps }: Addition): TextEdit[] {
  const tokens = gaps.at(-1) ?? []
  const lastEnd = entries.at(-1)?.end ?? 0
  const hasComma = tokens.some(({ kind }) => kind === 'comma')
  const isMultiline = layout.isMultiline || tokens.at(-1)?.kind === 'comment'
  const prefix = isMultiline ? layout.eol + layout.indent : layout.gap
  const content = items.map((item) => prefix + item).join(',') + (hasComma ? ',' : '')
  const insertOffset = tokens.at(-1)?.end ?? lastEnd
  if (hasComma) return [replaceRange(insertOffset, insertOffset, content)]
  if (insertOffset === lastEnd) return [replaceRange(insertOffset, insertOffset, `,${content}`)]
  return [replaceRange(lastEnd, lastEnd, ','), replaceRange(insertOffset, insertOffset, content)]
}

/** Appends after the last entry of a block collection and its comments. */
function appendLines({ document, style }: EditSite, container: YamlCollection, entries: readonly string[]): TextEdit[] {
  const column = getColumn(document.text, container.start)
  const insertOffset = findTail(document, container, column)
  return [replaceRange(insertOffset, insertOffset, entries.map((entry) => newLine(column, style) + entry).join(''))]
}

/** Inserts lines directly below an entry's line, before any comments that follow. */
function insertBehind(
  { document, style }: EditSite,
  { start }: YamlCollection,
  { before, text }: Insertion,
): TextEdit[] {
  const insertOffset = lineEnd(document.text, before.end)
  return [replaceRange(insertOffset, insertOffset, newLine(getColumn(document.text, start), style) + text)]
}

type Insertion = { readonly before: YamlEntry; readonly text: string }

/** Inserts before the first entry of a block collection and its comments. */
function prependLines(
  { document, style }: EditSite,
  { start }: YamlCollection,
  entries: readonly string[],
): TextEdit[] {
  const { text } = document
  const column = getColumn(text, start)
  const blanks = ' '.repeat(column)
  let lineOffset = lineStart(text, start)
  if (text.slice(lineOffset, start) !== blanks)
    return [replaceRange(start, start, entries.map((entry) => entry + newLine(column, style)).join(''))]
  while (lineOffset > 0 && text.startsWith(`${blanks}#`, lineStart(text, lineOffset - 1)))
    lineOffset = lineStart(text, lineOffset - 1)
  return [replaceRange(lineOffset, lineOffset, entries.map((entry) => blanks + entry + style.eol).join(''))]
}

/** Replaces the value of a key in a block mapping. Keeps the comments after the key and after the value. */
function replaceValue({ document, style }: EditSite, entry: YamlEntry, value: RenderableValue): TextEdit[] {
  const { text } = document
  const { key, value: oldValue, start, end } = entry
  const colon = key?.colon ?? end
  const newText = valueText(value, getColumn(text, start), style)
  const isBelow = newText.startsWith(style.eol)
  const lineOffset = lineStart(text, oldValue.outer)
  const keptEnd = oldValue.end > oldValue.outer && lineOffset > colon ? lineEnd(text, lineOffset - 1) : colon
  const isBlock = (oldValue.kind === 'map' || oldValue.kind === 'list') && !oldValue.flow
  if (isBelow && isBlock) return [replaceRange(keptEnd, end, newText)]
  const cutEdit = keptEnd === colon ? replaceRange(keptEnd, end, '') : createCutEdit(text, { start: keptEnd, end })
  if (isBelow) {
    const insertOffset = skipComments(text, lineEnd(text, end), getColumn(text, start))
    return [cutEdit, replaceRange(insertOffset, insertOffset, newText)]
  }
  if (!isBlock && keptEnd === colon && oldValue.end > oldValue.outer)
    return [replaceRange(newText === '' ? colon : oldValue.outer, end, newText.slice(1))]
  return [replaceRange(colon, colon, newText), cutEdit]
}

/** End of the comments that follow a line and are indented more than `column`. */
function skipComments(text: string, line: number, column: number): number {
  let end = line
  for (let lineOffset = nextLine(text, line); lineOffset < text.length; lineOffset = nextLine(text, lineOffset)) {
    const lineStop = lineEnd(text, lineOffset)
    const indent = /^ *(?=#)/.exec(text.slice(lineOffset, lineStop))?.[0].length ?? 0
    if (indent <= column) break
    end = lineStop
  }
  return end
}

function findTail({ text }: YamlDocument, container: YamlCollection, column: number): number {
  let tail = lineEnd(text, container.end)
  let pendingTail = tail
  for (let lineOffset = nextLine(text, tail); ; lineOffset = nextLine(text, lineOffset)) {
    const lineStop = lineEnd(text, lineOffset)
    const line = text.slice(lineOffset, lineStop)
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0
    const isBlank = indent === line.length
    if (lineOffset >= text.length) return pendingTail
    if (!isBlank && line[indent] !== '#') return indent < column ? pendingTail : tail
    if (!isBlank && indent < column) return pendingTail
    if (!isBlank) pendingTail = lineStop
    if (isBlank) tail = pendingTail
  }
}
