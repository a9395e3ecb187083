import { err, type Failure, ok, type Result } from '@shared/failure'
import { type JSONVisitor, visit } from 'jsonc-parser'
import { isList, RawText, type RenderableValue } from './changes'
import {
  type Editor,
  isJsonObject,
  isSameJson,
  memoizeBySubject,
  memoizeLatest,
  mergeDeletions,
  replaceRange,
  requireValue,
  splice,
  splitBom,
  type TextEdit,
} from './editor'
import { type FlowLayout, hasLineBreak, insertEntries } from './flow-edits'
import { maskText } from './masking'
import {
  buildUnparsableFailure,
  findWhitespaceEnd,
  findWhitespaceStart,
  getIndent,
  getLineNumber,
  isFirstInLine,
  ParseFault,
  type Span,
} from './text'
import {
  type Collection,
  createScalar,
  type Entry,
  isEmpty,
  nodeToJson,
  type ScalarNode,
  type TreeDocument,
  type TreeNode,
} from './tree'
import { createTreeEditor, type NewEntry, type Position, type TreeFormat } from './tree-editor'

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

function createRoot({ text, comments }: JsonDocument, value: RenderableValue): TextEdit[] {
  const layout = defaultLayout({ eol: detectEol(text), unit: INDENT_UNIT })
  const contentLength = comments.length === 0 ? 0 : text.trimEnd().length
  const content = (contentLength === 0 ? '' : layout.eol) + render(value, { ...layout, indent: '' }) + layout.eol
  return [replaceRange(contentLength, text.length, content)]
}

function replace(
  document: JsonDocument,
  position: Position,
  { value: node }: Entry,
  value: RenderableValue,
): TextEdit[] {
  const layout = detectElementLayout(document, position, detectLayout(document, position), node)
  return [replaceRange(node.start, node.end, render(value, layout))]
}

function insert(
  document: JsonDocument,
  position: Position,
  index: number | 'last',
  entries: readonly NewEntry[],
): TextEdit[] {
  const { container } = position
  const layout = detectLayout(document, position)
  const elementLayout = detectElementLayout(document, position, layout)
  const items = entries.map(({ name, value }) =>
    name === undefined ? render(value, elementLayout) : renderMember([name, value], layout),
  )
  return insertEntries(document.text, container, index, items, layout, container.kind === 'map' ? layout.pad : '')
}

const detectEol = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

const detectStyle = memoizeBySubject(
  ({ text, root }: JsonDocument): Style => ({ eol: detectEol(text), unit: detectIndent(text, root) }),
)

type Style = { readonly eol: string; readonly unit: string }

/** Layout of one object or list. `colon`: white space between a name and its value. `pad`: inside the brackets. */
type Layout = Style & FlowLayout & { readonly colon: string; readonly pad: string }

const INDENT_UNIT = '  '

function defaultLayout({ eol }: Style): Layout {
  return { isMultiline: true, indent: INDENT_UNIT, outer: '', unit: INDENT_UNIT, eol, colon: ': ', gap: ' ', pad: '' }
}

function detectLayout(document: JsonDocument, { container, around }: Position): Layout {
  const { text } = document
  const style = detectStyle(document)
  const baseLayout = { ...defaultLayout(style), unit: style.unit, outer: getIndent(text, container.start) }
  const { entries } = container
  const neighbour = entries.findLast((entry) => isFirstInLine(text, entry.start))
  if (neighbour !== undefined)
    return { ...baseLayout, ...spacing(text, container, around), indent: getIndent(text, neighbour.start) }
  const indent = baseLayout.outer + baseLayout.unit
  if (entries.length > 0) return { ...baseLayout, ...spacing(text, container, around), indent, isMultiline: false }
  if (around === undefined) return { ...baseLayout, indent }
  const isMultiline = around.entries.some((entry) => isFirstInLine(text, entry.start))
  return { ...baseLayout, ...spacing(text, around), indent, isMultiline }
}

/** Layout of a new list element: on a single line if `like`, or else the last object of the list, is. */
function detectElementLayout({ text }: JsonDocument, { container }: Position, layout: Layout, like?: TreeNode): Layout {
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

/** Indentation of one level: how much an entry on its own line is indented more than the line of its bracket. */
function detectIndent(text: string, root: TreeNode | undefined): string {
  const nodes = root === undefined ? [] : [root]
  for (const node of nodes) {
    if (node.kind !== 'map' && node.kind !== 'list') continue
    const entry = node.entries.find(({ start }) => isFirstInLine(text, start))
    if (entry !== undefined) {
      const [outer, indent] = [getIndent(text, node.start), getIndent(text, entry.start)]
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
  return bom + splice(text, mergeDeletions(spans.map(({ start, end }) => replaceRange(start, end))))
}

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

const createFormat = (isStrict: boolean): TreeFormat<JsonDocument> => ({
  parse: (source) => parseDocument(source, isStrict),
  createRoot,
  replace,
  insert,
  hasSameContent,
})

export const jsoncEditor: Editor = {
  ...createTreeEditor(createFormat(false)),
  mask: (text) => maskText(text, parseCached(text)),
}

const strictEditor = createTreeEditor(createFormat(true))

/** Editor for strict JSON. `parse` and `edit` fail with `file.notStrict` for comments. `remove` keeps comments. */
export const jsonEditor: Editor = {
  ...jsoncEditor,
  parse: strictEditor.parse,
  edit: strictEditor.edit,
  toStrict: (text) => toStrictText(requireValue(parseDocument(text, false))),
}

/** Whether settings and comments of two texts are equal. A blank text equals an object without settings. */
function hasSameContent(a: JsonDocument, b: JsonDocument): boolean {
  const isSameValue =
    a.root === undefined || b.root === undefined
      ? [a.root, b.root].every((root) => root === undefined || isEmpty(root))
      : isSameJson(nodeToJson(a.root), nodeToJson(b.root))
  return isSameValue && isSameJson(listComments(a), listComments(b))
}

const listComments = ({ text, comments }: JsonDocument): string[] =>
  comments.map(({ start, end }) => text.slice(start, end)).sort()
