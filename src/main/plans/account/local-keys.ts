import { EventEmitter } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import type { PlanView } from '@shared/contract'
import type { AccountPlanRecord } from '@shared/contract/plans'
import { AppError, type FailureCode } from '@shared/failure'
import { parseGatewayAddress } from '../../core/net/address'
import type { Sleep } from '../../core/net/deadline'
import type { Log } from '../../core/ports'
import type { Secret } from '../../core/secret'
import type { AccountPlanId, PlanRecord, SettingsStore } from '../../core/settings/settings'
import { createWorkQueue } from '../../core/work-queue'
import { type NextPoll, PollingLoops } from '../../platform/polling-loops'
import type { Plans, ReportedKeys } from '../plans'
import { type KeyAddress, requireSecret, type SubscriptionKeyRecord } from './console-client'

interface KeyToSave {
  readonly requestNumber: number
  readonly plan: AccountPlanRecord
  readonly key: SubscriptionKeyRecord
}

/** Keeps plans and keys of this computer up to date with the account's plans and keys. */
export class LocalKeys {
  /** Sequence number of deletions. Late responses to earlier requests must not restore deleted items. */
  readonly #deletedAt = new Map<string, number>()
  /** Sequence number of the newest applied response, by plan. */
  readonly #appliedPlans = new Map<string, number>()
  /** Sequence number of the newest applied keys, by plan. */
  readonly #appliedKeys = new Map<string, number>()
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

  /** Records names and statuses of keys from the account. Ignores responses older than the last applied ones. */
  noteKeys(
    connectionId: string,
    lists: readonly (ReportedKeys & { readonly requestNumber: number; readonly planId: string })[],
  ): void {
    const linkedPlans = this.plans.directory.linked(connectionId)
    const reported = new Map<string, ReportedKeys>()
    for (const { requestNumber, planId, ...list } of lists) {
      const plan = linkedPlans.get(planId)
      if (!plan || requestNumber < (this.#appliedKeys.get(plan.id) ?? 0)) continue
      this.#appliedKeys.set(plan.id, requestNumber)
      reported.set(plan.id, list)
    }
    if (reported.size > 0) this.plans.noteKeys(reported)
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

interface PurchasesDeps {
  readonly settings: SettingsStore
  readonly sleep: Sleep
  readonly log: Log
  /** Saves the first key once the plan is provisioned. Resolves to false while the plan is not provisioned. */
  readonly settle: (purchase: AccountPlanId) => Promise<boolean>
  readonly onSettled: () => void
}

/** Maximum delay in ms while requests or saving fail. */
const maxDelayAfterFailureMs = 300_000

/** Failures after which a purchase is not polled any more. */
const permanentFailureCodes: readonly FailureCode[] = ['api.notFound', 'connection.notFound']

/** Polls purchases until they are provisioned and their first key is saved. Survives restarts. */
export class Purchases {
  readonly #loops: PollingLoops
  /** Emits the failure of each failed poll, under the key of the purchase. */
  readonly #failures = new EventEmitter()

  constructor(private readonly deps: PurchasesDeps) {
    this.#loops = new PollingLoops({
      sleep: deps.sleep,
      random: () => 1,
      poll: (key, signal) => this.#poll(key, signal),
    })
  }

  /** Records a purchase and starts polling. Never fails, because the purchase itself succeeded. */
  follow(purchase: AccountPlanId): void {
    try {
      this.deps.settings.update(({ pendingPurchases }) => ({
        pendingPurchases: [...pendingPurchases.filter((other) => toKey(other) !== toKey(purchase)), purchase],
      }))
      this.#loops.start(toKey(purchase))
    } catch (error) {
      this.deps.log.error('account.purchase', error)
    }
  }

  resume(): void {
    for (const purchase of this.deps.settings.read().pendingPurchases) this.#loops.start(toKey(purchase))
  }

  forget(purchase: AccountPlanId): void {
    this.#loops.abort(toKey(purchase))
    this.#settled(purchase)
  }

  /** Stops polling at exit. Pending purchases resume at the next start. */
  stop(): void {
    this.#loops.stop()
  }

  /** Rejects with the first failure of the purchase or `net.cancelled`, while polling continues. */
  async wait(purchase: AccountPlanId, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const key = toKey(purchase)
    const endPromise = this.#loops.wait(key, signal, 'Waiting was canceled. The platform still provisions the plan.')
    const failurePromise = new Promise<never>((_, reject) => this.#failures.once(key, reject))
    await Promise.race([endPromise, failurePromise])
  }

  /** Polls once, unless the purchase is not pending any more. */
  async #poll(key: string, signal: AbortSignal): Promise<NextPoll | undefined> {
    const purchase = this.deps.settings.read().pendingPurchases.find((pending) => toKey(pending) === key)
    if (purchase === undefined) return undefined
    let next: NextPoll = {}
    try {
      const isKept = await this.deps.settle(purchase)
      if (isKept && !signal.aborted) this.#settled(purchase)
    } catch (error) {
      this.deps.log.error('account.purchase', error)
      if (signal.aborted || !this.#isPending(purchase)) return undefined
      const message = "Couldn't follow the purchase. Refresh the list of plans."
      const failure = error instanceof AppError ? error : new AppError('internal.unexpected', message)
      if (permanentFailureCodes.includes(failure.failure.code)) this.#settled(purchase)
      this.#failures.emit(key, failure)
      next = { maxDelayMs: maxDelayAfterFailureMs }
    }
    return this.#isPending(purchase) ? next : undefined
  }

  #settled(purchase: AccountPlanId): void {
    if (!this.#isPending(purchase)) return
    this.deps.settings.update(({ pendingPurchases }) => ({
      pendingPurchases: pendingPurchases.filter((other) => toKey(other) !== toKey(purchase)),
    }))
    this.deps.onSettled()
  }

  #isPending(purchase: AccountPlanId): boolean {
    return this.deps.settings.read().pendingPurchases.some((pending) => toKey(pending) === toKey(purchase))
  }
}

const toKey = ({ connectionId, planId }: AccountPlanId): string => JSON.stringify([connectionId, planId])
