import { dayMs } from '@shared/durations'
/** A cycle of a plan, `[from, to)` in ms since 1970. */
export interface Cycle {
  readonly from: number
  readonly to: number
}

/**
 * The cycle that a moment lies in, worked back from the end of the last cycle that is paid for: a renewal moves that before the current
 * cycle ends. Undefined once everything has ended.
 */
export function cycleAt(endsAt: number, cycleDays: number, now: number): Cycle | undefined {
  const lengthMs = cycleDays * dayMs
  if (!(lengthMs > 0) || !(now < endsAt)) return undefined
  const wholeAhead = Math.ceil((endsAt - now) / lengthMs) - 1
  const to = endsAt - wholeAhead * lengthMs
  return { from: to - lengthMs, to }
}

/** The fraction of an allowance, 0 to 1, that an even spend over the cycle would have used by now. */
export function evenPace({ from, to }: Cycle, now: number): number {
  return Math.min(1, Math.max(0, (now - from) / (to - from)))
}
