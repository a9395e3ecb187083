import { AppError, type Failure, ok, type Result } from '@shared/failure'
import type { AST } from 'toml-eslint-parser'
import { MASKED, maskSecretForms } from '../../core/secret'
import { maskValue } from '../secret-masking'
import {
  createEditMismatchError,
  createRefusal,
  type Editor,
  getValueAt,
  isJsonObject,
  isSameJson,
  type Json,
  type OwnedPath,
  splice,
  type TextEdit,
} from './editor'
import { lineEnd, lineStart, nextLine, type Span } from './text'
import {
  findPair,
  inlinePairs,
  type Pair,
  type Path,
  pathKey,
  readPairs,
  readToml,
  requireToml,
  startsWith,
  type Table,
  type TomlDocument,
  tomlToJson,
  tomlValueToJson,
} from './toml-document'

/**
 * Editor for TOML. Updates settings in place, appends new settings to their table, and adds new tables at the end.
 * Keeps inline tables and dotted keys. Removing a table also removes its subtables. Rejects settings inside a plain
 * value or an array of tables, and values that would replace a table.
 */
export const tomlEditor: Editor = {
  parse: (text) => {
    const document = readToml(text)
    return document.ok ? ok(tomlToJson(document.value)) : document
  },
  edit: (text, edits) => {
    const wantedSettings = edits.map((edit) => {
      if (!('value' in edit) || 'element' in edit) throw new Error(listEditMessage)
      const { path, value } = edit
      return { path, wantedValue: value === undefined ? undefined : { value, raw: writeValue(value, path) } }
    })
    return applyWantedValues(requireToml(text), toWantedMap(wantedSettings))
  },
  remove,
  isBlank: (text) => text.trim() === '',
  mask: maskToml,
}

const listEditMessage = 'List edits of TOML files are not supported.'

/** Value and source text (`raw`). `line`: the setting's whole line. `block`: a table with all its subtables. */
type WantedValue = { readonly value: Json; readonly raw: string; readonly line?: string; readonly block?: string }

/** A setting to write. An undefined `wantedValue` removes it. */
type WantedSetting = { readonly path: readonly string[]; readonly wantedValue: WantedValue | undefined }

/** Settings to write, by path. */
type WantedSettings = ReadonlyMap<string, WantedSetting>

function toWantedMap(settings: readonly WantedSetting[]): WantedSettings {
  for (const setting of settings) {
    const { path } = setting
    const isDuplicate = settings.some((other) => other !== setting && startsWith(other.path, path))
    if (path.length === 0 || isDuplicate) throw new Error(`Two edits change ${path.join('.') || 'the document'}.`)
  }
  return new Map(settings.map((setting) => [pathKey(setting.path), setting]))
}

const leadingBlankLines = /^(\uFEFF?)(?:[ \t]*\r?\n)+/

function remove(text: string, owned: readonly OwnedPath[], original: string | undefined): string {
  const currentDocument = requireToml(text)
  const originalDocument = requireToml(original ?? '')
  const wantedValues = toWantedMap(
    owned.flatMap(({ path, member, element }) => {
      if (member !== undefined || element !== undefined) throw new Error(listEditMessage)
      const wantedValue = readOriginalSetting(originalDocument, path)
      // True if the user has replaced our value with a table. That table is kept.
      const isUserTable =
        (wantedValue === undefined || wantedValue.block !== undefined) && findTable(currentDocument, path) !== undefined
      return isUserTable ? [] : [{ path, wantedValue }]
    }),
  )
  const knownTables = new Set(originalDocument.tables.map((table) => pathKey(table.path)))
  const addedTables = currentDocument.tables.filter(
    ({ path }) => !knownTables.has(pathKey(path)) && isParentOfOwned(path, wantedValues),
  )
  const remainingText = applyWantedValues(currentDocument, wantedValues, new Set(addedTables))
  // Remove the blank line that this app added between its settings and the first table.
  const result = leadingBlankLines.test(originalDocument.text)
    ? remainingText
    : remainingText.replace(leadingBlankLines, '$1')
  const isSameText =
    original !== undefined &&
    extractUnownedText(requireToml(result), wantedValues) === extractUnownedText(originalDocument, wantedValues)
  return isSameText ? original : result
}

