import type { UsageStep } from '@shared/contract/usage'
import { dayMs, hourMs } from '@shared/durations'
import type { Calendar } from './ledger/calendar'

/** Half-open, in ms. */
export interface Span {
  readonly from: number
  readonly to: number
}

const longestMs: Readonly<Record<UsageStep, number>> = {
  hour: 2 * hourMs,
  day: 2 * dayMs,
  week: 8 * dayMs,
  month: 32 * dayMs,
}

/** The time zone of this machine, an IANA name. */
export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Where the step of a moment begins, or the one so many steps before it. */
export function startOfStep(
  calendar: Calendar,
  ms: number,
  { step, back = 0 }: { step: UsageStep; back?: number },
): number {
  return calendar.starts(step, ms - (back + 1) * longestMs[step], ms + 1).at(-1 - back) ?? ms
}

/** Where the step behind that of a moment begins. */
export function endOfStep(calendar: Calendar, ms: number, step: UsageStep): number {
  return calendar.starts(step, ms, ms + 2 * longestMs[step])[1] ?? ms
}

/** The span of the same length right before: whole months before whole months, whole days before whole days. */
export function spanBefore(calendar: Calendar, { from, to }: Span): Span {
  const isStart = (ms: number, step: UsageStep): boolean => startOfStep(calendar, ms, { step }) === ms
  const step = (['month', 'day'] as const).find((one) => isStart(from, one) && isStart(to, one))
  if (step === undefined) return { from: 2 * from - to, to: from }
  return { from: startOfStep(calendar, from, { step, back: calendar.starts(step, from, to).length }), to: from }
}
