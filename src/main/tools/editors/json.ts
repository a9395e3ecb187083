import { err, type Failure, ok, type Result, toAppError } from '@shared/failure'
import { type JSONVisitor, visit } from 'jsonc-parser'
import { maskSecrets } from '../secret-masking'
import {
  applyChanges,
  buildChanges,
  buildRestoreChanges,
  type Change,
  type Changes,
  findItems,
  type ItemChange,
  isEmpty,
  isList,
  listNewItems,
  newValue,
  pruneEmptyCollections,
  RawText,
  type RenderableValue,
  type RootChange,
  toPlainJson,
} from './changes'
import {
  createRefusal,
  type Editor,
  isJsonObject,
  isSameJson,
  type Json,
  memoizeLatest,
  type OpenEdit,
  type OwnedPath,
  replaceRange,
  requireValue,
  splitBom,
  type TextEdit,
  toFileText,
} from './editor'
import { type FlowLayout, hasLineBreak, insertEntries } from './flow-edits'
import {
  buildUnparsableFailure,
  findWhitespaceEnd,
  findWhitespaceStart,
  getLineNumber,
  isFirstInLine,
  lineStart,
  ParseFault,
  type Span,
} from './text'
import {
  type Collection,
  createScalar,
  type Entry,
  findEntry,
  nodeToJson,
  type ScalarNode,
  type TreeDocument,
  type TreeNode,
  toSettings,
} from './tree'

/** A parsed JSON text, with the comments and trailing commas that strict JSON does not allow, in text order. */
type JsonDocument = TreeDocument & { readonly trailingCommas: readonly Span[] }

/** Nesting limit, because functions that walk the tree are recursive. */
const MAX_DEPTH = 1000

/** An object or list whose end is not read yet. `key`: name of the next value in an object. */
type OpenContainer = { readonly start: number; readonly entries: Entry[]; key?: ScalarNode }

/** Parses JSON with comments and trailing commas. Throws a `ParseFault`. */
function readJson(text: string): Omit<JsonDocument, 'bom' | 'text'> {
  const comments: Span[] = []
  const trailingCommas: Span[] = []
  const openContainers: OpenContainer[] = []
  let root: TreeNode | undefined
  let comma: Span | undefined
  const begin = (start: number): void => {
    comma = undefined
    openContainers.push({ start, entries: [] })
    if (openContainers.length > MAX_DEPTH) throw new ParseFault('It is nested too deeply', start)
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
      if (parent !== undefined) parent.key = createScalar(name, { start, end: start + length })
    },
    onObjectEnd: (offset, length) => leave('map', offset + length),
    onArrayBegin: begin,
    onArrayEnd: (offset, length) => leave('list', offset + length),
    onLiteralValue: (value: ScalarNode['value'], start, length) =>
      add(createScalar(value, { start, end: start + length })),
    onSeparator: (character, start) => {
      if (character === ',') comma = { start, end: start + 1 }
    },
    onComment: (start, length) => void comments.push({ start, end: start + length }),
    onError: (_code, offset) => {
      throw new ParseFault('It is not valid JSON', offset)
    },
  }
  visit(text, visitor, { allowTrailingComma: true, allowEmptyContent: true })
  return { root, comments, trailingCommas }
}

/**
 * Parses the text. Fails with `file.unparsable`, or `file.notStrict` if `isStrict` (no comments or trailing commas), and
 * the line number, without the line's text.
 */
function parseDocument(source: string, isStrict: boolean): Result<JsonDocument, Failure> {
  const document = parseCached(source)
  if (!document.ok) return document
  const { root, text } = document.value
  if (root?.kind === 'scalar')
    return err(buildUnparsableFailure('It does not hold a JSON object', getLineNumber(text, root.start)))
  return isStrict ? requireStrictSyntax(document.value) : document
}

