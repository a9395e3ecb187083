import type { Change } from './json-changes'
import { blanksBefore, blanksBehind, type GapToken, gapTokens, hasLineBreak, type JsonDocument } from './json-document'
import { itemsFor } from './json-items'
import { type Container, entriesOf, type Member, membersNamed, type Node, type Span } from './json-tree'
import type { TextEdit } from './splice'

/** The text edits that take out every `remove`, and all that is to go from lists; comments around them stay. */
export function deletions(document: JsonDocument, change: Change): TextEdit[] {
  return document.root === undefined ? [] : merged(spansWithin(document, document.root, change))
}

type Entry = Member | Node

function spansWithin(document: JsonDocument, node: Node, change: Change): Span[] {
  const doomed = new Set<Entry>()
  const spans: Span[] = []
  if (node.type === 'list' && change.kind === 'list')
    for (const [item, found] of itemsFor(node, change.items)) {
      const goes = item.kind === 'member' ? !item.present : item.value === undefined
      if (goes) for (const each of found) doomed.add(each)
    }
  if (node.type === 'object' && change.kind === 'within')
    for (const [name, found] of membersNamed(node, change.changes))
      for (const member of found) {
        const inner = change.changes.get(name)
        if (inner?.kind === 'remove') doomed.add(member)
        else if (inner !== undefined) spans.push(...spansWithin(document, member.value, inner))
      }
  return node.type === 'literal' ? spans : [...spans, ...spansOf(document, node, doomed)]
}

function spansOf({ text }: JsonDocument, container: Container, doomed: ReadonlySet<Entry>): Span[] {
  if (doomed.size === 0) return []
  const entries = entriesOf(container)
  const inside = { start: container.start + 1, end: container.end - 1 }
  /** What stands before the entry of this index; behind the last one for their number. */
  const gap = (index: number): GapToken[] =>
    gapTokens(text, { start: entries[index - 1]?.end ?? inside.start, end: entries[index]?.start ?? inside.end })
  const isEmptied = doomed.size === entries.length
  if (isEmptied && entries.every((_, index) => isBare(gap(index))) && isBare(gap(entries.length))) return [inside]

  const spans: Span[] = []
  let lead: GapToken['kind'] | undefined
  for (const [index, entry] of entries.entries()) {
    if (!doomed.has(entry)) continue
    const [before, after] = [gap(index), gap(index + 1)]
    const followsDoomed = before.length === 1 && before[0]?.kind === 'comma' && doomed.has(entries[index - 1] ?? entry)
    lead = followsDoomed ? lead : before.at(-1)?.kind
    spans.push(...spansOfEntry(text, entry, { before, after, lead }))
  }
  const last = entries.at(-1)
  const isLastDoomed = last !== undefined && doomed.has(last)
  if (isLastDoomed && isBareOfCommas(gap(entries.length)))
    spans.push(...gap(entries.findLastIndex((entry) => !doomed.has(entry)) + 1).filter(isComma))
  return spans
}

const isComma = ({ kind }: GapToken): boolean => kind === 'comma'

const isBare = (gap: readonly GapToken[]): boolean => gap.every(isComma)

const isBareOfCommas = (gap: readonly GapToken[]): boolean => !gap.some(isComma)

/** `lead` is what will stand before the entry once the entries before it are gone. */
type Gaps = {
  readonly before: readonly GapToken[]
  readonly after: readonly GapToken[]
  readonly lead: GapToken['kind'] | undefined
}

/** An entry with its comma and either the blanks before it (its line) or, where those must stay, the ones behind it. */
function spansOfEntry(text: string, entry: Span, { before, after, lead }: Gaps): Span[] {
  const own = { start: entry.start, end: entry.end }
  const comma = after.find(isComma)
  const end = comma?.end ?? own.end
  const behind = { start: end, end: blanksBehind(text, end) }
  const blanks = { start: before.at(-1)?.end ?? blanksBefore(text, own.start, ' \t\r\n'), end: own.start }
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
  return hasLineBreak(text, blanks) && next !== '}' && next !== ']'
}

/** Overlapping stretches joined, as edits that delete them. */
function merged(spans: readonly Span[]): TextEdit[] {
  const edits: { offset: number; length: number; content: string }[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = edits.at(-1)
    if (last !== undefined && start <= last.offset + last.length) last.length = Math.max(last.length, end - last.offset)
    else edits.push({ offset: start, length: end - start, content: '' })
  }
  return edits
}
