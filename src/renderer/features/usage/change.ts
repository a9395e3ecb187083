import type { UsageCounts, UsageSeries } from '@shared/contract'
import type { Point } from './points'

const none: UsageCounts = { requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0 }

const sum = (a: UsageCounts, b: UsageCounts): UsageCounts => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheTokens: a.cacheTokens + b.cacheTokens,
})

/**
 * What the span before held up to the same point: all of it for a span that is over, as many steps as have begun for one that is not.
 * Nothing where the source does not know all of that (a part would look like a rise), or where neither span has a request.
 */
export function comparable(series: UsageSeries, points: readonly Point[]): UsageCounts | undefined {
  const { previous, knownFrom, totals } = series
  if (!previous || previous.totals.requests + totals.requests === 0) return undefined
  if (knownFrom !== undefined && Date.parse(knownFrom) > Date.parse(previous.from)) return undefined
  const begun = points.filter(({ state }) => state !== 'future')
  if (begun.length === points.length) return previous.totals
  return begun.reduce((total, point) => sum(total, point.previous ?? none), none)
}

/** How a figure differs from the one before: a fraction (0.12 is 12 % more), `new` where there was none before, or the same. */
export type Change = { readonly kind: 'more' | 'less'; readonly by: number } | { readonly kind: 'new' | 'same' }

/** The change from one figure to another. */
export function changeOf(before: number, now: number): Change {
  if (before === now) return { kind: 'same' }
  if (before === 0) return { kind: 'new' }
  const by = (now - before) / before
  return by > 0 ? { kind: 'more', by } : { kind: 'less', by: -by }
}
