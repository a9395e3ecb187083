import type { Fault } from '../faults/faults'
import { left } from '../state/allowances'
import type { Store } from '../state/store'
import type { Account, Key, ModelAllowance, Plan } from '../state/world'
import type { Timing } from '../timing'

/** What the control surface tells of a model's two allowances. */
export type ModelView = ModelAllowance & { readonly tokensLeft: number; readonly requestsLeft: number }

/** A plan with its keys, without any secret. */
export type PlanView = Omit<Plan, 'models'> & {
  readonly models: readonly ModelView[]
  readonly keys: readonly Omit<Key, 'planId'>[]
}

/** The answer of `GET /sandbox/state`, and of every change. */
export interface StateView {
  /** ISO 8601 UTC: the sandbox's clock. */
  readonly clock: string
  readonly clockOffsetMs: number
  readonly account: Account
  readonly faults: readonly Fault[]
  readonly timing: Timing
  readonly plans: readonly PlanView[]
}

const viewModel = (model: ModelAllowance): ModelView => {
  const { tokens, requests } = left(model)
  return { ...model, tokensLeft: tokens, requestsLeft: requests }
}

const viewKey = ({ planId: _, ...key }: Key): Omit<Key, 'planId'> => key

/** The state of this moment; deleted plans and keys are told as such. */
export function viewState(store: Store, settings: Pick<StateView, 'faults' | 'timing'>): StateView {
  const { plans, keys, account, clockOffsetMs } = store.world()
  return {
    clock: new Date(store.nowMs()).toISOString(),
    clockOffsetMs,
    account,
    ...settings,
    plans: plans.map((plan) => ({
      ...plan,
      models: plan.models.map(viewModel),
      keys: keys.filter((key) => key.planId === plan.planId).map(viewKey),
    })),
  }
}
