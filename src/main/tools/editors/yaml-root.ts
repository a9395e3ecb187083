import type { TextEdit } from './splice'
import { put } from './yaml-put'
import { entryText, type Renderable, type Site } from './yaml-render'

/** The first settings of a document that has none, behind its comments and its start, and before its end marker. */
export function newRoot({ document, style }: Site, settings: ReadonlyMap<string, Renderable>): TextEdit[] {
  const { text } = document
  const lines = [...settings].map((pair) => entryText(pair, 0, style) + style.eol).join('')
  const marker = /^\.\.\.(?=\s|$)/m.exec(text)
  if (marker !== null) return [put(marker.index, marker.index, lines)]
  const kept = text.trimEnd().length
  return [put(kept, text.length, (kept === 0 ? '' : style.eol) + lines)]
}
