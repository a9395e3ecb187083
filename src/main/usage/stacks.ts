import type { UsageCounts, UsageFilter, UsageFlow, UsageLatency, UsageShare, UsageStep } from '@shared/contract/usage'
import { type StepCounts, sumTokens } from './console-usage'
import type { Calendar } from './ledger/calendar'
import { addUsageCounts, noCounts } from './ledger/sums'

export interface StackSegment {
  readonly id: string
  readonly name?: string
}

export function omitStart(step: StepCounts | undefined): UsageCounts {
  if (!step) return noCounts
  const { start: _, ...counts } = step
  return counts
}

/** Subtracts counts. No result is negative. */
export const subtractUsageCounts = (total: UsageCounts, subtracted: UsageCounts): UsageCounts => ({
  requests: Math.max(0, total.requests - subtracted.requests),
  errors: Math.max(0, total.errors - subtracted.errors),
  inputTokens: Math.max(0, total.inputTokens - subtracted.inputTokens),
  outputTokens: Math.max(0, total.outputTokens - subtracted.outputTokens),
  cacheTokens: Math.max(0, total.cacheTokens - subtracted.cacheTokens),
})

interface MeasuredRequest {
  readonly at: number
  readonly durationMs: number
  readonly firstByteMs?: number | undefined
}

/** Percentile of sorted values, of which there is at least one. */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0

const sortAscending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)

/** Latency percentiles for each step. Omits steps without a measured request. */
export function computeLatency(
  measured: readonly MeasuredRequest[],
  calendar: Calendar,
  step: UsageStep,
): UsageLatency['buckets'] {
  const measuredTimes = measured.map(({ at }) => at)
  if (measuredTimes.length === 0) return []
  const [firstMs, lastMs] = measuredTimes.reduce(
    ([low, high], timeMs) => [Math.min(low, timeMs), Math.max(high, timeMs)],
    [measuredTimes[0] ?? 0, 0],
  )
  const bucketStarts = calendar.starts(step, firstMs, lastMs + 1)
  const sorted = measured.toSorted((a, b) => a.at - b.at)
  let nextIndex = 0
  return bucketStarts.flatMap((start, index) => {
    const end = bucketStarts[index + 1] ?? Number.POSITIVE_INFINITY
    const firstIndex = nextIndex
    while (nextIndex < sorted.length && (sorted[nextIndex]?.at ?? 0) < end) nextIndex += 1
    const groupSlice = sorted.slice(firstIndex, nextIndex)
    if (groupSlice.length === 0) return []
    const durations = sortAscending(groupSlice.map(({ durationMs }) => durationMs))
    const firstBytes = sortAscending(groupSlice.flatMap(({ firstByteMs }) => firstByteMs ?? []))
    return [
      {
        start: new Date(start).toISOString(),
        requests: groupSlice.length,
        p50Ms: percentile(durations, 0.5),
        p95Ms: percentile(durations, 0.95),
        ...(firstBytes.length > 0 && { firstByteMs: percentile(firstBytes, 0.5) }),
      },
    ]
  })
}

/**
 * Usage of the largest plans, of their largest models, and of the tools. Smaller ones are combined in flows whose
 * plan, model or tool is undefined.
 */
export async function computeFlows(
  filter: UsageFilter,
  maxParts: number,
  listShares: (filter: UsageFilter, by: 'plan' | 'model' | 'tool') => Promise<readonly UsageShare[]>,
): Promise<UsageFlow[]> {
  const split = async (within: UsageFilter, by: 'plan' | 'model' | 'tool') => {
    const sortedShares = (await listShares(within, by)).toSorted((a, b) => sumTokens(b) - sumTokens(a))
    const parts = sortedShares.map(({ id, name, ...counts }) => ({
      part: { id, ...(name !== undefined && { name }) },
      counts,
    }))
    const remainingCounts = parts.slice(maxParts).reduce((sum, { counts }) => addUsageCounts(sum, counts), noCounts)
    return [
      ...parts.slice(0, maxParts),
      ...(parts.length > maxParts ? [{ part: undefined, counts: remainingCounts }] : []),
    ]
  }
  const buildFlow = (parts: Partial<UsageFlow>, counts: UsageCounts): UsageFlow => ({
    ...parts,
    requests: counts.requests,
    tokens: sumTokens(counts),
  })
  const plans = (await split(filter, 'plan')).map(async ({ part: plan, counts }) => {
    if (plan === undefined) return [buildFlow({}, counts)]
    const models = (await split({ ...filter, planId: plan.id }, 'model')).map(
      async ({ part: model, counts: ofModel }) => {
        if (model === undefined) return [buildFlow({ plan }, ofModel)]
        const tools = await split({ ...filter, planId: plan.id, modelCode: model.id }, 'tool')
        return tools.map(({ part: tool, counts: ofTool }) => buildFlow({ plan, model, ...(tool && { tool }) }, ofTool))
      },
    )
    return (await Promise.all(models)).flat()
  })
  return (await Promise.all(plans)).flat().filter(({ tokens }) => tokens > 0)
}
