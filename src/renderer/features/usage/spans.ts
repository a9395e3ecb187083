import type { UsageCycle, UsageStep } from '@shared/contract'
import { steps, type Wanted } from './wanted'

/** A stretch of time, half-open: `[from, to)`. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Midnight in the machine's zone, so many days later or earlier. */
const midnight = (at: Date, daysLater = 0): Date => new Date(at.getFullYear(), at.getMonth(), at.getDate() + daysLater)

/** The whole days up to the end of today. */
const lastDays = (now: Date, count: number): Span => ({ from: midnight(now, 1 - count), to: midnight(now, 1) })

/** Midnight at the beginning of a day given as `2026-11-21`. */
function dayAt(text: string, daysLater = 0): Date {
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number)
  return new Date(year, month - 1, day + daysLater)
}

/** The days between two that a person chose, whichever stands first; the last week while one is missing. */
function customSpan({ from, to }: Pick<Wanted, 'from' | 'to'>, now: Date): Span {
  if (from === undefined || to === undefined) return lastDays(now, 7)
  const [first, last] = from <= to ? [from, to] : [to, from]
  return { from: dayAt(first), to: dayAt(last, 1) }
}

/** The cycle that is wanted: by its beginning, else the current one, else the newest. */
export function wantedCycle(cycles: readonly UsageCycle[], from: string | undefined): UsageCycle | undefined {
  return cycles.find((cycle) => cycle.from === from) ?? cycles.find(({ isCurrent }) => isCurrent) ?? cycles[0]
}

/** The stretch of time that is wanted; a cycle of a plan whose cycles are not known becomes the last 30 days. */
export function spanOf(wanted: Wanted, cycles: readonly UsageCycle[], now: Date): Span {
  switch (wanted.span) {
    case 'today':
      return lastDays(now, 1)
    case '7d':
      return lastDays(now, 7)
    case '30d':
      return lastDays(now, 30)
    case 'custom':
      return customSpan(wanted, now)
    case 'cycle': {
      const cycle = wantedCycle(cycles, wanted.cycle)
      return cycle ? { from: new Date(cycle.from), to: new Date(cycle.to) } : lastDays(now, 30)
    }
  }
}

/** From how long a stretch on a step makes sense, and up to how long it can be read, in days. */
const reach: Readonly<Record<UsageStep, readonly [number, number]>> = {
  hour: [0, 8],
  day: [1.5, 400],
  week: [13, 1_500],
  month: [45, Number.POSITIVE_INFINITY],
}

const daysOf = ({ from, to }: Span): number => (to.getTime() - from.getTime()) / dayMs

/** The steps that a stretch of time can be read in. */
export function stepsFor(span: Span): readonly UsageStep[] {
  const days = daysOf(span)
  return steps.filter((step) => days >= reach[step][0] && days <= reach[step][1])
}

/** The wanted step where it can be read, and otherwise a sensible one: at most some 45 bars. */
export function stepFor(span: Span, wanted: UsageStep | undefined): UsageStep {
  if (wanted !== undefined && stepsFor(span).includes(wanted)) return wanted
  const days = daysOf(span)
  if (days <= 2) return 'hour'
  if (days <= 45) return 'day'
  return days <= 300 ? 'week' : 'month'
}

/** When the step that holds a moment began: hours by the clock of UTC, everything else in the machine's zone, weeks on Monday. */
export function stepStart(step: UsageStep, at: Date): Date {
  switch (step) {
    case 'hour':
      return new Date(Math.floor(at.getTime() / hourMs) * hourMs)
    case 'day':
      return midnight(at)
    case 'week':
      return midnight(at, -((at.getDay() + 6) % 7))
    case 'month':
      return new Date(at.getFullYear(), at.getMonth(), 1)
  }
}

/** When the step after the one that holds a moment begins. */
export function nextStep(step: UsageStep, at: Date): Date {
  const start = stepStart(step, at)
  switch (step) {
    case 'hour':
      return new Date(start.getTime() + hourMs)
    case 'day':
      return midnight(start, 1)
    case 'week':
      return midnight(start, 7)
    case 'month':
      return new Date(start.getFullYear(), start.getMonth() + 1, 1)
  }
}
