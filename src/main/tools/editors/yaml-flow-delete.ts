import type { Span } from './json-tree'
import type { TextEdit } from './splice'
import type { YamlDocument } from './yaml-document'
import { type GapToken, gapsOf } from './yaml-flow-gap'
import type { YamlCollection, YamlEntry } from './yaml-node'
import { put } from './yaml-put'

/** The edits that take entries out of brackets, with their commas; comments stay. */
export function flowDeletions(
  document: YamlDocument,
  container: YamlCollection,
  doomed: ReadonlySet<YamlEntry>,
): TextEdit[] {
  const { entries } = container
  const gaps = gapsOf(document, container)
  const isEmptied = entries.every((entry) => doomed.has(entry))
  if (isEmptied && gaps.flat().every(({ kind }) => kind === 'comma'))
    return [put(container.start + 1, container.end - 1, '')]

  const spans: Span[] = []
  let lead: GapToken['kind'] | undefined
  for (const [index, entry] of entries.entries()) {
    const [before = [], after = []] = [gaps[index], gaps[index + 1]]
    const followsDoomed = before.length === 1 && before[0]?.kind === 'comma' && doomed.has(entries[index - 1] ?? entry)
    lead = followsDoomed ? lead : before.at(-1)?.kind
    if (doomed.has(entry)) spans.push(...spansOfEntry(document.text, entry, { before, after, lead }))
  }
  const last = entries.at(-1)
  const lastKept = entries.findLastIndex((entry) => !doomed.has(entry))
  const endsWithComma = gaps.at(-1)?.some(({ kind }) => kind === 'comma') ?? false
  if (last !== undefined && doomed.has(last) && !endsWithComma)
    spans.push(...(gaps[lastKept + 1] ?? []).filter(({ kind }) => kind === 'comma'))
  return spans.map(({ start, end }) => put(start, end, ''))
}

/** `lead` is what will stand before the entry once the entries before it are gone. */
type Gaps = {
  readonly before: readonly GapToken[]
  readonly after: readonly GapToken[]
  readonly lead: GapToken['kind'] | undefined
}

/** An entry with its comma and either the blanks before it (its line) or, where those must stay, the ones behind it. */
function spansOfEntry(text: string, entry: YamlEntry, { before, after, lead }: Gaps): Span[] {
  const own = { start: entry.start, end: entry.end }
  const comma = after.find(({ kind }) => kind === 'comma')
  const end = comma?.end ?? own.end
  const behind = { start: end, end: end + (/^[ \t]*/.exec(text.slice(end, end + 1000))?.[0].length ?? 0) }
  const blanks = { start: before.at(-1)?.end ?? startOfBlanks(text, own.start), end: own.start }
  const next = text[behind.end]
  const endsLine = next === undefined || next === '\n' || next === '\r'

  if (comma !== undefined && after[0] !== comma) return [own, comma, behind]
  const whole = { start: own.start, end: endsLine ? behind.end : end }
  const isOwnLine = /[\r\n]/.test(text.slice(blanks.start, blanks.end))
  if (next === '#') return isOwnLine || lead === 'comment' ? [whole, behind] : [whole]
  if (!endsLine && (lead === 'comment' || (isOwnLine && next !== '}' && next !== ']'))) return [whole, behind]
  const isFirstOfLine = before.length === 0 && comma !== undefined && !endsLine
  return isFirstOfLine ? [whole, behind] : [blanks, whole]
}

function startOfBlanks(text: string, offset: number): number {
  let start = offset
  while (start > 0 && /[ \t\r\n]/.test(text[start - 1] ?? '')) start -= 1
  return start
}
