import { blanksBefore, blanksBehind, type JsonDocument, startsItsLine } from './json-document'
import { entriesOf, type Span } from './json-tree'
import type { Json } from './json-value'
import { rememberingEach } from './remembered'

/** The text without its comments and trailing commas; a line that held nothing but a comment goes with it. */
export function strictText({ bom, text, comments, trailingCommas }: JsonDocument): string {
  const spans = [...comments.map((comment) => widened(text, comment)), ...trailingCommas]
  if (spans.length === 0) return bom + text
  const kept: string[] = [bom]
  let position = 0
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    kept.push(text.slice(position, Math.max(position, start)))
    position = Math.max(position, end)
  }
  kept.push(text.slice(position))
  return kept.join('')
}

/** What a text says, as strict parsers read it; an empty object when it is blank. */
export const jsonOf = rememberingEach(
  (document: JsonDocument): Json =>
    document.root === undefined ? {} : JSON.parse(strictText({ ...document, bom: '' })),
)

/** True when a text holds more than empty brackets and comments. */
export function holdsSetting({ root }: JsonDocument): boolean {
  return root !== undefined && (root.type === 'literal' || entriesOf(root).length > 0)
}

/** A comment with the blanks before it at the end of a line, and with the whole line when it stands alone. */
function widened(text: string, { start, end }: Span): Span {
  const behind = blanksBehind(text, end)
  const isLineEnd = behind === text.length || text[behind] === '\n' || text[behind] === '\r'
  if (!isLineEnd) return { start, end }
  const from = blanksBefore(text, start)
  if (!startsItsLine(text, start)) return { start: from, end }
  return { start: from, end: behind + (text.startsWith('\r\n', behind) ? 2 : Math.min(1, text.length - behind)) }
}