/** Reads a setting with its source text, and the whole line unless it is part of an inline or dotted table. */
function readOriginalSetting(document: TomlDocument, path: readonly string[]): WantedValue | undefined {
  const { text, tables } = document
  const pair = findPair(document, path)
  if (pair === undefined) return readTable(document, path)
  const wantedValue = { value: tomlValueToJson(pair.value), raw: text.slice(...pair.value.range) }
  const table = tables.find(({ pairs }) => pairs.includes(pair))
  const isPlainLine = table?.path.length === path.length - 1
  return isPlainLine ? { ...wantedValue, line: text.slice(pair.start, lineEnd(text, pair.end)) } : wantedValue
}

/** Reads a table as an inline value. Includes its source text, unless other tables define parts of it. */
function readTable(document: TomlDocument, path: readonly string[]): WantedValue | undefined {
  const value = getValueAt(tomlToJson(document), path)
  if (value === undefined) return undefined
  const wantedValue = { value, raw: getRawText(document, path, value) }
  const isInSeveralTables = document.tables.some(
    (table) => !startsWith(table.path, path) && listNestedPairs(table.pairs, path).length,
  )
  if (isInSeveralTables) return wantedValue
  const blocks = listBlocks(document, path).map(({ start, end }) => document.text.slice(start, end))
  return { ...wantedValue, block: blocks.join('') }
}

/** Source text of a value. Copies the document's text if the value has a single definition, else renders it inline. */
function getRawText(document: TomlDocument, path: Path, value: Json): string {
  const pair = findPair(document, path)
  if (pair !== undefined) return document.text.slice(...pair.value.range)
  if (Array.isArray(value))
    return `[${value.map((entry: Json, index) => getRawText(document, [...path, index], entry)).join(', ')}]`
  const pairs = Object.entries(isJsonObject(value) ? value : {})
  return inlineTable(pairs.map(([name, inner]) => formatPair([name], getRawText(document, [...path, name], inner))))
}

/** Line ranges of the table at a path and of its subtables. Adjacent ranges are merged. */
function listBlocks({ text, tables }: TomlDocument, path: Path): Span[] {
  const blocks: Span[] = []
  let isOpen = false
  for (const { path: tablePath, header, pairs } of tables) {
    const isNestedTable = header !== undefined && startsWith(tablePath, path)
    if (isNestedTable) {
      const start = isOpen ? (blocks.pop()?.start ?? 0) : lineStart(text, header.start)
      blocks.push({ start, end: nextLine(text, pairs.at(-1)?.end ?? header.end) })
    }
    isOpen = isNestedTable
  }
  return blocks
}

/** Pairs whose path starts with another path, including pairs in inline tables. */
const listNestedPairs = (pairs: readonly Pair[], path: Path): readonly Pair[] =>
  pairs.flatMap((pair) => {
    if (isDescendantPath(pair.path, path)) return [pair]
    return isDescendantPath(path, pair.path) ? listNestedPairs(inlinePairs(pair) ?? [], path) : []
  })

/** Finds the first definition of a table: its header, or a line with its name. */
function findTable({ tables }: TomlDocument, path: Path): Span | undefined {
  for (const { path: tablePath, header, pairs } of tables) {
    const [inner] = listNestedPairs(pairs, path)
    if (inner) return inner
    if (header !== undefined && startsWith(tablePath, path)) return header
  }
  return undefined
}

/** Finds the wanted value for a path. A path below a removed setting counts as removed. */
const findWantedSetting = (path: Path, wantedValues: WantedSettings) =>
  wantedValues.get(pathKey(path)) ??
  [...wantedValues.values()].find((entry) => entry.wantedValue === undefined && isDescendantPath(path, entry.path))

const isParentOfOwned = (path: Path, wantedValues: WantedSettings): boolean =>
  [...wantedValues.values()].some((entry) => isDescendantPath(entry.path, path))

function applyWantedValues(
  document: TomlDocument,
  wantedValues: WantedSettings,
  prunable?: ReadonlySet<Table>,
): string {
  for (const { path, wantedValue } of wantedValues.values())
    refuseUnreachable(document, path, wantedValue === undefined)
  const { bom, tables } = document
  const removedValues = [...wantedValues.values()].filter(({ wantedValue }) => wantedValue === undefined)
  const changes = [
    ...removedValues.flatMap(({ path }) => listBlocks(document, path).map((block) => removeBlock(document, block))),
    ...tables
      .filter(({ path }) => !removedValues.some((entry) => startsWith(path, entry.path)))
      .flatMap((table) => tableChanges(document, table, wantedValues, prunable?.has(table) ?? false)),
  ]
  const changedDocument = changes.length === 0 ? document : requireToml(bom + splice(document.text, changes))
  const result = bom + addMissingSettings(changedDocument, wantedValues)
  verifyEdit(document, readToml(result), wantedValues)
  return result
}

