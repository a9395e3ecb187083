import type { SandboxReady } from './host'

type OfferedPlan = SandboxReady['plans'][number]

/** The sandbox's own ids of the plan and the key that this machine uses. */
export interface Offered {
  readonly planId: string
  readonly keyId: string
}

const isActive = ({ status }: { readonly status: string }): boolean => status === 'ACTIVE'

/** The rows with the best one first; the others keep their order. */
function bestFirst<Row>(rows: readonly Row[], ways: readonly ((row: Row) => boolean)[]): Row[] {
  const rank = (row: Row): number => {
    const found = ways.findIndex((fits) => fits(row))
    return found === -1 ? ways.length : found
  }
  return [...rows].sort((a, b) => rank(a) - rank(b))
}

/** Puts the plan and key that were used before first; else those that serve calls. A plan stays the same one while it has expired. */
export function offerFirst(ready: SandboxReady, before: Offered | undefined): SandboxReady {
  const withKeys = (plan: OfferedPlan): OfferedPlan => ({
    ...plan,
    keys: bestFirst(plan.keys, [({ keyId }) => keyId === before?.keyId, isActive]),
  })
  const plans = bestFirst(ready.plans, [
    ({ planId }) => planId === before?.planId,
    (plan) => isActive(plan) && plan.keys.some(isActive),
  ])
  return { ...ready, plans: plans.map(withKeys) }
}

/** The ids of what is offered first; nothing when the sandbox has no plan with a key. */
export function offeredBy({ plans: [plan] }: SandboxReady): Offered | undefined {
  const key = plan?.keys[0]
  return plan && key ? { planId: plan.planId, keyId: key.keyId } : undefined
}
