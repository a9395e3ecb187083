import { isDeepStrictEqual } from 'node:util'
import type { PlanView } from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'
import { parseGatewayAddress } from '../../core/net/address'
import { type Sleep, withAbort } from '../../core/net/deadline'
import type { Log } from '../../core/ports'
import type { Secret } from '../../core/secret'
import type { AccountPlanId, PlanRecord, SettingsStore } from '../../core/settings/settings'
import { createWorkQueue } from '../../core/work-queue'
import type { Plans, ReportedKeys } from '../plans'
import { type AccountPlanRecord, type KeyAddress, requireSecret, type SubscriptionKeyRecord } from './console-client'

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

const initialDelayMs = 1000
const maxPauseMs = 30_000
/** Maximum retry delay in ms while requests or saving fail. */
const maxPauseAfterFailureMs = 300_000

/** Failures after which a purchase is not polled any more. */
const permanentFailureCodes: readonly FailureCode[] = ['api.notFound', 'connection.notFound']

interface Run {
  readonly stop: AbortController
  readonly ended: Promise<void>
  /** Listeners for each failed attempt. */
  readonly listeners: Set<(failure: AppError) => void>
}

/** Polls purchases until they are provisioned and their first key is saved. Survives restarts. */
export class Purchases {
  readonly #runs = new Map<string, Run>()
  #isStopped = false

  constructor(private readonly deps: PurchasesDeps) {}

  /** Records a purchase and starts polling. Never fails, because the purchase itself succeeded. */
  follow(purchase: AccountPlanId): void {
    try {
      this.deps.settings.update(({ pendingPurchases }) => ({
        pendingPurchases: [...pendingPurchases.filter((other) => toKey(other) !== toKey(purchase)), purchase],
      }))
      this.#start(purchase)
    } catch (error) {
      this.deps.log.error('account.purchase', error)
    }
  }

  resume(): void {
    for (const purchase of this.deps.settings.read().pendingPurchases) this.#start(purchase)
  }

  forget(purchase: AccountPlanId): void {
    this.#runs.get(toKey(purchase))?.stop.abort()
    this.#settled(purchase)
  }

  /** Stops polling at exit. Pending purchases resume at the next start. */
  stop(): void {
    this.#isStopped = true
    for (const { stop: controller } of this.#runs.values()) controller.abort()
  }

  /** Rejects with the first failure of the purchase or `net.cancelled`, while polling continues. */
  async wait(purchase: AccountPlanId, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const run = this.#runs.get(toKey(purchase))
    if (!run) return
    const failurePromise = new Promise<never>((_, reject) => run.listeners.add(reject))
    await withAbort(Promise.race([run.ended, failurePromise]), signal).catch((error: unknown) => {
      if (error instanceof AppError) throw error
      throw new AppError('net.cancelled', 'Waiting was canceled. The platform still provisions the plan.')
    })
  }

  #start(purchase: AccountPlanId): void {
    const name = toKey(purchase)
    if (this.#isStopped || this.#runs.has(name)) return
    const controller = new AbortController()
    const listeners: Run['listeners'] = new Set()
    const endPromise = this.#pursue(purchase, { stop: controller, listeners }).finally(() => this.#runs.delete(name))
    this.#runs.set(name, { stop: controller, ended: endPromise, listeners })
  }

  /** Never rejects. */
  async #pursue(purchase: AccountPlanId, { stop: { signal }, listeners }: Omit<Run, 'ended'>): Promise<void> {
    for (let pauseCount = 0; !signal.aborted; pauseCount++) {
      let maxDelayMs = maxPauseMs
      try {
        const isKept = await this.deps.settle(purchase)
        if (signal.aborted) return
        if (isKept) this.#settled(purchase)
      } catch (error) {
        this.deps.log.error('account.purchase', error)
        if (signal.aborted || !this.#isPending(purchase)) return
        const message = "Couldn't follow the purchase. Refresh the list of plans."
        const failure = error instanceof AppError ? error : new AppError('internal.unexpected', message)
        if (permanentFailureCodes.includes(failure.failure.code)) this.#settled(purchase)
        for (const listen of listeners) listen(failure)
        maxDelayMs = maxPauseAfterFailureMs
      }
      if (!this.#isPending(purchase)) return
      await this.deps.sleep(Math.min(initialDelayMs * 2 ** pauseCount, maxDelayMs), signal).catch(() => undefined)
    }
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
