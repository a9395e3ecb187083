import { AppError, ok } from '@shared/failure'
import { isList, RawText, type RenderableValue } from './changes'
import { type Editor, isJsonObject, replaceRange, type TextEdit } from './editor'
import { insertEntries } from './flow-edits'
import { maskText } from './masking'
import { lineStart, nextLine } from './text'
import {
  formatInlineTable,
  formatKeyPath,
  formatPair,
  type Pair,
  quoteToml,
  readToml,
  startsWith,
  type TomlDocument,
} from './toml-document'
import type { Collection, Entry, Path } from './tree'
import { createTreeEditor, type NewEntry, type Position } from './tree-editor'

const treeEditor = createTreeEditor({ parse: readToml, replace, insert, deleteEntries })

/**
 * Editor for TOML. Updates settings in place, appends new settings to their table, and adds new tables at the end.
 * Keeps inline tables and dotted keys. Removing a table also removes its subtables. Rejects settings inside a plain
 * value or an array of tables, and values that would replace a table.
 */
export const tomlEditor: Editor = {
  ...treeEditor,
  remove: (text, owned, original) => {
    const result = treeEditor.remove(text, owned, original)
    // Remove the blank line that this app added between its settings and the first table.
    return result === original || leadingBlankLines.test(original ?? '')
      ? result
      : result.replace(leadingBlankLines, '$1')
  },
  mask: maskToml,
}

const leadingBlankLines = /^(\uFEFF?)(?:[ \t]*\r?\n)+/

/** Deletes the lines of settings, and the blank line above a table. */
function deleteEntries({ text }: TomlDocument, _container: Collection, entries: ReadonlySet<Entry>): TextEdit[] {
  return [...entries]
    .flatMap(({ own = [] }) => own)
    .map(({ start, end }) => {
      const blankLine = isHeader(text.slice(start, end)) ? /(?:^|\n)([ \t]*\r?\n)$/.exec(text.slice(0, start))?.[1] : ''
      return replaceRange(start - (blankLine ?? '').length, end)
    })
}

