import type { UsageCounts } from './contract/usage'

export const noCounts: UsageCounts = { requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0 }

export const addUsageCounts = (a: UsageCounts, b: UsageCounts, sign = 1): UsageCounts => ({
  requests: a.requests + sign * b.requests,
  errors: a.errors + sign * b.errors,
  inputTokens: a.inputTokens + sign * b.inputTokens,
  outputTokens: a.outputTokens + sign * b.outputTokens,
  cacheTokens: a.cacheTokens + sign * b.cacheTokens,
})

export const sumUsageCounts = (all: readonly UsageCounts[]): UsageCounts =>
  all.reduce((sum, counts) => addUsageCounts(sum, counts), noCounts)

/** Tokens consumed = input + output + cache (spec, "What the service does"). */
export const sumTokens = ({ inputTokens, outputTokens, cacheTokens }: UsageCounts): number =>
  inputTokens + outputTokens + cacheTokens

/** Subtracts counts. No result is negative. */
export const subtractUsageCounts = (total: UsageCounts, subtracted: UsageCounts): UsageCounts => ({
  requests: Math.max(0, total.requests - subtracted.requests),
  errors: Math.max(0, total.errors - subtracted.errors),
  inputTokens: Math.max(0, total.inputTokens - subtracted.inputTokens),
  outputTokens: Math.max(0, total.outputTokens - subtracted.outputTokens),
  cacheTokens: Math.max(0, total.cacheTokens - subtracted.cacheTokens),
})
