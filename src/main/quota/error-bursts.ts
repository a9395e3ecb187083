import type { UsageErrorKind } from '@shared/contract/usage'

/** How many requests failed in one way lately; `requests` counts all of the plan and model. */
export interface FailedRequests {
  readonly planId: string
  readonly modelCode: string
  readonly error: UsageErrorKind
  readonly count: number
  readonly requests: number
}

/** The failed requests of one model of one plan. */
export interface Errors {
  readonly planId: string
  readonly modelCode: string
  readonly errors: number
  readonly requests: number
  /** In which way most of them failed. */
  readonly mostly: UsageErrorKind
  /** At least 5, and at least half of what was asked. */
  readonly isBurst: boolean
}

const least = 5
const leastShare = 0.5

/** Errors by plan and model. A request that its own client gave up is neither an error nor a success. */
export function errorsOf(rows: readonly FailedRequests[]): readonly Errors[] {
  const groups = new Map<string, FailedRequests[]>()
  for (const row of rows) {
    const name = JSON.stringify([row.planId, row.modelCode])
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return [...groups.values()].flatMap((group): Errors[] => {
    const failed = group.filter(({ error }) => error !== 'aborted').toSorted((a, b) => b.count - a.count)
    const [most] = failed
    if (!most || most.planId === '') return []
    const errors = countOf(failed)
    const requests = Math.max(...group.map((row) => row.requests)) - (countOf(group) - errors)
    const { planId, modelCode, error: mostly } = most
    return [
      { planId, modelCode, errors, requests, mostly, isBurst: errors >= least && errors >= leastShare * requests },
    ]
  })
}

const countOf = (rows: readonly FailedRequests[]): number => rows.reduce((sum, { count }) => sum + count, 0)
