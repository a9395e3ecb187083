import { type JsonDocument, lineStart, type Span } from './json-document'

/** The text without its comments and trailing commas; a line that held nothing but a comment goes with it. */
export function strictText({ bom, text, comments, trailingCommas }: JsonDocument): string {
  const spans = [...comments.map((comment) => widened(text, comment)), ...trailingCommas]
  let kept = ''
  let position = 0
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    kept += text.slice(position, Math.max(position, start))
    position = Math.max(position, end)
  }
  return bom + kept + text.slice(position)
}

/** A comment with the blanks before it at the end of a line, and with the whole line when it stands alone. */
function widened(text: string, { start, end }: Span): Span {
  const blanksBefore = /[ \t]*$/.exec(text.slice(lineStart(text, start), start))?.[0].length ?? 0
  const from = start - blanksBefore
  const behind = /^[ \t]*(\r\n|\n|\r|$)/.exec(text.slice(end))
  if (behind === null) return { start, end }
  return from === lineStart(text, start) ? { start: from, end: end + behind[0].length } : { start: from, end }
}