/** Adds missing settings. Settings in inline tables are added before, by rewriting the table. */
function addMissingSettings(document: TomlDocument, wantedValues: WantedSettings): string {
  const { text, tables } = document
  const isInlinePath = (path: readonly string[]): boolean =>
    tables.some(({ pairs }) => pairs.some((pair) => startsWith(path, pair.path)))
  const missingSettings = [...wantedValues.values()].flatMap(({ path, wantedValue }) =>
    wantedValue && !isInlinePath(path) ? [{ path, wantedValue }] : [],
  )
  if (missingSettings.length === 0) return text
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const terminatedText = /(?:^|\n)$/.test(text) ? text : text + eol
  return splice(terminatedText, insertions({ ...document, text: terminatedText }, missingSettings, eol))
}

function tableChanges(
  { text, comments }: TomlDocument,
  { header, pairs }: Table,
  wantedValues: WantedSettings,
  isPrunable: boolean,
): TextEdit[] {
  const edits = pairs.flatMap((pair) => pairChange(text, pair, wantedValues))
  const isRemovedLine = (pair: Pair): boolean =>
    edits.some(({ offset, content }) => content === '' && offset === lineStart(text, pair.start))
  if (header === undefined || !isPrunable || !pairs.every(isRemovedLine)) return edits
  const end = nextLine(text, pairs.at(-1)?.end ?? header.end)
  const hasCommentInTable = comments.some(
    ({ start }) =>
      start > header.start &&
      start < end &&
      !edits.some(({ offset, length }) => offset <= start && start < offset + length),
  )
  if (hasCommentInTable) return edits
  const ownLine = { start: lineStart(text, header.start), end: nextLine(text, header.end) }
  return [removeBlock({ text }, ownLine), ...edits]
}

/** Removes the lines of a table, and the blank line above them. */
function removeBlock({ text }: Pick<TomlDocument, 'text'>, { start, end }: Span): TextEdit {
  const blankLineLength = /(?:^|\n)([ \t]*\r?\n)$/.exec(text.slice(0, start))?.[1]?.length ?? 0
  return { offset: start - blankLineLength, length: end - start + blankLineLength, content: '' }
}

function pairChange(text: string, pair: Pair, wantedValues: WantedSettings): TextEdit[] {
  const [start, end] = pair.value.range
  const matchingSetting = findWantedSetting(pair.path, wantedValues)
  if (matchingSetting === undefined) {
    const content = isParentOfOwned(pair.path, wantedValues) ? inlineText(text, pair, wantedValues) : undefined
    return content === undefined ? [] : [{ offset: start, length: end - start, content }]
  }
  if (matchingSetting.wantedValue === undefined) {
    const lineOffset = lineStart(text, pair.start)
    return [{ offset: lineOffset, length: nextLine(text, pair.end) - lineOffset, content: '' }]
  }
  if (hasWantedText(text, pair, matchingSetting.wantedValue)) return []
  return [{ offset: start, length: end - start, content: matchingSetting.wantedValue.raw }]
}

const hasWantedText = (text: string, { value }: Pair, wantedValue: WantedValue): boolean =>
  isSameJson(tomlValueToJson(value), wantedValue.value) &&
  (wantedValue.line === undefined || text.slice(...value.range) === wantedValue.raw)

/** Source text of an inline table with changed settings. Undefined if unchanged. Keeps the text of other pairs. */
function inlineText(text: string, table: Pair, wantedValues: WantedSettings): string | undefined {
  const pairs = inlinePairs(table) ?? []
  const settingsInTable = [...wantedValues.values()].filter(({ path }) => isDescendantPath(path, table.path))
  const remainingTexts = pairs.flatMap((pair) => {
    const wantedSetting = findWantedSetting(pair.path, wantedValues)
    const rawText = text.slice(pair.start, pair.end)
    const head = text.slice(pair.start, pair.value.range[0])
    if (wantedSetting === undefined) {
      const newInlineText = isParentOfOwned(pair.path, wantedValues) ? inlineText(text, pair, wantedValues) : undefined
      return [newInlineText === undefined ? rawText : head + newInlineText]
    }
    if (wantedSetting.wantedValue === undefined) return []
    return [hasWantedText(text, pair, wantedSetting.wantedValue) ? rawText : head + wantedSetting.wantedValue.raw]
  })
  const addedLines = settingsInTable.flatMap(({ path, wantedValue }) =>
    wantedValue === undefined || pairs.some((pair) => startsWith(path, pair.path))
      ? []
      : [formatPair(path.slice(table.path.length), wantedValue.raw)],
  )
  const isSameText =
    addedLines.length === 0 &&
    remainingTexts.length === pairs.length &&
    pairs.every(({ start, end }, index) => text.slice(start, end) === remainingTexts[index])
  const pairTexts = [...remainingTexts, ...addedLines]
  return isSameText ? undefined : inlineTable(pairTexts)
}

