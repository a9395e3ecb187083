import type { Span } from './json-tree'
import type { YamlDocument } from './yaml-document'
import type { YamlCollection } from './yaml-node'

/** What stands between two entries in brackets: commas and comments, never blanks. */
export type GapToken = Span & { readonly kind: 'comma' | 'comment' }

/** The commas and comments before the first entry, between each two, and behind the last. */
export function gapsOf({ text }: YamlDocument, { start, end, entries }: YamlCollection): GapToken[][] {
  const starts = [start + 1, ...entries.map((entry) => entry.end)]
  const ends = [...entries.map((entry) => entry.start), end - 1]
  return starts.map((from, index) => gapTokens(text, { start: from, end: ends[index] ?? from }))
}

function gapTokens(text: string, { start, end }: Span): GapToken[] {
  const tokens: GapToken[] = []
  for (const { 0: token, index } of text.slice(start, end).matchAll(/,|#[^\r\n]*/g))
    tokens.push({ kind: token === ',' ? 'comma' : 'comment', start: start + index, end: start + index + token.length })
  return tokens
}
