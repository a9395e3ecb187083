import type { UsageErrorKind } from '@shared/contract/usage'
import { grouped } from './grouped'

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

/**
 * Errors by plan and model; `planOf` gives plans that are one the same id. A request that its own client gave up is neither an error nor
 * a success.
 */
export function errorsOf(rows: readonly FailedRequests[], planOf: (planId: string) => string): readonly Errors[] {
  const known = rows.filter(({ planId }) => planId !== '')
  const groups = grouped(known, ({ planId, modelCode }) => JSON.stringify([planOf(planId), modelCode]))
  return groups.flatMap((group): Errors[] => {
    const failed = group.filter(({ error }) => error !== 'aborted')
    const kinds = grouped(failed, ({ error }) => error).toSorted((a, b) => countOf(b) - countOf(a))
    const most = kinds[0]?.[0]
    if (!most) return []
    const errors = countOf(failed)
    const requests = requestsOf(group) - (countOf(group) - errors)
    const { modelCode, error: mostly } = most
    const isBurst = errors >= least && errors >= leastShare * requests
    return [{ planId: planOf(most.planId), modelCode, errors, requests, mostly, isBurst }]
  })
}

/** Every row of a plan tells all of its requests. */
const requestsOf = (rows: readonly FailedRequests[]): number =>
  grouped(rows, ({ planId }) => planId).reduce(
    (sum, ofPlan) => sum + Math.max(...ofPlan.map(({ requests }) => requests)),
    0,
  )

const countOf = (rows: readonly FailedRequests[]): number => rows.reduce((sum, { count }) => sum + count, 0)