type Missing = { readonly path: readonly string[]; readonly wantedValue: WantedValue }

/** Inserts lines after those of their table, before the first table, or below a new header at the end of the file. */
function insertions(document: TomlDocument, missing: readonly Missing[], eol: string): TextEdit[] {
  const { text, tables } = document
  const edits: TextEdit[] = []
  const newTables = new Map<string, string>()
  for (const { path, wantedValue } of missing) {
    if (wantedValue.block !== undefined) {
      newTables.set(pathKey(path), wantedValue.block + (wantedValue.block.endsWith('\n') ? '' : eol))
      continue
    }
    const parent = path.slice(0, -1)
    const position = findInsertPosition(document, parent)
    const { offset, base, indent } = position ?? { offset: undefined, base: parent.length, indent: '' }
    const isComplete = wantedValue.line !== undefined && base === parent.length
    const line = indent + (isComplete ? wantedValue.line : formatPair(path.slice(base), wantedValue.raw)) + eol
    if (offset !== undefined) edits.push({ offset, length: 0, content: line })
    else newTables.set(pathKey(parent), (newTables.get(pathKey(parent)) ?? `[${formatKeyPath(parent)}]${eol}`) + line)
  }
  const isAboveTable =
    tables.length > 1 && tables[0].pairs.length === 0 && missing.some(({ path }) => path.length === 1)
  if (isAboveTable) edits.push({ offset: findFirstTableOffset(document), length: 0, content: eol })
  const isFirst = edits.length === 0 && /^\s*$|\n[ \t]*\r?\n$/.test(text)
  for (const [tableIndex, content] of [...newTables.values()].entries())
    edits.push({ offset: text.length, length: 0, content: tableIndex === 0 && isFirst ? content : eol + content })
  return edits
}

type InsertPosition = { readonly offset: number; readonly base: number; readonly indent: string }

