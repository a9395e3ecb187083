import { SandboxRole, type SandboxWorldView } from '@shared/contract'
import { z } from 'zod'

/** What the app reads of `GET /sandbox/state`, which every change answers with too. Times in the sandbox's clock, money in VND. */
export const SandboxState = z.object({
  clock: z.iso.datetime(),
  clockOffsetMs: z.number(),
  account: z.object({ role: SandboxRole, credits: z.number() }),
  plans: z.array(
    z.object({
      planId: z.string(),
      name: z.string(),
      status: z.enum(['ACTIVE', 'EXPIRED']),
      deleted: z.boolean(),
      autoRenew: z.boolean(),
      total: z.number(),
      cycleDays: z.number(),
      cycleEndsAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      failedRenewals: z.number(),
      models: z.array(z.object({ modelCode: z.string(), tokensUsed: z.number() })),
      keys: z.array(z.object({ keyId: z.string(), deleted: z.boolean() })),
    }),
  ),
})
export type SandboxState = z.infer<typeof SandboxState>
export type SandboxPlanState = SandboxState['plans'][number]

/** A plan that is there: a deleted one stays on the sandbox's record. */
export function planIn(state: SandboxState, planId: string | undefined): SandboxPlanState | undefined {
  return state.plans.find((plan) => plan.planId === planId && !plan.deleted)
}

/** The part that the window shows. */
export function worldView(state: SandboxState, planId: string | undefined): SandboxWorldView {
  const { clock, clockOffsetMs, account } = state
  const found = planIn(state, planId)
  const view = { clock, aheadMs: clockOffsetMs, role: account.role, credits: account.credits }
  if (!found) return view
  const { name, status, expiresAt, autoRenew, total } = found
  return { ...view, plan: { name, status, expiresAt, autoRenew, total } }
}
