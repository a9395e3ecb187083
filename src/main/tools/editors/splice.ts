/** One stretch of a text replaced by other text. */
export type TextEdit = { readonly offset: number; readonly length: number; readonly content: string }

/** The text with all edits made, in one pass; those at one place in their order. They may not overlap. */
export function splice(text: string, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return text
  const parts: string[] = []
  let position = 0
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset || a.length - b.length)) {
    if (offset < position) throw new Error('Two edits of one text overlap')
    parts.push(text.slice(position, offset), content)
    position = offset + length
  }
  parts.push(text.slice(position))
  return parts.join('')
}
