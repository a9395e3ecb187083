import type { Forecast } from '@shared/contract/quota'
import { type Path, pathsAhead } from './forecast-paths'
import type { Cycle } from './pace'
import { type HourCount, rhythmDays, rhythmOf } from './rhythm'
import type { LocalClock } from './rhythm-hours'

/** What a forecast is made of: one allowance of one model. Times in ms since 1970. */
export interface ForecastInput {
  /** Hour by hour; from `rhythmFrom` on, as far as it is known. */
  readonly hours: readonly HourCount[]
  readonly used: number
  /** Absent, or 0: there is no allowance to run out of. */
  readonly quota: number | undefined
  readonly cycle: Cycle | undefined
  readonly now: number
  /** Of the person's time zone. */
  readonly clock: LocalClock
}

const dayMs = 86_400_000
/** With fewer full days after the first use there is no rhythm to speak of. */
const leastDays = 3

/** The moment from which hours are looked at: the days of the rhythm, and the day before, which tells whether use began earlier. */
export const rhythmFrom = (now: number): number => now - (rhythmDays + 2) * dayMs

/**
 * What is likely to come of an allowance by the end of its cycle: the middle of many ways it may go, and the middle 80 percent of them.
 * It runs out when it does in half of them. Deterministic.
 */
export function forecast({ hours, used, quota, cycle, now, clock }: ForecastInput): Forecast {
  if (quota === undefined || quota <= 0) return { kind: 'notEnough', reason: 'noAllowance' }
  if (used >= quota) return exhausted(hours, used - quota, cycle)
  if (cycle === undefined || now < cycle.from || now >= cycle.to) return { kind: 'notEnough', reason: 'noCycle' }
  const rhythm = rhythmOf(hours, now, clock)
  if (rhythm.days.length < leastDays) {
    return { kind: 'notEnough', reason: hours.some(({ amount }) => amount > 0) ? 'tooShort' : 'noHistory' }
  }
  const paths = pathsAhead(rhythm, { now, to: cycle.to, left: quota - used, clock })
  return runsOut(paths, cycle.to) ?? lasts(paths, { used, quota })
}

/** The hour in which it ran out, as far as the hours tell. */
function exhausted(hours: readonly HourCount[], over: number, cycle: Cycle | undefined): Forecast {
  let sum = 0
  for (const { start, amount } of hours.toSorted((a, b) => b.start - a.start)) {
    if (cycle && start < cycle.from) break
    sum += amount
    if (sum > over) return { kind: 'exhausted', since: new Date(start).toISOString() }
  }
  return { kind: 'exhausted' }
}

function runsOut(paths: readonly Path[], to: number): Forecast | undefined {
  const times = paths.map(({ runsOutAt }) => runsOutAt).sort((a, b) => a - b)
  const [earliest, at, latest] = [quantile(times, 0.1), quantile(times, 0.5), quantile(times, 0.9)]
  if (!Number.isFinite(at)) return undefined
  return {
    kind: 'runsOut',
    at: new Date(at).toISOString(),
    earliest: new Date(earliest).toISOString(),
    ...(Number.isFinite(latest) ? { latest: new Date(latest).toISOString() } : {}),
    daysBeforeRenewal: (to - at) / dayMs,
  }
}

function lasts(paths: readonly Path[], { used, quota }: { readonly used: number; readonly quota: number }): Forecast {
  const ends = paths.map(({ amount }) => (used + amount) / quota).sort((a, b) => a - b)
  return { kind: 'lasts', used: quantile(ends, 0.5), low: quantile(ends, 0.1), high: quantile(ends, 0.9) }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
