import type { AlertSettings } from '@shared/contract/quota'

/** A plan by all of its ids, and a model of it. */
export interface Subject {
  readonly planIds: readonly string[]
  readonly modelCode: string
}

/** Whether nothing is to be told of a model of a plan now: its plan is muted, or it is snoozed. */
export function isQuiet({ snoozed, mutedPlans }: AlertSettings, { planIds, modelCode }: Subject, now: number): boolean {
  if (planIds.some((id) => mutedPlans.includes(id))) return true
  return snoozed.some((one) => {
    const isIt = planIds.includes(one.planId) && (one.modelCode === undefined || one.modelCode === modelCode)
    return isIt && Date.parse(one.until) > now
  })
}
