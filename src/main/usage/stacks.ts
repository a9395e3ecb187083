import type { UsageCounts, UsageFilter, UsageFlow, UsageShare } from '@shared/contract/usage'
import { sumTokens, sumUsageCounts } from './ledger/sums'

/** Subtracts counts. No result is negative. */
export const subtractUsageCounts = (total: UsageCounts, subtracted: UsageCounts): UsageCounts => ({
  requests: Math.max(0, total.requests - subtracted.requests),
  errors: Math.max(0, total.errors - subtracted.errors),
  inputTokens: Math.max(0, total.inputTokens - subtracted.inputTokens),
  outputTokens: Math.max(0, total.outputTokens - subtracted.outputTokens),
  cacheTokens: Math.max(0, total.cacheTokens - subtracted.cacheTokens),
})

/** Usage of the largest plans, their largest models, and the tools. Smaller ones have an undefined part. */
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
    const remainingCounts = sumUsageCounts(parts.slice(maxParts).map(({ counts }) => counts))
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
