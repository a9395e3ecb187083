import type { HistoryEntry, ToolView } from '@shared/contract'

/** What is looked for among the writes. */
export interface Wanted {
  readonly toolId: string | undefined
  readonly text: string
}

/** The writes of one day, newest first. */
export interface Day {
  /** Any moment of it. */
  readonly at: string
  readonly entries: readonly HistoryEntry[]
}

/** Without capitals and the marks on letters, so that "du an" finds "Dự án". */
const plain = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').replace(/đ/gi, 'd').toLocaleLowerCase()

/** Everything a write can be found by. */
function textOf({ tools }: HistoryEntry, nameOf: (toolId: string) => string): string {
  return plain(
    tools
      .flatMap(({ toolId, planName, modelCode, files }) => [
        nameOf(toolId),
        toolId,
        planName ?? '',
        modelCode ?? '',
        ...files.map(({ path }) => path),
      ])
      .join('\n'),
  )
}

/** The writes that have to do with a tool and hold every word of a text. */
export function found(
  entries: readonly HistoryEntry[],
  { toolId, text }: Wanted,
  tools: readonly Pick<ToolView, 'id' | 'name'>[],
): readonly HistoryEntry[] {
  const words = plain(text).split(/\s+/).filter(Boolean)
  const nameOf = (id: string): string => tools.find((tool) => tool.id === id)?.name ?? id
  return entries.filter(
    (entry) =>
      (toolId === undefined || entry.tools.some((one) => one.toolId === toolId)) &&
      (words.length === 0 || words.every((word) => textOf(entry, nameOf).includes(word))),
  )
}

/** The calendar day of a moment in the machine's time zone. */
const dayOf = (iso: string): string => new Date(iso).toDateString()

/** The writes by day, in the order they come in. */
export function byDay(entries: readonly HistoryEntry[]): readonly Day[] {
  const days = new Map<string, HistoryEntry[]>()
  for (const entry of entries) {
    const day = dayOf(entry.at)
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  return [...days.values()].flatMap((of) => (of[0] ? [{ at: of[0].at, entries: of }] : []))
}

/** Whole days between a moment's day and today: 0 is today, 1 yesterday. */
export function daysAgo(iso: string, now: Date): number {
  const noon = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((noon(now) - noon(new Date(iso))) / 86_400_000)
}
