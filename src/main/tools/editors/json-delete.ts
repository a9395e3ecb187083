import type { Node, Edit as TextEdit } from 'jsonc-parser'
import type { Changes } from './json-changes'
import { type GapToken, gapTokens, type JsonDocument, type Span } from './json-document'
import { entriesOf } from './json-layout'
import { elementsOf, membersOf } from './json-value'

/** The text edits that take out every `remove`, and every member to be absent; comments around them stay. */
export function deletions(document: JsonDocument, changes: Changes): TextEdit[] {
  return document.root === undefined ? [] : merged(spansWithin(document, document.root, changes))
}

function spansWithin(document: JsonDocument, container: Node, changes: Changes): Span[] {
  const spans: Span[] = []
  const doomed = new Set<Node>()
  for (const { name, whole, value } of membersOf(container)) {
    const change = changes.get(name)
    if (change?.kind === 'remove') doomed.add(whole)
    if (change?.kind === 'within') spans.push(...spansWithin(document, value, change.changes))
    if (change?.kind === 'member' && !change.present) spans.push(...membersOut(document, value, change.member))
  }
  return [...spans, ...spansOf(document, container, doomed)]
}

function membersOut(document: JsonDocument, list: Node, member: string): Span[] {
  return spansOf(document, list, new Set(elementsOf(list).filter(({ value }) => value === member)))
}

function spansOf({ text }: JsonDocument, container: Node, doomed: ReadonlySet<Node>): Span[] {
  if (doomed.size === 0) return []
  const entries = entriesOf(container)
  const inside = { start: container.offset + 1, end: container.offset + container.length - 1 }
  const isEmptied = entries.every((entry) => doomed.has(entry))
  const gaps = gapsAround(text, entries, inside)
  if (isEmptied && gaps.flat().every(({ kind }) => kind === 'comma')) return [inside]

  const spans: Span[] = []
  let lead: GapToken['kind'] | undefined
  for (const [index, entry] of entries.entries()) {
    const [before = [], after = []] = [gaps[index], gaps[index + 1]]
    const followsDoomed = before.length === 1 && before[0]?.kind === 'comma' && doomed.has(entries[index - 1] ?? entry)
    lead = followsDoomed ? lead : before.at(-1)?.kind
    if (doomed.has(entry)) spans.push(...spansOfEntry(text, entry, { before, after, lead }))
  }
  const last = entries.at(-1)
  const lastKept = entries.findLastIndex((entry) => !doomed.has(entry))
  const endsWithComma = gaps.at(-1)?.some(({ kind }) => kind === 'comma') ?? false
  if (last !== undefined && doomed.has(last) && !endsWithComma)
    spans.push(...(gaps[lastKept + 1] ?? []).filter(({ kind }) => kind === 'comma'))
  return spans
}

/** What stands before the first entry, between each two, and behind the last. */
function gapsAround(text: string, entries: readonly Node[], inside: Span): GapToken[][] {
  const starts = [inside.start, ...entries.map(endOf)]
  const ends = [...entries.map(({ offset }) => offset), inside.end]
  return starts.map((start, index) => gapTokens(text, { start, end: ends[index] ?? start }))
}

/** `lead` is what will stand before the entry once the entries before it are gone. */
type Gaps = {
  readonly before: readonly GapToken[]
  readonly after: readonly GapToken[]
  readonly lead: GapToken['kind'] | undefined
}

/** An entry with its comma and either the blanks before it (its line) or, where those must stay, the ones behind it. */
function spansOfEntry(text: string, entry: Node, { before, after, lead }: Gaps): Span[] {
  const own = { start: entry.offset, end: endOf(entry) }
  const comma = after.find(({ kind }) => kind === 'comma')
  const end = comma?.end ?? own.end
  const behind = { start: end, end: end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0) }
  const blanks = { start: before.at(-1)?.end ?? startOfBlanks(text, own.start), end: own.start }
  const next = text[behind.end]
  const endsLine = next === undefined || next === '\n' || next === '\r'

  if (comma !== undefined && after[0] !== comma) return [own, comma, behind]
  const whole = { start: own.start, end: endsLine ? behind.end : end }
  if (next === '/' || (!endsLine && needsItsLine(text, { lead, blanks, next }))) return [whole, behind]
  const isFirstOfLine = before.length === 0 && comma !== undefined && !endsLine
  return isFirstOfLine ? [whole, behind] : [blanks, whole]
}

type LineStart = { readonly lead: GapToken['kind'] | undefined; readonly blanks: Span; readonly next: string }

/** True when what follows on the line would be joined to a comment, or needlessly to the line before. */
function needsItsLine(text: string, { lead, blanks, next }: LineStart): boolean {
  if (lead === 'line-comment') return true
  return /[\r\n]/.test(text.slice(blanks.start, blanks.end)) && next !== '}' && next !== ']'
}

const endOf = (node: Node): number => node.offset + node.length

function startOfBlanks(text: string, offset: number): number {
  let start = offset
  while (start > 0 && /[ \t\r\n]/.test(text[start - 1] ?? '')) start -= 1
  return start
}

/** Overlapping stretches joined, as edits that delete them. */
function merged(spans: readonly Span[]): TextEdit[] {
  const edits: { offset: number; length: number; content: string }[] = []
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = edits.at(-1)
    if (last !== undefined && start <= last.offset + last.length) last.length = Math.max(last.length, end - last.offset)
    else edits.push({ offset: start, length: end - start, content: '' })
  }
  return edits
}
