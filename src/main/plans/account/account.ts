import { setImmediate as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { PlanView } from '@shared/contract'
import type {
  AccountPlanRecord,
  AccountPlanView,
  plans as contract,
  DeletionPreview,
  SubscriptionKeyView,
} from '@shared/contract/plans'
import { dayMs } from '@shared/durations'
import { AppError, undefinedIfFailed } from '@shared/failure'
import { planRefText } from '@shared/key-ids'
import type { z } from 'zod'
import type { Sleep } from '../../core/net/deadline'
import type { AuditEvent, AuditPort, Log } from '../../core/ports'
import type { Secret } from '../../core/secret'
import type { AccountPlanId, Settings, SettingsStore } from '../../core/settings/settings'
import { limitConcurrency } from '../../core/work-queue'
import type { PlatformClient } from '../../platform/platform-client'
import type { Plans } from '../plans'
import {
  Console,
  type ConsoleUsageRecord,
  createNotRemovedError,
  createNotSavedError,
  findKeyAfterError,
  findPlansAfterError,
  type KeyAddress,
  readKeyName,
  requireBuyerRole,
  requireCredits,
  requireFreeKeySlot,
  requirePlanName,
  requireProvisioned,
  requireSecret,
  type SubscriptionKeyRecord,
  type UsageConsoleQuery,
  unknownDeletion,
} from './console-client'
import { LocalKeys, Purchases } from './local-keys'
import { estimateRefund } from './refund'

/** Joins a running action with the same `actionKey`, so that a double click does not run it twice. */
function createDeduplicator<T>() {
  const runningWork = new Map<string, Promise<T>>()
  return (actionKey: readonly unknown[], start: () => Promise<T>): Promise<T> => {
    const name = JSON.stringify(actionKey)
    const outcome = runningWork.get(name) ?? start().finally(() => runningWork.delete(name))
    runningWork.set(name, outcome)
    return outcome
  }
}

type Contract = typeof contract
type Input<N extends keyof Contract> = z.output<Contract[N]['input']>
type Output<N extends keyof Contract> = z.output<Contract[N]['output']>
type AccountKey = Input<'account.get'>
type PlanInput = Input<'account.keys'>
type KeyInput = Input<'account.deleteKey'>

interface AccountDeps {
  /** Gets the client of a connection. Fails with `connection.notFound`. */
  readonly getClient: (connectionId: string) => Promise<PlatformClient>
  readonly plans: Plans
  /** Server clock offset of a connection in ms. Default 0. */
  readonly getClockOffsetMs?: (connectionId: string) => number
  readonly settings: SettingsStore
  readonly sleep: Sleep
  readonly log: Log
  readonly toolName: (toolId: string) => Promise<string>
  readonly onChanged: () => void
  readonly audit?: AuditPort
}

/** Packages, plans and subscription keys of a connection's account (console contract, decisions 3). */
export class Account {
  readonly #local: LocalKeys
  /** Purchases, which are polled until their first key is saved here. */
  readonly purchases: Purchases
  /** Last known plan names. The audit log needs the name of a deleted plan. */
  readonly #planNames = new Map<string, string>()
  readonly #sharePurchase = createDeduplicator<Output<'account.buy'>>()
  readonly #shareKey = createDeduplicator<Output<'account.addKey'>>()

  constructor(private readonly deps: AccountDeps) {
    const { settings, sleep, log, onChanged } = deps
    this.#local = new LocalKeys(deps.plans)
    const settlePurchase = (purchase: AccountPlanId) => this.#settle(purchase)
    this.purchases = new Purchases({ settings, sleep, log, settle: settlePurchase, onSettled: onChanged })
  }

  /** Reads an account. Fails with `api.notConfigured` when the connection has no console. */
  async get({ connectionId }: AccountKey): Promise<Output<'account.get'>> {
    const account = await (await this.#console(connectionId)).account()
    const { settings } = this.deps
    const record = { connectionId, accountId: account.accountId }
    if (!settings.read().accounts.some((saved) => isDeepStrictEqual(saved, record)))
      settings.update(({ accounts: all }) => ({
        accounts: [...all.filter((saved) => saved.connectionId !== connectionId), record],
      }))
    return account
  }

  async packages({ connectionId }: AccountKey): Promise<Output<'account.packages'>> {
    return (await this.#console(connectionId)).packages()
  }

  /** All plans, newest purchase first. Also updates the local copies. */
  async plans({ connectionId }: AccountKey): Promise<Output<'account.plans'>> {
    const console = await this.#console(connectionId)
    const requestNumber = this.#local.ask()
    const records = await console.plans()
    this.#local.refresh(connectionId, requestNumber, records)
    this.deps.plans.directory.noteAccount(connectionId, records)
    for (const { planId, name } of records) this.#planNames.set(planRefText({ connectionId, planId }), name)
    const linkedPlans = this.#local.views(connectionId)
    const settings = this.deps.settings.read()
    return records
      .toSorted((a, b) => b.purchasedAt.localeCompare(a.purchasedAt))
      .map((record) => this.#planView(connectionId, record, linkedPlans.get(record.planId), settings))
  }

  async plan({ connectionId, planId }: PlanInput): Promise<AccountPlanView> {
    const console = await this.#console(connectionId)
    return this.#shown(connectionId, () => console.plan(planId))
  }

  async keys({ connectionId, planId }: PlanInput): Promise<Output<'account.keys'>> {
    const console = await this.#console(connectionId)
    const requestNumber = this.#local.ask()
    const records = await console.keys(planId)
    this.#local.noteKeys(connectionId, [{ requestNumber, planId, keys: records, isComplete: true }])
    const localPlan = this.#local.view(connectionId, planId)
    return records.map((record) => keyView(record, localPlan))
  }

  /** Keys of all plans. Fails with `api.listTooLong` if the account never stops returning keys. */
  async planKeys({ connectionId }: AccountKey): Promise<{ plan: AccountPlanView; keys: SubscriptionKeyView[] }[]> {
    const plans = await this.plans({ connectionId })
    const console = await this.#console(connectionId)
    const requestNumber = this.#local.ask()
    const keysByPlan = await console.keysOfEach(plans.map(({ planId }) => planId))
    // Yield to other work: tens of thousands of keys take a while.
    await pause()
    const findKeys = (planId: string): readonly SubscriptionKeyRecord[] => keysByPlan.get(planId) ?? []
    const lists = plans.map(({ planId }) => {
      return { requestNumber, planId, keys: findKeys(planId), isComplete: keysByPlan.has(planId) }
    })
    this.#local.noteKeys(connectionId, lists)
    const linkedPlans = this.#local.views(connectionId)
    return plans.map((plan) => ({
      plan,
      keys: findKeys(plan.planId).map((record) => keyView(record, linkedPlans.get(plan.planId))),
    }))
  }

  /** Hourly or daily usage of a plan, optionally by model or key. */
  async usage({ connectionId, ...question }: AccountKey & UsageConsoleQuery): Promise<ConsoleUsageRecord> {
    return (await this.#console(connectionId)).usage(question)
  }

  /** Charges immediately. Joins an identical purchase in progress. Fails with `account.*`. */
  buy(purchase: Input<'account.buy'>): Promise<Output<'account.buy'>> {
    return this.#sharePurchase([purchase], () => this.#purchase(purchase))
  }

  /** Near the expiry this pays for the next cycle, so `agree` must confirm it. Fails with `account.planExpired`. */
  async setAutoRenew(
    { connectionId, planId, autoRenew }: Input<'account.setAutoRenew'>,
    agree: (quote: RenewalQuote) => Promise<void>,
  ): Promise<Output<'account.setAutoRenew'>> {
    const console = await this.#console(connectionId)
    const planBefore = await console.plan(planId)
    const isRenewing = autoRenew && !planBefore.autoRenew && planBefore.status === 'ACTIVE'
    const remainingMs = Date.parse(planBefore.expiresAt) - Date.now() - this.#listAheadMs(connectionId)
    const isPaymentDue = isRenewing && remainingMs <= renewalWindowMs
    if (isPaymentDue) {
      const { credits } = await console.account()
      await agree({ planName: planBefore.name, amount: planBefore.total, credits })
    }
    const plan = await this.#shown(connectionId, () =>
      this.#changing(async () => {
        const changedPlan = await console.setAutoRenew(planId, autoRenew)
        return isPaymentDue ? console.plan(planId).catch(() => changedPlan) : changedPlan
      }),
    )
    const isCyclePaid = isPaymentDue && plan.expiresAt > planBefore.expiresAt
    await this.#note({ what: autoRenew ? 'autoRenewOn' : 'autoRenewOff', planName: plan.name })
    if (isCyclePaid) await this.#note({ what: 'planRenewed', planName: plan.name, subject: `${planBefore.total} VND` })
    return plan
  }

  /** Effects and refund of deleting plans. Skips missing plans. Fails with `api.notFound` if none is left. */
  async previewDelete({ connectionId, planIds }: Input<'account.previewDelete'>) {
    const console = await this.#console(connectionId)
    const requestedIds = new Set(planIds)
    const records = (await console.plans()).filter(({ planId }) => requestedIds.has(planId))
    if (records.length === 0) throw new AppError('api.notFound', 'The account no longer has these plans.')
    const linkedPlans = this.#local.views(connectionId)
    const serverNowMs = Date.now() + this.#listAheadMs(connectionId)
    const preview = async (record: AccountPlanRecord): Promise<DeletionPreview> => ({
      planId: record.planId,
      name: record.name,
      keys: (await console.keys(record.planId)).map(({ name }) => name),
      tools: await Promise.all((linkedPlans.get(record.planId)?.usedBy ?? []).map(this.deps.toolName)),
      estimatedRefund: estimateRefund(record, serverNowMs),
    })
    const runLimited = limitConcurrency(maxConcurrent)
    return Promise.all(records.map((record) => runLimited(() => preview(record))))
  }

  /** Removes local data only of plans that are certainly deleted. Fails with `account.unknownOutcome`. */
  async deletePlans({ connectionId, planIds }: Input<'account.deletePlans'>): Promise<Output<'account.deletePlans'>> {
    const uniquePlanIds = [...new Set(planIds)]
    const names = new Map(uniquePlanIds.map((planId) => [planId, this.#planName(connectionId, planId)]))
    const console = await this.#console(connectionId)
    const outcome = await this.#changing(async () => {
      const response = await console
        .deletePlans(uniquePlanIds)
        .catch((error: unknown) => findPlansAfterError(console, uniquePlanIds, error))
      const deleted = response.deleted.filter(({ planId }) => uniquePlanIds.includes(planId))
      const missingIds = response.failed.flatMap(({ planId, code }) => (code === 'api.notFound' ? [planId] : []))
      const goneIds = await console.findGonePlans(uniquePlanIds.filter((id) => missingIds.includes(id))).catch(() => [])
      const notForgotten: string[] = []
      for (const planId of [...deleted.map((plan) => plan.planId), ...goneIds]) {
        this.purchases.forget({ connectionId, planId })
        const name = this.#local.view(connectionId, planId)?.name
        await this.#local.forgetPlan(connectionId, planId).catch(() => notForgotten.push(name ?? planId))
      }
      const reportedIds = new Set([...deleted, ...response.failed].map(({ planId }) => planId))
      const unreportedPlans = uniquePlanIds.filter((id) => !reportedIds.has(id)).map(unknownDeletion)
      return { deleted, failed: [...response.failed, ...unreportedPlans], notForgotten }
    })
    for (const { planId } of outcome.deleted)
      await this.#note({ what: 'planDeleted', planName: names.get(planId) ?? planId })
    return outcome
  }

  /** Adds a key and saves it locally. Fails with `account.keyNotKept` if only the saving failed. */
  addKey({ connectionId, planId, name: text }: Input<'account.addKey'>): Promise<Output<'account.addKey'>> {
    return this.#shareKey([connectionId, planId, text], async () => {
      const name = readKeyName(text)
      const console = await this.#console(connectionId)
      const requestNumber = this.#local.ask()
      const plan = await console.plan(planId)
      requireProvisioned(plan)
      requireFreeKeySlot(plan)
      const view = await this.#changing(async () => {
        const key = await console.addKey(planId, name)
        const localPlan = await this.#local.keep(connectionId, { requestNumber, plan, key }).catch((error: unknown) => {
          throw createNotSavedError(key, error)
        })
        return keyView(key, localPlan)
      })
      await this.#note({ what: 'keyAdded', keyName: view.name, planName: this.#planName(connectionId, planId) })
      return view
    })
  }

  async renameKey({ connectionId, name: text, ...address }: Input<'account.renameKey'>) {
    const name = readKeyName(text)
    const subject = this.#keyName(connectionId, address)
    return this.#updateKey({ connectionId, ...address }, { name }, { what: 'keyRenamed', subject })
  }

  /** Enables or disables a key. A disabled key stays on this computer. */
  async setKeyStatus({ status, ...key }: Input<'account.setKeyStatus'>) {
    return this.#updateKey(key, { status }, { what: status === 'ACTIVE' ? 'keyEnabled' : 'keyDisabled' })
  }

  /** Permanently deletes a key here and at the account. Fails with `vault.unavailable` if only the keychain fails. */
  async deleteKey({ connectionId, ...address }: KeyInput): Promise<void> {
    const planName = this.#planName(connectionId, address.planId)
    const keyName = this.#keyName(connectionId, address)
    const console = await this.#console(connectionId)
    await this.#changing(async () => {
      const localPlan = this.#local.view(connectionId, address.planId)
      const isKeyStoredLocally = localPlan?.keys.some(({ origin }) => origin?.keyId === address.keyId) ?? false
      await console
        .deleteKey(address)
        .catch((error: unknown) => findKeyAfterError(console, address, { error, isHere: isKeyStoredLocally }))
      await this.#local.forgetKey(connectionId, address).catch((error: unknown) => {
        throw createNotRemovedError(error)
      })
    })
    await this.#note({ what: 'keyDeleted', planName, keyName })
  }

  /** Secret of a key for copying in main, from the vault or the account. Fails with `account.notProvisioned`. */
  async readSecret({ connectionId, ...address }: KeyInput): Promise<Secret> {
    const storedSecret = await this.#local.readSecret(connectionId, address)
    return storedSecret ?? (await this.#find(connectionId, address)).key.secret
  }

  /** Saves a key that was created elsewhere. Fails with `account.notProvisioned` or `vault.unavailable`. */
  async keepKey({ connectionId, ...address }: KeyInput): Promise<Output<'account.keepKey'>> {
    const keyToSave = await this.#find(connectionId, address)
    const savedKey = await this.#changing(async () =>
      keyView(keyToSave.key, await this.#local.keep(connectionId, keyToSave)),
    )
    await this.#note({ what: 'keySaved', planName: keyToSave.plan.name, keyName: keyToSave.key.name })
    return savedKey
  }

  async #purchase({ connectionId, name, autoRenew, ...item }: Input<'account.buy'>): Promise<Output<'account.buy'>> {
    requirePlanName(name)
    const console = await this.#console(connectionId)
    // The package of an earlier plan may no longer be offered. Then the console decides.
    const findPackage = async () =>
      'packageId' in item
        ? console.package(item.packageId)
        : undefinedIfFailed('api.notFound', console.package((await console.plan(item.planId)).packageId))
    const [account, offer] = await Promise.all([console.account(), findPackage()])
    requireBuyerRole(account)
    if (offer) requireCredits(account, offer)
    const choice = { name, autoRenew }
    const plan = await this.#shown(connectionId, () =>
      this.#changing(async () => {
        const record = await ('packageId' in item
          ? console.buy(item.packageId, choice)
          : console.buyAgain(item.planId, choice))
        this.purchases.follow({ connectionId, planId: record.planId })
        return record
      }),
    )
    await this.#note({ what: 'planBought', planName: plan.name, subject: `${plan.total} VND` })
    return plan
  }

  /** One poll of a purchase. Saves the first key once the plan is provisioned. */
  async #settle({ connectionId, planId }: AccountPlanId): Promise<boolean> {
    const console = await this.#console(connectionId)
    const requestNumber = this.#local.ask()
    const plan = await console.plan(planId)
    if (!plan.provisioned) return false
    const keys = await console.keys(planId)
    const key = keys.find(({ name }) => name === 'default-key') ?? keys[0]
    if (key) await this.#local.keep(connectionId, { requestNumber, plan, key })
    return true
  }

  async #find(connectionId: string, { planId, keyId }: KeyAddress) {
    const console = await this.#console(connectionId)
    const requestNumber = this.#local.ask()
    const [plan, keys] = await Promise.all([console.plan(planId), console.keys(planId)])
    const keyRecord = keys.find((candidate) => candidate.keyId === keyId)
    if (!keyRecord) throw new AppError('api.notFound', `The plan ${plan.name} no longer has this key.`)
    requireProvisioned(plan)
    return { requestNumber, plan, key: { ...keyRecord, secret: requireSecret(keyRecord) } }
  }

  async #updateKey(
    { connectionId, ...address }: KeyInput,
    change: Parameters<Console['updateKey']>[1],
    auditEvent: AuditEvent,
  ): Promise<SubscriptionKeyView> {
    const { planId } = address
    const console = await this.#console(connectionId)
    const key = await this.#changing(async () => {
      const changedKey = await console.updateKey(address, change)
      // A new sequence number, so that late responses to requests from before this change are ignored.
      const list = { requestNumber: this.#local.ask(), planId, keys: [changedKey], isComplete: false }
      this.#local.noteKeys(connectionId, [list])
      return changedKey
    })
    await this.#note({ ...auditEvent, keyName: key.name, planName: this.#planName(connectionId, planId) })
    return keyView(key, this.#local.view(connectionId, planId))
  }

  async #shown(connectionId: string, readPlan: () => Promise<AccountPlanRecord>): Promise<AccountPlanView> {
    const requestNumber = this.#local.ask()
    const record = await readPlan()
    this.#local.refresh(connectionId, requestNumber, [record])
    return this.#planView(connectionId, record, this.#local.view(connectionId, record.planId))
  }

  #planView(
    connectionId: string,
    record: AccountPlanRecord,
    local: PlanView | undefined,
    settings?: Settings,
  ): AccountPlanView {
    const label = this.deps.plans.directory.label(connectionId, record.name, settings)
    const aheadMs = this.#listAheadMs(connectionId)
    return {
      ...record,
      ...(aheadMs === 0 ? {} : { aheadMs }),
      localPlanId: local?.id,
      usedBy: [...(local?.usedBy ?? [])],
      ...(label === undefined ? {} : { label }),
    }
  }

  /** Runs a change and always invalidates cached data, even if the outcome is unknown. */
  async #changing<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change()
    } finally {
      this.deps.onChanged()
    }
  }

  async #note(entry: AuditEvent): Promise<void> {
    await this.deps.audit?.note(entry)
  }

  /** Name of a plan: the local or last known one, or else the id. */
  #planName(connectionId: string, planId: string): string {
    const name = this.#local.view(connectionId, planId)?.name
    return name ?? this.#planNames.get(planRefText({ connectionId, planId })) ?? planId
  }

  #keyName(connectionId: string, { planId, keyId }: KeyAddress): string {
    const keys = this.#local.view(connectionId, planId)?.keys ?? []
    return keys.find(({ origin }) => origin?.keyId === keyId)?.name ?? keyId
  }

  #listAheadMs(connectionId: string): number {
    return this.deps.getClockOffsetMs?.(connectionId) ?? 0
  }

  async #console(connectionId: string): Promise<Console> {
    return new Console(await this.deps.getClient(connectionId))
  }
}

/** Immediate charge in VND for enabling auto-renew. */
export interface RenewalQuote {
  readonly planName: string
  readonly amount: number
  /** Balance of the account before the charge, in VND. */
  readonly credits: number
}

/** Enabling auto-renew this close to the expiry may renew immediately. The contract does not give the exact time. */
const renewalWindowMs = 7 * dayMs

/** View of an account's key, without its secret. */
function keyView({ secret, ...record }: SubscriptionKeyRecord, local?: PlanView): SubscriptionKeyView {
  // Compares the masked key too, because a reset sandbox reuses ids for other keys.
  const isMatch = ({ origin, masked }: PlanView['keys'][number]): boolean =>
    origin?.keyId === record.keyId && (secret === undefined || masked === secret.masked)
  const localKey = local?.keys.find(isMatch)
  return { ...record, masked: secret?.masked ?? '...', kept: localKey?.kept, usedBy: [...(localKey?.usedBy ?? [])] }
}

const maxConcurrent = 6
