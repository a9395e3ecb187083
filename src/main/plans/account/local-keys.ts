import { isDeepStrictEqual } from 'node:util'
import type { PlanView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { parseGatewayAddress } from '../../core/net/address'
import type { Secret } from '../../core/secret'
import type { PlanRecord } from '../../core/settings/settings'
import { createWorkQueue } from '../../core/work-queue'
import type { Plans } from '../plans'
import { requireSecret } from './account-errors'
import type { AccountPlanRecord, KeyAddress, SubscriptionKeyRecord } from './console-client'

interface KeyToSave {
  readonly requestNumber: number
  readonly plan: AccountPlanRecord
  readonly key: SubscriptionKeyRecord
}

interface ReportedStatuses {
  readonly requestNumber: number
  readonly planId: string
  readonly keys: readonly Pick<SubscriptionKeyRecord, 'keyId' | 'status'>[]
  /** Whether the list is complete. If so, local keys that it lacks are deleted. */
  readonly isComplete?: boolean
}

/** Keeps plans and keys of this computer up to date with the account's plans and keys. */
export class LocalKeys {
  /** Sequence number of deletions. Late responses to earlier requests must not restore deleted items. */
  readonly #deletedAt = new Map<string, number>()
  /** Sequence number of the newest applied response, by plan. */
  readonly #appliedPlans = new Map<string, number>()
  /** Sequence number of the newest applied key statuses, by plan. */
  readonly #appliedStatuses = new Map<string, number>()
  #questions = 0
  readonly #queue = createWorkQueue()

  constructor(private readonly plans: Plans) {}

  /** Local copies of a connection's plans, by the account's plan id. */
  views(connectionId: string): ReadonlyMap<string, PlanView> {
    const linkedPlans = this.plans.list().filter(({ origin }) => origin?.connectionId === connectionId)
    return new Map(linkedPlans.map((plan) => [plan.origin?.planId ?? '', plan]))
  }

  view(connectionId: string, planId: string): PlanView | undefined {
    const plan = this.#find(connectionId, planId)
    return plan && this.plans.view(plan.id)
  }

  async readSecret(connectionId: string, { planId, keyId }: KeyAddress): Promise<Secret | undefined> {
    const plan = this.#find(connectionId, planId)
    const localKey = plan && this.plans.view(plan.id).keys.find(({ origin }) => origin?.keyId === keyId)
    return plan && localKey && localKey.kept !== 'missing' ? this.plans.readSecret(plan, localKey.id) : undefined
  }

  /** Saves an account key. Fails with `vault.unavailable`, `address.*`, `account.notProvisioned` or `api.notFound`. */
  keep(connectionId: string, { requestNumber, plan, key }: KeyToSave): Promise<PlanView> {
    return this.#queue(async () => {
      const { planId, name } = plan
      const { keyId } = key
      const wasDeleted = (...ids: readonly string[]): boolean =>
        (this.#deletedAt.get(JSON.stringify(ids)) ?? 0) > requestNumber
      if (wasDeleted(connectionId, planId) || wasDeleted(connectionId, planId, keyId))
        throw new AppError('api.notFound', `The plan ${name} or its key ${key.name} was deleted in the meantime.`)
      const secret = requireSecret(key)
      const localPlan = this.#find(connectionId, planId)
      if (localPlan) return this.plans.keepKey(localPlan.id, key, secret)
      const account = { connectionId, planId, keyId }
      return this.plans.add(toLocalFields(plan), secret, { source: 'console', keyName: key.name, account })
    })
  }

  /** Returns a sequence number for a request, for `refresh` and `keep`. */
  ask(): number {
    this.#questions += 1
    return this.#questions
  }

  /** Updates plans from the account, but no tool configurations. Ignores responses older than the last applied one. */
  refresh(connectionId: string, requestNumber: number, plans: readonly AccountPlanRecord[]): void {
    const linkedPlans = this.plans.directory.linked(connectionId)
    const reportedPlans = new Map<string, ReturnType<typeof toLocalFields>>()
    for (const plan of plans) {
      const linkedPlan = linkedPlans.get(plan.planId)
      const gateway = parseGatewayAddress(plan.gatewayUrl)
      if (!linkedPlan || !plan.provisioned || !gateway.ok) continue
      if (requestNumber < (this.#appliedPlans.get(linkedPlan.id) ?? 0)) continue
      this.#appliedPlans.set(linkedPlan.id, requestNumber)
      const { name, gatewayUrl, models, expiresAt } = linkedPlan
      const fields = { ...toLocalFields(plan), gatewayUrl: gateway.value.url }
      if (!isDeepStrictEqual({ name, gatewayUrl, models, expiresAt }, fields)) reportedPlans.set(linkedPlan.id, fields)
    }
    if (reportedPlans.size > 0) this.plans.updateAll(reportedPlans)
  }

  rename(connectionId: string, planId: string, { keyId, name }: Pick<SubscriptionKeyRecord, 'keyId' | 'name'>): void {
    const plan = this.#find(connectionId, planId)
    const key = plan?.keys.find(({ origin }) => origin?.keyId === keyId)
    if (plan && key && key.name !== name) this.plans.renameKey(plan.id, key.id, name)
  }

  /** Records key statuses from the account. Ignores responses that are older than the last applied ones. */
  noteStatuses(connectionId: string, reported: readonly ReportedStatuses[]): void {
    const linkedPlans = this.plans.directory.linked(connectionId)
    const statuses = new Map<string, ReadonlyMap<string, SubscriptionKeyRecord['status']>>()
    const completePlanIds = new Set<string>()
    for (const { requestNumber, planId, keys, isComplete } of reported) {
      const plan = linkedPlans.get(planId)
      if (!plan) continue
      if (isComplete) completePlanIds.add(plan.id)
      if (requestNumber < (this.#appliedStatuses.get(plan.id) ?? 0)) continue
      this.#appliedStatuses.set(plan.id, requestNumber)
      statuses.set(plan.id, new Map(keys.map(({ keyId, status }) => [keyId, status])))
    }
    if (statuses.size > 0) this.plans.noteStatuses(statuses, completePlanIds)
  }

  /** Removes a deleted key, and its plan with the last key. Fails with `vault.unavailable`. */
  forgetKey(connectionId: string, { planId, keyId }: KeyAddress): Promise<void> {
    this.#deletedAt.set(JSON.stringify([connectionId, planId, keyId]), this.ask())
    return this.#queue(async () => {
      const plan = this.#find(connectionId, planId)
      const key = plan?.keys.find(({ origin }) => origin?.keyId === keyId)
      if (!plan || !key) return
      if (plan.keys.length === 1) await this.plans.remove(plan.id, { evenIfUsed: true })
      else await this.plans.removeKey(plan.id, key.id)
    })
  }

  /** Removes a deleted plan with its keys. Fails with `vault.unavailable`. */
  forgetPlan(connectionId: string, planId: string): Promise<void> {
    this.#deletedAt.set(JSON.stringify([connectionId, planId]), this.ask())
    return this.#queue(async () => {
      const plan = this.#find(connectionId, planId)
      if (plan) await this.plans.remove(plan.id, { evenIfUsed: true })
    })
  }

  #find(connectionId: string, planId: string): PlanRecord | undefined {
    return this.plans.directory.localPlan({ connectionId, planId })
  }
}

const toLocalFields = ({ name, gatewayUrl, models, expiresAt }: AccountPlanRecord) => ({
  name,
  gatewayUrl,
  models: [...new Set(models.map(({ modelCode }) => modelCode))],
  expiresAt,
})