const isHeader = (lines: string): boolean => /^[ \t]*\[/.test(lines)

function replace(
  _document: TomlDocument,
  { container }: Position,
  entry: Entry,
  wantedValue: RenderableValue,
): TextEdit[] {
  const { key, value } = entry
  const path = [...(container.path ?? []), ...(key === undefined ? [] : [key.name])]
  return [replaceRange(value.start, value.end, formatValue(wantedValue, path))]
}

const inlineLayout = { eol: '', isMultiline: false, indent: '', outer: '', gap: ' ' } as const

/** Inserts lines after those of their table, before the first table, or below a new header at the end of the file. */
function insert(
  document: TomlDocument,
  { container }: Position,
  index: number | 'last',
  newEntries: readonly NewEntry[],
): TextEdit[] {
  const { text, tables } = document
  const { path = [], brackets } = container
  if (container.flow) {
    const names = path.slice(brackets?.path.length ?? 0)
    const items = newEntries.map(({ name, value }) =>
      name === undefined ? formatValue(value, path) : formatPair([...names, name], formatValue(value, [...path, name])),
    )
    return insertEntries(text, brackets ?? container, index, items, inlineLayout, container.kind === 'map' ? ' ' : '')
  }
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const position = findInsertPosition(document, path)
  const settings = newEntries.map(({ name = '', value }) => [name, value] as const)
  const pairs = settings.filter(([, value]) => position !== undefined && !isNewTable(value))
  const edits: TextEdit[] = []
  if (position !== undefined && pairs.length > 0) {
    const { offset, base, indent } = position
    const lines = pairs.map(([name, value]) => indent + formatLine(path, path.slice(base), name, value) + eol)
    const isAboveTable = path.length === 0 && tables.length > 1 && tables[0]?.pairs.length === 0
    edits.push(replaceRange(offset, offset, lines.join('') + (isAboveTable ? eol : '')))
  }
  const missingEol = /(?:^|\n)$/.test(text) ? '' : eol
  const newTables = formatTables(
    path,
    settings.filter((setting) => !pairs.includes(setting)),
    eol,
  )
  const isFirst = edits.length === 0 && /^\s*$|\n[ \t]*\r?\n$/.test(text + missingEol)
  const tableTexts = newTables.map((table, tableIndex) => (tableIndex === 0 && isFirst ? table : eol + table))
  if (tableTexts.length > 0) edits.push({ offset: text.length, length: 0, content: tableTexts.join(''), isLast: true })
  const [firstAtEnd] = edits.filter(({ offset }) => offset === text.length)
  return edits.map((edit) => (edit === firstAtEnd ? { ...edit, content: missingEol + edit.content } : edit))
}

/** Whether a value is written as a table with a header. */
const isNewTable = (value: RenderableValue): boolean =>
  value instanceof Map || (value instanceof RawText && isHeader(value.parts.own ?? ''))

/** New tables: the settings of one below its header, and those within it. */
function formatTables(path: Path, settings: readonly (readonly [string, RenderableValue])[], eol: string): string[] {
  const lines = settings.flatMap(([name, value]) =>
    isNewTable(value) ? [] : [formatLine(path, [], name, value) + eol],
  )
  const nestedTables = settings.flatMap(([name, value]) => {
    if (value instanceof Map) return formatTables([...path, name], [...value], eol)
    const block = value instanceof RawText && isNewTable(value) ? value.parts.own : undefined
    return block === undefined ? [] : [block + (block.endsWith('\n') ? '' : eol)]
  })
  return lines.length === 0 ? nestedTables : [`[${formatKeyPath(path)}]${eol}${lines.join('')}`, ...nestedTables]
}

/** The line of a setting. `names`: names of its tables before its own. */
function formatLine(path: Path, names: Path, name: string, value: RenderableValue): string {
  const line = value instanceof RawText && names.length === 0 ? value.parts.own : undefined
  return line?.replace(/^[ \t]+|\r?\n$/g, '') ?? formatPair([...names, name], formatValue(value, [...path, name]))
}

type InsertPosition = { readonly offset: number; readonly base: number; readonly indent: string }

/** Position of a new line, and how many parent names the header above contains. Undefined: needs a new header. */
function findInsertPosition(document: TomlDocument, parent: Path): InsertPosition | undefined {
  const { text, tables } = document
  const getPositionAfter = (pair: Pair, base: number): InsertPosition => ({
    offset: nextLine(text, pair.end),
    base,
    indent: text.slice(lineStart(text, pair.start), pair.start),
  })
  for (const { path, pairs } of tables) {
    const dottedPair = pairs.findLast((pair) => parent.length > path.length && isDescendantPath(pair.path, parent))
    if (dottedPair !== undefined) return getPositionAfter(dottedPair, path.length)
  }
  const table = tables.find(({ path }) => path.length === parent.length && startsWith(path, parent))
  const lastPair = table?.pairs.at(-1)
  if (table !== undefined && lastPair !== undefined) return getPositionAfter(lastPair, table.path.length)
  if (table?.header !== undefined) return { offset: nextLine(text, table.header.end), base: parent.length, indent: '' }
  return parent.length > 0 ? undefined : { offset: findFirstTableOffset(document), base: 0, indent: '' }
}

/** Offset before the first header and the comments above it, or the end of the text. */
function findFirstTableOffset({ text, tables: [, firstTable] }: TomlDocument): number {
  if (firstTable?.header === undefined) return text.length
  let start = lineStart(text, firstTable.header.start)
  for (let lineAboveOffset = start; lineAboveOffset > 0; ) {
    lineAboveOffset = lineStart(text, lineAboveOffset - (text[lineAboveOffset - 2] === '\r' ? 2 : 1))
    if (!/^[ \t]*#/.test(text.slice(lineAboveOffset, start))) break
    start = lineAboveOffset
  }
  return start
}

/** Formats a value as TOML 1.0. Fails with `input.invalid` for unrepresentable values. */
function formatValue(value: RenderableValue, path: Path): string {
  if (value instanceof RawText) return value.parts.text
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw createUnwritableError(path)
    const isLiteral = value.includes('\\') && !/['\p{Cc}]/u.test(value)
    return isLiteral ? `'${value}'` : quoteToml(value)
  }
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (isList(value)) return `[${value.map((item) => formatValue(item, path)).join(', ')}]`
  const members = value instanceof Map ? [...value] : isJsonObject(value) ? Object.entries(value) : undefined
  if (members === undefined) throw createUnwritableError(path)
  return formatInlineTable(members.map(([name, inner]) => formatPair([name], formatValue(inner, path))))
}

function createUnwritableError(path: Path): AppError {
  const field = path.join('.')
  return new AppError('input.invalid', `The value of ${field} cannot be written to a TOML file. Use another one.`, {
    field,
  })
}

/** Masks a TOML text for display. Treats the headers of tables like comments. */
function maskToml(source: string): string {
  const document = readToml(source)
  if (!document.ok) return maskText(source, document)
  const { comments, tables } = document.value
  const headers = tables.flatMap(({ header }) => header ?? [])
  return maskText(source, ok({ ...document.value, comments: [...comments, ...headers] }))
}

const isDescendantPath = (path: Path, ancestor: Path): boolean =>
  path.length > ancestor.length && startsWith(path, ancestor)