const parseCached = memoizeLatest((source: string): Result<JsonDocument, Failure> => {
  const { bom, text } = splitBom(source)
  try {
    return ok({ bom, text, ...readJson(text) })
  } catch (error) {
    if (!(error instanceof ParseFault)) throw error
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

function insertions(document: JsonDocument, change: RootChange): TextEdit[] {
  const { root, text, comments } = document
  const style = { eol: /\r\n|\n|\r/.exec(text)?.[0] ?? '\n', unit: detectIndent(text, root) }
  if (root !== undefined) return buildNodeEdits({ text, style, around: undefined }, root, change)
  const value = newValue(change)
  if (value === undefined) return []
  const layout = defaultLayout(style)
  const contentLength = comments.length === 0 ? 0 : text.trimEnd().length
  const content = (contentLength === 0 ? '' : layout.eol) + render(value, { ...layout, indent: '' }) + layout.eol
  return [replaceRange(contentLength, text.length, content)]
}

function buildNodeEdits(setting: Omit<ContainerPosition, 'container'>, node: TreeNode, change: Change): TextEdit[] {
  if (change.kind === 'within' && node.kind === 'map')
    return buildObjectEdits({ ...setting, container: node }, change.changes)
  if (change.kind === 'list' && node.kind === 'list') return changeList({ ...setting, container: node }, change.items)
  return []
}

/** Replaces a value. `position` locates the entry that contains it. */
function replace(position: ContainerPosition, node: TreeNode, value: Json | RawText): TextEdit[] {
  if (isSameJson(nodeToJson(node), toPlainJson(value))) return []
  const layout = detectElementLayout(position, detectLayout(position), node)
  return [replaceRange(node.start, node.end, render(value, layout))]
}

function buildObjectEdits(position: ContainerPosition, changes: Changes): TextEdit[] {
  const { text, container } = position
  const edits: TextEdit[] = []
  const addedProperties: [string, RenderableValue][] = []
  for (const [name, change] of changes) {
    const existingValue = findEntry(container, name)?.value
    if (existingValue !== undefined && change.kind === 'set')
      edits.push(...replace(position, existingValue, change.value))
    else if (existingValue !== undefined)
      edits.push(...buildNodeEdits({ ...position, around: container }, existingValue, change))
    else {
      const value = newValue(change)
      if (value !== undefined) addedProperties.push([name, value])
    }
  }
  if (addedProperties.length === 0) return edits
  const layout = detectLayout(position)
  const items = addedProperties.map((member) => renderMember(member, layout))
  return [...edits, ...insertEntries(text, container, container.entries.length, items, layout, layout.pad)]
}

function changeList(position: ContainerPosition, changes: readonly ItemChange[]): TextEdit[] {
  const edits: TextEdit[] = []
  const addedItemsByIndex = new Map<number, RenderableValue[]>()
  const { container } = position
  const { length } = container.entries
  for (const change of changes) {
    const [existing] = findItems(container, change)
    if (existing !== undefined) {
      if (change.kind === 'element' && change.value !== undefined)
        edits.push(...replace(position, existing.value, change.value))
      continue
    }
    for (const { value, place } of listNewItems(change)) {
      const index = typeof place === 'number' ? Math.min(place, length) : { first: 0, last: length }[place]
      addedItemsByIndex.set(index, [...(addedItemsByIndex.get(index) ?? []), value])
    }
  }
  if (addedItemsByIndex.size === 0) return edits
  const layout = detectLayout(position)
  const elementLayout = detectElementLayout(position, layout)
  return [
    ...edits,
    ...[...addedItemsByIndex].flatMap(([index, values]) =>
      insertEntries(
        position.text,
        container,
        index,
        values.map((value) => render(value, elementLayout)),
        layout,
      ),
    ),
  ]
}

type Style = { readonly eol: string; readonly unit: string }

/** Layout of one object or list. `colon`: white space between a name and its value. `pad`: inside the brackets. */
type Layout = Style & FlowLayout & { readonly colon: string; readonly pad: string }

const INDENT_UNIT = '  '

function defaultLayout({ eol }: Style): Layout {
  return { isMultiline: true, indent: INDENT_UNIT, outer: '', unit: INDENT_UNIT, eol, colon: ': ', gap: ' ', pad: '' }
}

type ContainerPosition = {
  readonly text: string
  readonly style: Style
  readonly container: Collection
  readonly around: Collection | undefined
}

function detectLayout({ text, style, container, around }: ContainerPosition): Layout {
  const baseLayout = { ...defaultLayout(style), unit: style.unit, outer: indentOfLine(text, container.start) }
  const { entries } = container
  const neighbour = entries.findLast((entry) => isFirstInLine(text, entry.start))
  if (neighbour !== undefined)
    return { ...baseLayout, ...spacing(text, container, around), indent: indentOfLine(text, neighbour.start) }
  const indent = baseLayout.outer + baseLayout.unit
  if (entries.length > 0) return { ...baseLayout, ...spacing(text, container, around), indent, isMultiline: false }
  if (around === undefined) return { ...baseLayout, indent }
  const isMultiline = around.entries.some((entry) => isFirstInLine(text, entry.start))
  return { ...baseLayout, ...spacing(text, around), indent, isMultiline }
}

/** Layout of a new list element: on a single line if `like`, or else the last object of the list, is. */
function detectElementLayout({ text, container }: ContainerPosition, layout: Layout, like?: TreeNode): Layout {
  if (container.kind !== 'list') return layout
  const lastObject = container.entries.findLast(({ value }) => value.kind === 'map' && value.entries.length > 0)
  const neighbour = like ?? lastObject?.value
  if (neighbour?.kind !== 'map' || hasLineBreak(text, neighbour)) return layout
  return { ...layout, ...spacing(text, neighbour), isMultiline: false }
}

function render(value: RenderableValue, layout: Layout): string {
  if (value instanceof RawText) return value.parts.text
  const innerLayout = { ...layout, indent: layout.indent + layout.unit }
  if (value instanceof Map) {
    const members = [...value].map((entry) => renderMember(entry, innerLayout))
    return renderEntries(members, layout, '{}')
  }
  if (isList(value)) {
    const items = value.map((item) => render(item, innerLayout))
    return renderEntries(items, layout, '[]')
  }
  return isJsonObject(value) ? render(new Map(Object.entries(value)), layout) : JSON.stringify(value)
}

function renderMember([name, value]: readonly [string, RenderableValue], layout: Layout): string {
  const head = value instanceof RawText ? value.parts.key : undefined
  return (head ?? JSON.stringify(name) + layout.colon) + render(value, layout)
}

function renderEntries(entries: readonly string[], layout: Layout, brackets: '{}' | '[]'): string {
  const [open, close] = brackets
  if (entries.length === 0) return brackets
  const padding = brackets === '{}' ? layout.pad : ''
  if (!layout.isMultiline) return open + padding + entries.join(`,${layout.gap}`) + padding + close
  const { eol, indent, unit } = layout
  return open + eol + entries.map((entry) => indent + unit + entry).join(`,${eol}`) + eol + indent + close
}

function indentOfLine(text: string, offset: number): string {
  const start = lineStart(text, offset)
  let end = start
  while (end < offset && (text[end] === ' ' || text[end] === '\t')) end += 1
  return text.slice(start, end)
}

/** Indentation of one level: how much an entry on its own line is indented more than the line of its bracket. */
function detectIndent(text: string, root: TreeNode | undefined): string {
  const nodes = root === undefined ? [] : [root]
  for (const node of nodes) {
    if (node.kind !== 'map' && node.kind !== 'list') continue
    const entry = node.entries.find(({ start }) => isFirstInLine(text, start))
    if (entry !== undefined) {
      const [outer, indent] = [indentOfLine(text, node.start), indentOfLine(text, entry.start)]
      if (indent.length > outer.length && indent.startsWith(outer)) return indent.slice(outer.length)
    }
    for (const { value } of node.entries) nodes.push(value)
  }
  return INDENT_UNIT
}

function spacing(text: string, container: Collection, around?: Collection): Pick<Layout, 'colon' | 'gap' | 'pad'> {
  const padding = text[container.start + 1] === ' ' && text[container.end - 2] === ' ' ? ' ' : ''
  const [lastEntry, previous] = [container.entries.at(-1), container.entries.at(-2)]
  if (lastEntry?.key !== undefined) {
    const separatorText = text.slice(lastEntry.key.node.end, lastEntry.value.start)
    const colonText = /^ ?: ?$/.test(separatorText) ? separatorText : ': '
    return { colon: colonText, gap: colonText.endsWith(' ') ? ' ' : '', pad: padding }
  }
  const nested = lastEntry?.value
  const outerContainer = around ?? (nested?.kind === 'map' || nested?.kind === 'list' ? nested : undefined)
  const outerSpacing = outerContainer === undefined ? { colon: ': ', gap: ' ' } : spacing(text, outerContainer)
  const separatorText = lastEntry && previous ? text.slice(previous.end, lastEntry.start) : ''
  return { ...outerSpacing, gap: /^, ?$/.test(separatorText) ? separatorText.slice(1) : outerSpacing.gap, pad: padding }
}

/** Removes comments and trailing commas. Removes lines that contain only a comment. */
function toStrictText({ bom, text, comments, trailingCommas }: JsonDocument): string {
  const spans = [...comments.map((comment) => extendToLine(text, comment)), ...trailingCommas]
  if (spans.length === 0) return bom + text
  const textParts: string[] = [bom]
  let position = 0
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    textParts.push(text.slice(position, Math.max(position, start)))
    position = Math.max(position, end)
  }
  textParts.push(text.slice(position))
  return textParts.join('')
}

const holdsSetting = ({ root }: JsonDocument): boolean => root !== undefined && !isEmpty(root)

/** Range of a comment with the blanks before it. If the comment is alone on its line, the range of the line. */
function extendToLine(text: string, { start, end }: Span): Span {
  const blanksAfter = findWhitespaceEnd(text, end)
  const isLineEnd = blanksAfter === text.length || text[blanksAfter] === '\n' || text[blanksAfter] === '\r'
  if (!isLineEnd) return { start, end }
  const blanksStart = findWhitespaceStart(text, start)
  if (!isFirstInLine(text, start)) return { start: blanksStart, end }
  return {
    start: blanksStart,
    end: blanksAfter + (text.startsWith('\r\n', blanksAfter) ? 2 : Math.min(1, text.length - blanksAfter)),
  }
}

export const jsoncEditor: Editor = {
  parse: (text) => parse(text, false),
  edit: (text, edits) => edit(text, edits, false),
  remove,
  isBlank,
  mask: maskSecrets,
}

/** Editor for strict JSON. `parse` and `edit` fail with `file.notStrict` for comments. `remove` keeps comments. */
export const jsonEditor: Editor = {
  ...jsoncEditor,
  parse: (text) => parse(text, true),
  edit: (text, edits) => edit(text, edits, true),
  toStrict: (text) => toStrictText(requireDocument(text)),
}

function parse(text: string, isStrict: boolean): ReturnType<Editor['parse']> {
  const document = parseDocument(text, isStrict)
  return document.ok ? ok(toSettings(document.value)) : document
}

function edit(text: string, edits: readonly OpenEdit[], isStrict: boolean): string {
  const change = buildChanges(edits)
  const currentDocument = requireDocument(text, isStrict)
  refuseUnreachable(currentDocument, change)
  const parse = (source: string): JsonDocument => requireDocument(source, isStrict)
  return toFileText(applyChanges(currentDocument, change, { parse, insertions }))
}

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const parse = (source: string): JsonDocument => requireDocument(source)
  const currentDocument = parse(text)
  const originalDocument = parse(original ?? '')
  const change = buildRestoreChanges({ owned, current: currentDocument, original: originalDocument })
  refuseUnreachable(currentDocument, change)
  pruneEmptyCollections(currentDocument, change, originalDocument)
  const result = applyChanges(currentDocument, change, { parse, insertions })
  return original !== undefined && hasSameContent(result, originalDocument) ? original : toFileText(result)
}

function isBlank(text: string): boolean {
  const document = requireDocument(text)
  return document.comments.length === 0 && !holdsSetting(document)
}

const requireDocument = (text: string, isStrict = false): JsonDocument => requireValue(parseDocument(text, isStrict))

/** Whether settings and comments of two texts are equal. A blank text equals an object without settings. */
function hasSameContent(a: JsonDocument, b: JsonDocument): boolean {
  if (a.root === undefined || b.root === undefined) {
    if (holdsSetting(a) || holdsSetting(b)) return false
  } else if (!isSameJson(nodeToJson(a.root), nodeToJson(b.root))) return false
  return isSameJson(listComments(a), listComments(b))
}

const listComments = ({ text, comments }: JsonDocument): string[] =>
  comments.map(({ start, end }) => text.slice(start, end)).sort()

/** Throws if an edit is ambiguous: a parent is no object, a value is no list, or names or elements are duplicates. */
function refuseUnreachable({ root, text }: JsonDocument, change: RootChange): void {
  if (root === undefined || (change.kind === 'within' && change.changes.size === 0)) return
  if ((change.kind === 'list') !== (root.kind === 'list')) {
    const problem = `It does not hold a JSON ${change.kind === 'list' ? 'list' : 'object'}`
    throw toAppError(buildUnparsableFailure(problem, getLineNumber(text, root.start)))
  }
  check(text, root, change, [])
}

function check(text: string, node: TreeNode, change: Change, path: readonly string[]): void {
  if (change.kind === 'list') {
    if (node.kind !== 'list') throw createRefusal(text, path, node.start, 'is not a list')
    for (const item of change.items) {
      const [, second] = item.kind === 'element' ? findItems(node, item) : []
      if (second !== undefined) throw createRefusal(text, path, second.start, 'holds one element twice')
    }
  }
  if (change.kind !== 'within') return
  if (node.kind !== 'map') throw createRefusal(text, path, node.start, 'is not an object')
  for (const [name, nestedChange] of change.changes) {
    const memberPath = [...path, name]
    const [first, second] = node.entries.filter(({ key }) => key?.name === name)
    if (second !== undefined) throw createRefusal(text, memberPath, second.start, 'appears twice')
    if (first !== undefined) check(text, first.value, nestedChange, memberPath)
  }
}
