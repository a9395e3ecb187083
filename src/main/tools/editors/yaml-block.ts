import { lineStart } from './json-document'
import type { TextEdit } from './splice'
import { columnAt, lineEnd, nextLine } from './yaml-cursor'
import type { YamlDocument } from './yaml-document'
import type { YamlCollection, YamlEntry } from './yaml-node'
import { cutBelow, put } from './yaml-put'
import { newLine, type Renderable, type Site, valueText } from './yaml-render'

/** New entries behind the last one of a block collection and the comments that belong to it. */
export function appendLines(
  { document, style }: Site,
  container: YamlCollection,
  entries: readonly string[],
): TextEdit[] {
  const column = columnAt(document.text, container.start)
  const at = tailOf(document, container, column)
  return [put(at, at, entries.map((entry) => newLine(column, style) + entry).join(''))]
}

/** A new entry on the line below another one, before the comments that follow. */
export function insertBehind(
  { document, style }: Site,
  { start }: YamlCollection,
  { before, text }: Behind,
): TextEdit[] {
  const at = lineEnd(document.text, before.end)
  return [put(at, at, newLine(columnAt(document.text, start), style) + text)]
}

/** A new entry and the one it goes behind. */
export type Behind = { readonly before: YamlEntry; readonly text: string }

/** New entries before the first one of a block collection and the comments right above that. */
export function prependLines(
  { document, style }: Site,
  { start }: YamlCollection,
  entries: readonly string[],
): TextEdit[] {
  const { text } = document
  const column = columnAt(text, start)
  const blanks = ' '.repeat(column)
  let at = lineStart(text, start)
  if (text.slice(at, start) !== blanks)
    return [put(start, start, entries.map((entry) => entry + newLine(column, style)).join(''))]
  while (at > 0 && text.startsWith(`${blanks}#`, lineStart(text, at - 1))) at = lineStart(text, at - 1)
  return [put(at, at, entries.map((entry) => blanks + entry + style.eol).join(''))]
}

/** Another value for the key of a block mapping; the comments behind the key and behind the value stay. */
export function replaceValue({ document, style }: Site, entry: YamlEntry, value: Renderable): TextEdit[] {
  const { text } = document
  const { key, value: old, start, end } = entry
  const colon = key?.colon ?? end
  const wanted = valueText(value, columnAt(text, start), style)
  const isBelow = wanted.startsWith(style.eol)
  const from = lineStart(text, old.outer)
  const kept = old.end > old.outer && from > colon ? lineEnd(text, from - 1) : colon
  const isBlock = (old.kind === 'map' || old.kind === 'list') && !old.flow
  if (isBelow && isBlock) return [put(kept, end, wanted)]
  const cut = kept === colon ? put(kept, end, '') : cutBelow(text, { start: kept, end })
  if (isBelow) {
    const at = pastComments(text, lineEnd(text, end), columnAt(text, start))
    return [cut, put(at, at, wanted)]
  }
  if (!isBlock && kept === colon && old.end > old.outer)
    return [put(wanted === '' ? colon : old.outer, end, wanted.slice(1))]
  return [put(colon, colon, wanted), cut]
}

/** Where the comments end that follow a line and stand deeper than this column. */
function pastComments(text: string, line: number, column: number): number {
  let end = line
  for (let at = nextLine(text, line); at < text.length; at = nextLine(text, at)) {
    const stop = lineEnd(text, at)
    const indent = /^ *(?=#)/.exec(text.slice(at, stop))?.[0].length ?? 0
    if (indent <= column) break
    end = stop
  }
  return end
}

/** Where the last line of a block collection ends, with the comments below it that stand as deep as it does. */
function tailOf({ text }: YamlDocument, container: YamlCollection, column: number): number {
  let tail = lineEnd(text, container.end)
  let pending = tail
  for (let at = nextLine(text, tail); ; at = nextLine(text, at)) {
    const stop = lineEnd(text, at)
    const line = text.slice(at, stop)
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0
    const isBlank = indent === line.length
    if (at >= text.length) return pending
    if (!isBlank && line[indent] !== '#') return indent < column ? pending : tail
    if (!isBlank && indent < column) return pending
    if (!isBlank) pending = stop
    if (isBlank) tail = pending
  }
}
