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
    const parts = sortedShares.map(({ id, name, ...counts }) => ({ part: { id, name }, counts }))
    const rest = parts.splice(maxParts).map(({ counts }) => counts)
    return rest.length === 0 ? parts : [...parts, { part: undefined, counts: sumUsageCounts(rest) }]
  }
  const buildFlow = (parts: Partial<UsageFlow>, counts: UsageCounts): UsageFlow => ({
    ...parts,
    requests: counts.requests,
    tokens: sumTokens(counts),
  })
  const plans = (await split(filter, 'plan')).map(async ({ part: plan, counts }) => {
    if (plan === undefined) return [buildFlow({}, counts)]
    const planFilter = { ...filter, planId: plan.id }
    const models = (await split(planFilter, 'model')).map(async ({ part: model, counts }) => {
      if (model === undefined) return [buildFlow({ plan }, counts)]
      const tools = await split({ ...planFilter, modelCode: model.id }, 'tool')
      return tools.map(({ part: tool, counts }) => buildFlow({ plan, model, tool }, counts))
    })
    return (await Promise.all(models)).flat()
  })
  return (await Promise.all(plans)).flat().filter(({ tokens }) => tokens > 0)
}