/** Position of a new line, and how many parent names the header above contains. Undefined: needs a new header. */
function findInsertPosition(document: TomlDocument, parent: readonly string[]): InsertPosition | undefined {
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
  const table = tables.find(({ path }) => pathKey(path) === pathKey(parent))
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

const formatKeyPath = (path: Path): string =>
  path.map((name) => (/^[\w-]+$/.test(String(name)) ? name : quoteToml(String(name)))).join('.')

const formatPair = (path: Path, raw: string): string => `${formatKeyPath(path)} = ${raw}`

/** Formats a value as TOML 1.0. Fails with `input.invalid` for unrepresentable values. */
function writeValue(value: Json, path: readonly string[]): string {
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw createUnwritableError(path)
    const isLiteral = value.includes('\\') && !/['\p{Cc}]/u.test(value)
    return isLiteral ? `'${value}'` : quoteToml(value)
  }
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return `[${value.map((entry: Json) => writeValue(entry, path)).join(', ')}]`
  if (!isJsonObject(value)) throw createUnwritableError(path)
  const pairs = Object.entries(value).map(([name, inner]) => formatPair([name], writeValue(inner, path)))
  return inlineTable(pairs)
}

const inlineTable = (pairs: readonly string[]): string => (pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`)

const quoteToml = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f')

function createUnwritableError(path: readonly string[]): AppError {
  const field = path.join('.')
  return new AppError('input.invalid', `The value of ${field} cannot be written to a TOML file. Use another one.`, {
    field,
  })
}

/** Throws if a setting cannot be written. `file.unparsable`: a parent is not a table, or the setting itself is one. */
function refuseUnreachable(document: TomlDocument, path: readonly string[], mayBeTable: boolean): void {
  const { text, tables } = document
  for (const { path: tablePath, header, pairs } of tables) {
    if (header?.isList && startsWith(path, tablePath.slice(0, -1)))
      throw createRefusal(text, path, header.start, 'is in a list of tables')
    const value = findBlockingPair(pairs, path)
    if (value !== undefined) throw createRefusal(text, path, value.start, 'is below a value that is no table')
  }
  const table = mayBeTable ? undefined : findTable(document, path)
  if (table !== undefined) throw createRefusal(text, path, table.start, 'is a table')
}

function findBlockingPair(pairs: readonly Pair[], path: readonly string[]): Pair | undefined {
  const pair = pairs.find((entry) => isDescendantPath(path, entry.path))
  if (pair === undefined) return undefined
  const pairsInTable = inlinePairs(pair)
  return pairsInTable === undefined ? pair : findBlockingPair(pairsInTable, path)
}

/** Throws unless our settings have their new values and all other text is unchanged and in the same order. */
function verifyEdit(
  currentDocument: TomlDocument,
  editedResult: Result<TomlDocument, Failure>,
  wantedValues: WantedSettings,
): void {
  const isDone =
    editedResult.ok &&
    [...wantedValues.values()].every(({ path, wantedValue }) =>
      isSameJson(getValueAt(tomlToJson(editedResult.value), path), wantedValue?.value),
    )
  if (
    isDone &&
    extractUnownedText(currentDocument, wantedValues) === extractUnownedText(editedResult.value, wantedValues)
  )
    return
  throw createEditMismatchError('the edit would change more')
}

/** Exact text of everything that is not ours. Ignores tables that contain only our settings. */
function extractUnownedText(document: TomlDocument, wantedValues: WantedSettings): string {
  const { text, tables, comments } = document
  const wantedPaths = [...wantedValues.values()].map(({ path }) => path)
  const isOwnedPath = (path: Path): boolean => wantedPaths.some((entry) => startsWith(path, entry))
  const lines = tables.flatMap(({ pairs }) => pairs.filter(({ path }) => isOwnedPath(path)))
  const blocks = wantedPaths.flatMap((path) => listBlocks(document, path))
  const listUnownedTexts = (pair: Pair): string[] => {
    if (isOwnedPath(pair.path)) return []
    const pairsInTable = isParentOfOwned(pair.path, wantedValues) ? inlinePairs(pair) : undefined
    return pairsInTable?.flatMap(listUnownedTexts) ?? [pathKey(pair.path) + text.slice(pair.start, pair.end)]
  }
  const settings = tables.flatMap(({ path, header, pairs }) => {
    if (header !== undefined && isOwnedPath(path)) return []
    const unownedTexts = pairs.flatMap(listUnownedTexts)
    const isOurs = header === undefined || (unownedTexts.length === 0 && isParentOfOwned(path, wantedValues))
    return isOurs ? unownedTexts : [text.slice(header.start, header.end), ...unownedTexts]
  })
  const standaloneComments = comments.filter(
    ({ start }) =>
      !lines.some((pair) => pair.start < start && start < lineEnd(text, pair.end)) &&
      !blocks.some((block) => block.start <= start && start < block.end),
  )
  return [...settings, ...standaloneComments.map(({ start, end }) => text.slice(start, end))].join('\n')
}

/** Masks a TOML text for display. Hides all lines of an invalid text. */
function maskToml(source: string): string {
  const document = readToml(source)
  if (!document.ok) return source.replace(/[^\r\n]+/g, MASKED)
  const { bom, text, tables } = document.value
  const values = tables.flatMap(({ pairs }) =>
    pairs.flatMap(({ path, value }) => maskedValues(text, value, path.map(String))),
  )
  const parts: string[] = [bom]
  let position = 0
  for (const { offset, length, content } of values.sort((a, b) => a.offset - b.offset)) {
    parts.push(maskSecretForms(text.slice(position, offset)), content)
    position = offset + length
  }
  return [...parts, maskSecretForms(text.slice(position))].join('')
}

/** In a list of arguments, an element such as `--api-key` is the name of the element after it. */
function maskedValues(text: string, node: AST.TOMLContentNode, names: readonly string[]): TextEdit[] {
  if (node.type === 'TOMLInlineTable')
    return readPairs(node.body, []).flatMap(({ path, value }) =>
      maskedValues(text, value, [...names, ...path.map(String)]),
    )
  if (node.type === 'TOMLArray')
    return node.elements.flatMap((element, index) => {
      const previousElement = node.elements[index - 1]
      const flag =
        previousElement?.type === 'TOMLValue' &&
        previousElement.kind === 'string' &&
        previousElement.value.startsWith('-')
          ? [previousElement.value]
          : []
      return maskedValues(text, element, [...names, ...flag])
    })
  const rawText = text.slice(...node.range)
  const lineEnds = rawText.match(/\r?\n/g) ?? []
  const maskedValue = `"${MASKED}"${lineEnds.join('')}`
  const content = maskValue({ raw: rawText, value: tomlValueToJson(node), names, whole: maskedValue })
  return [{ offset: node.range[0], length: rawText.length, content }]
}

const isDescendantPath = (path: Path, ancestor: Path): boolean =>
  path.length > ancestor.length && startsWith(path, ancestor)
