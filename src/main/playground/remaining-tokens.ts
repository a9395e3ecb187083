import type { PlanQuota } from '@shared/contract/quota'
import { minuteMs } from '@shared/durations'
import type { AccountPlanId } from '../settings/settings'

interface RemainingTokensDeps {
  /** What is left of every plan's allowances. */
  readonly quotas: () => Promise<readonly PlanQuota[]>
  /** The plan of the account that a plan of this machine is. */
  readonly originOf: (planId: string) => AccountPlanId | undefined
  readonly now: () => number
}

const keepMs = minuteMs

/** What is left of models' token allowances; asked for at most once a minute, between that what was spent here is taken off. */
export class RemainingTokens {
  readonly #deps: RemainingTokensDeps
  #asked: { readonly at: number; readonly quotas: Promise<readonly PlanQuota[]> } | undefined
  readonly #spent = new Map<string, number>()

  constructor(deps: RemainingTokensDeps) {
    this.#deps = deps
  }

  /** Tokens left of a model's allowance; undefined when that is not known. */
  async of(planId: string, modelCode: string): Promise<number | undefined> {
    const asked = this.#quotas()
    // What is spent while others think was not spent before.
    const spent = this.#spent.get(nameOf(planId, modelCode)) ?? 0
    const quotas = await asked.catch((): readonly PlanQuota[] => [])
    const gauge = this.#planIn(quotas, planId)?.models.find((model) => model.modelCode === modelCode)?.tokens
    if (gauge?.quota === undefined) return undefined
    return Math.max(0, gauge.quota - gauge.used - spent)
  }

  /** Takes off what a run spent. */
  spend(planId: string, modelCode: string, tokens: number): void {
    const name = nameOf(planId, modelCode)
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + tokens)
  }

  #quotas(): Promise<readonly PlanQuota[]> {
    const now = this.#deps.now()
    if (this.#asked === undefined || Math.abs(now - this.#asked.at) >= keepMs) {
      this.#asked = { at: now, quotas: this.#deps.quotas() }
      this.#spent.clear()
    }
    return this.#asked.quotas
  }

  #planIn(quotas: readonly PlanQuota[], planId: string): PlanQuota | undefined {
    const origin = this.#deps.originOf(planId)
    const isIt = (quota: PlanQuota): boolean =>
      quota.origin !== undefined &&
      quota.origin.connectionId === origin?.connectionId &&
      quota.origin.planId === origin.planId
    return quotas.find((quota) => quota.planId === planId) ?? quotas.find(isIt)
  }
}

const nameOf = (planId: string, modelCode: string): string => JSON.stringify([planId, modelCode])
