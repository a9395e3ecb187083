import type { PlanQuota, PlanView } from '@shared/contract'

/** A plan that can alert, by the id that it is named by. */
export interface NamedPlan {
  readonly id: string
  readonly name: string
}

/** Every plan that can alert, each once: by its id on this machine, or at its account where it is not here. */
export function alertingPlans(quota: readonly PlanQuota[], plans: readonly PlanView[]): readonly NamedPlan[] {
  const known = quota.flatMap(({ planId, origin, name }) => {
    const id = planId ?? origin?.planId
    return id === undefined ? [] : [{ id, name }]
  })
  const rest = plans.filter(({ id }) => !known.some((one) => one.id === id)).map(({ id, name }) => ({ id, name }))
  return [...known, ...rest].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** The name of a plan, by either of its ids; undefined for one that is gone. */
export const planNameIn = (quota: readonly PlanQuota[], plans: readonly PlanView[], id: string): string | undefined =>
  quota.find(({ planId, origin }) => planId === id || origin?.planId === id)?.name ??
  plans.find((plan) => plan.id === id || plan.origin?.planId === id)?.name
