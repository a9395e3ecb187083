import type { Span } from './json-tree'
import type { TextEdit } from './splice'
import { lineEnd, nextLine } from './yaml-cursor'

/** Other text from `start` to `end`, which are the same for something new. */
export const put = (start: number, end: number, content: string): TextEdit => ({
  offset: start,
  length: end - start,
  content,
})

/** Takes out what stands behind a comment; a comment behind that then stands on a line of its own. */
export function cutBelow(text: string, { start, end }: Span): TextEdit {
  const stop = lineEnd(text, end)
  const from = end + (/^[ \t]*/.exec(text.slice(end, stop))?.[0].length ?? 0)
  return put(start, from, from < stop ? text.slice(lineEnd(text, start), nextLine(text, start)) : '')
}

/** The edits with those that only take out, and overlap, joined. */
export function joined(edits: readonly TextEdit[]): TextEdit[] {
  const cuts: { offset: number; length: number; content: string }[] = []
  for (const { offset, length, content } of edits.filter((edit) => edit.content === '').sort(byOffset)) {
    const last = cuts.at(-1)
    if (last !== undefined && offset <= last.offset + last.length)
      last.length = Math.max(last.length, offset + length - last.offset)
    else cuts.push({ offset, length, content })
  }
  return [...edits.filter(({ content }) => content !== ''), ...cuts]
}

const byOffset = (a: TextEdit, b: TextEdit): number => a.offset - b.offset
