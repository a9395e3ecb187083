import { setImmediate as pause } from 'node:timers/promises'
import type { PlanView } from '@shared/contract'
import type {
  AccountPlanView,
  account as contract,
  DeletionPreview,
  SubscriptionKeyView,
} from '@shared/contract/account'
import { dayMs, minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import type { z } from 'zod'
import type { Sleep } from '../platform/deadline'
import type { PlatformClient } from '../platform/platform-client'
import type { AuditNote, AuditPort, Log } from '../ports'
import type { Secret } from '../secret'
import type { AccountPlanId, SettingsStore } from '../settings/settings'
import * as checks from './account-errors'
import { keyNotRemoved, keyNotSaved, lookForKey, lookForPlans, offerAgain, unknownDeletion } from './account-errors'
import {
  type AccountPlanRecord,
  Console,
  type ConsoleUsageRecord,
  type KeyAddress,
  type PackageRecord,
  type PurchaseChoice,
  type SubscriptionKeyRecord,
  type UsageQuestion,
} from './console-client'
import { LocalKeys, type LocalPlans } from './local-keys'
import { Purchases } from './purchases'

/** Starts what is asked for, unless the same is under way: then all who asked get its one outcome. */
type ShareRunning<T> = (what: readonly unknown[], start: () => Promise<T>) => Promise<T>

/** One place where double clicks meet; `what` is compared as JSON. */
function singleFlight<T>(): ShareRunning<T> {
  const running = new Map<string, Promise<T>>()
  return (what, start) => {
    const name = JSON.stringify(what)
    const begun = running.get(name)
    if (begun) return begun
    const outcome = start().finally(() => running.delete(name))
    running.set(name, outcome)
    return outcome
  }
}

type Contract = typeof contract
type Input<N extends keyof Contract> = z.output<Contract[N]['input']>
type Output<N extends keyof Contract> = z.output<Contract[N]['output']>
type Of = Input<'account.get'>
type OfPlan = Input<'account.plan'>
type OfKey = Input<'account.deleteKey'>

interface AccountDeps {
  /** Fails with `connection.notFound`. */
  readonly clientOf: (connectionId: string) => Promise<PlatformClient>
  readonly plans: LocalPlans
  /** How far the clock of a connection's place is ahead of ours, in ms; not at all unless given. */
  readonly aheadMsOf?: (connectionId: string) => number
  readonly settings: SettingsStore
  readonly sleep: Sleep
  readonly log: Log
  /** The name of a tool by its id. */
  readonly toolName: (toolId: string) => Promise<string>
  /** Something at an account, or what is kept of it here, may have changed: ask again. */
  readonly onChanged: () => void
  /** Where every change that was made is noted by name; nowhere unless given. */
  readonly audit?: AuditPort
}

/** The account behind a connection: packages, plans and subscription keys (console contract, decisions 3). */
export class Account {
  readonly #deps: AccountDeps
  readonly #local: LocalKeys
  readonly #purchases: Purchases
  readonly #sharePurchase = singleFlight<Output<'account.buy'>>()
  readonly #shareKey = singleFlight<Output<'account.addKey'>>()

  constructor(deps: AccountDeps) {
    const { settings, sleep, log, onChanged } = deps
    this.#deps = deps
    this.#local = new LocalKeys(deps.plans)
    const settle = (purchase: AccountPlanId) => this.#settle(purchase)
    this.#purchases = new Purchases({ settings, sleep, log, settle, onSettled: onChanged })
  }

  /** Fails with `api.notConfigured` when the connection has no console. */
  async get({ connectionId }: Of): Promise<Output<'account.get'>> {
    const account = await (await this.#console(connectionId)).account()
    const { settings } = this.#deps
    const { accountId } = account
    const isKnown = settings
      .read()
      .accounts.some((one) => one.connectionId === connectionId && one.accountId === accountId)
    if (!isKnown) {
      settings.update(({ accounts }) => ({
        accounts: [...accounts.filter((one) => one.connectionId !== connectionId), { connectionId, accountId }],
      }))
    }
    return account
  }

  async packages({ connectionId }: Of): Promise<Output<'account.packages'>> {
    return (await this.#console(connectionId)).packages()
  }

  /** All plans, the newest purchase first: one walk through the list. Plans kept here are brought up to date. */
  async plans({ connectionId }: Of): Promise<Output<'account.plans'>> {
    const console = await this.#console(connectionId)
    const asked = this.#local.ask()
    const records = await console.plans()
    this.#local.refresh(connectionId, asked, records)
    this.#deps.plans.directory.noteAccount(connectionId, records)
    const linked = this.#local.views(connectionId)
    return records
      .toSorted((a, b) => b.purchasedAt.localeCompare(a.purchasedAt))
      .map((record) => this.#planView(connectionId, record, linked.get(record.planId)))
  }

  async plan({ connectionId, planId }: OfPlan): Promise<Output<'account.plan'>> {
    const console = await this.#console(connectionId)
    return this.#shown(connectionId, () => console.plan(planId))
  }

  async keys({ connectionId, planId }: OfPlan): Promise<Output<'account.keys'>> {
    const console = await this.#console(connectionId)
    const asked = this.#local.ask()
    const records = await console.keys(planId)
    this.#local.noteStatuses(connectionId, [{ asked, planId, keys: records, isComplete: true }])
    const local = this.#local.view(connectionId, planId)
    return records.map((record) => keyView(record, local))
  }

  /** The keys of every plan; what is kept here is looked at once for all. Fails with `api.listTooLong` for an account that goes on giving keys. */
  async planKeys({ connectionId }: Of): Promise<{ plan: AccountPlanView; keys: SubscriptionKeyView[] }[]> {
    const plans = await this.plans({ connectionId })
    const console = await this.#console(connectionId)
    const asked = this.#local.ask()
    const told = await console.keysOfEach(plans.map(({ planId }) => planId))
    // Of tens of thousands of keys each part takes a while: what waits meanwhile comes between.
    await pause()
    const keysOf = (planId: string): readonly SubscriptionKeyRecord[] => told.get(planId) ?? []
    this.#local.noteStatuses(
      connectionId,
      plans.map(({ planId }) => ({ asked, planId, keys: keysOf(planId), isComplete: told.has(planId) })),
    )
    const linked = this.#local.views(connectionId)
    return plans.map((plan) => ({
      plan,
      keys: keysOf(plan.planId).map((record) => keyView(record, linked.get(plan.planId))),
    }))
  }

  /** What a plan used, hour by hour or day by day; of one model or key, or of all. */
  async usage({ connectionId, ...question }: Of & UsageQuestion): Promise<ConsoleUsageRecord> {
    return (await this.#console(connectionId)).usage(question)
  }

  /** Pays at once; the same wish while one is under way is the same purchase. Fails with `account.*`, or `account.unknownOutcome`. */
  buy({ connectionId, packageId, name, autoRenew }: Input<'account.buy'>): Promise<Output<'account.buy'>> {
    return this.#sharePurchase(['buy', connectionId, packageId, name, autoRenew], () =>
      this.#purchase(connectionId, {
        wish: { name, autoRenew },
        offer: (console) => console.package(packageId),
        pay: (console, wish) => console.buy(packageId, wish),
      }),
    )
  }

  /** Buys a separate new plan of the same type, as `buy` does. */
  buyAgain({ connectionId, planId, name, autoRenew }: Input<'account.buyAgain'>): Promise<Output<'account.buyAgain'>> {
    return this.#sharePurchase(['buyAgain', connectionId, planId, name, autoRenew], () =>
      this.#purchase(connectionId, {
        wish: { name, autoRenew },
        offer: async (console) => offerAgain(console, await console.plan(planId)),
        pay: (console, wish) => console.buyAgain(planId, wish),
      }),
    )
  }

  /**
   * Switches auto-renew. Close to the expiry that pays for the next cycle, so `agree` is asked first and fails when the answer is no.
   * Fails with `account.planExpired` after the expiry.
   */
  async setAutoRenew(
    { connectionId, planId, autoRenew }: Input<'account.setAutoRenew'>,
    agree: (quote: RenewalQuote) => Promise<void>,
  ): Promise<Output<'account.setAutoRenew'>> {
    const console = await this.#console(connectionId)
    const before = await console.plan(planId)
    const isRenewing = autoRenew && !before.autoRenew && before.status === 'ACTIVE'
    const leftMs = Date.parse(before.expiresAt) - Date.now() - this.#aheadMsOf(connectionId)
    const mayPay = isRenewing && leftMs <= renewalWindowMs
    if (mayPay) {
      const { credits } = await console.account()
      await agree({ planName: before.name, amount: before.total, credits })
    }
    const plan = await this.#shown(connectionId, () =>
      this.#changing(async () => {
        const changed = await console.setAutoRenew(planId, autoRenew)
        return mayPay ? console.plan(planId).catch(() => changed) : changed
      }),
    )
    const isPaid = mayPay && plan.expiresAt > before.expiresAt
    await this.#note({ what: autoRenew ? 'autoRenewOn' : 'autoRenewOff', planName: plan.name })
    if (isPaid) await this.#note({ what: 'planRenewed', planName: plan.name, subject: `${before.total} VND` })
    return plan
  }

  /** What would stop and what may come back; plans that are gone are left out. Fails with `api.notFound` when none is left. */
  async previewDelete({ connectionId, planIds }: Input<'account.previewDelete'>) {
    const console = await this.#console(connectionId)
    const wanted = new Set(planIds)
    const records = (await console.plans()).filter(({ planId }) => wanted.has(planId))
    if (records.length === 0) throw new AppError('api.notFound', 'The account no longer has these plans.')
    return previewDeletions(records, {
      console,
      linked: this.#local.views(connectionId),
      toolName: this.#deps.toolName,
      now: Date.now() + this.#aheadMsOf(connectionId),
    })
  }

  /**
   * Deletes plans for good and forgets what of them is kept here: only of those that the platform says are gone, at once or, after a lost
   * answer, when it is asked again. Fails with `account.unknownOutcome` when it cannot be asked, or still lists all of them.
   */
  async deletePlans({ connectionId, planIds }: Input<'account.deletePlans'>): Promise<Output<'account.deletePlans'>> {
    const asked = [...new Set(planIds)]
    const names = new Map(asked.map((planId) => [planId, this.#planName(connectionId, planId)]))
    const console = await this.#console(connectionId)
    const outcome = await this.#changing(async () => {
      const answered = await console.deletePlans(asked).catch((error: unknown) => lookForPlans(console, asked, error))
      const deleted = answered.deleted.filter(({ planId }) => asked.includes(planId))
      const notForgotten: string[] = []
      const missing = answered.failed.flatMap(({ planId, code }) => (code === 'api.notFound' ? [planId] : []))
      const missed = await console.findGonePlans(asked.filter((id) => missing.includes(id))).catch(() => [])
      for (const planId of [...deleted.map((one) => one.planId), ...missed]) {
        this.#purchases.forget({ connectionId, planId })
        const name = this.#local.view(connectionId, planId)?.name
        await this.#local.forgetPlan(connectionId, planId).catch(() => notForgotten.push(name ?? planId))
      }
      const told = new Set([...deleted, ...answered.failed].map(({ planId }) => planId))
      const untold = asked.filter((planId) => !told.has(planId)).map(unknownDeletion)
      return { deleted, failed: [...answered.failed, ...untold], notForgotten }
    })
    for (const { planId } of outcome.deleted) {
      await this.#note({ what: 'planDeleted', planName: names.get(planId) ?? planId })
    }
    return outcome
  }

  /** Adds a key and keeps it here at once. Fails with `account.keyNotKept` when the key was made but could not be kept. */
  addKey({ connectionId, planId, name: text }: Input<'account.addKey'>): Promise<Output<'account.addKey'>> {
    return this.#shareKey([connectionId, planId, text], async () => {
      const name = checks.readKeyName(text)
      const console = await this.#console(connectionId)
      const asked = this.#local.ask()
      const plan = await console.plan(planId)
      checks.requireProvisioned(plan)
      checks.requireRoomForKey(plan)
      const view = await this.#changing(async () => {
        const key = await console.addKey(planId, name)
        const local = await this.#local.keep(connectionId, { asked, plan, key }).catch((error: unknown) => {
          throw keyNotSaved(key, error)
        })
        return keyView(key, local)
      })
      await this.#noteKey(connectionId, planId, { what: 'keyAdded', keyName: view.name })
      return view
    })
  }

  async renameKey({ connectionId, name: text, ...address }: Input<'account.renameKey'>) {
    const name = checks.readKeyName(text)
    const subject = this.#keyName(connectionId, address)
    const key = await this.#updateKey(connectionId, address, { name })
    this.#local.rename(connectionId, address.planId, key)
    await this.#noteKey(connectionId, address.planId, { what: 'keyRenamed', keyName: key.name, subject })
    return this.#shownKey(connectionId, address, key)
  }

  /** A disabled key stays on this machine. */
  async setKeyStatus({ connectionId, status, ...address }: Input<'account.setKeyStatus'>) {
    const key = await this.#updateKey(connectionId, address, { status })
    const what = status === 'ACTIVE' ? 'keyEnabled' : 'keyDisabled'
    await this.#noteKey(connectionId, address.planId, { what, keyName: key.name })
    return this.#shownKey(connectionId, address, key)
  }

  /** Deletes a key for good and forgets it here. Fails with `vault.unavailable` when it is deleted but the keychain did not give it up. */
  async deleteKey({ connectionId, ...address }: OfKey): Promise<void> {
    const planName = this.#planName(connectionId, address.planId)
    const keyName = this.#keyName(connectionId, address)
    const console = await this.#console(connectionId)
    await this.#changing(async () => {
      const local = this.#local.view(connectionId, address.planId)
      const isHere = local?.keys.some(({ origin }) => origin?.keyId === address.keyId) ?? false
      await console.deleteKey(address).catch((error: unknown) => lookForKey(console, address, { error, isHere }))
      await this.#local.forgetKey(connectionId, address).catch((error: unknown) => {
        throw keyNotRemoved(error)
      })
    })
    await this.#note({ what: 'keyDeleted', planName, keyName })
  }

  /** The key itself, to copy it in main: the one kept here, else the account's. Fails with `account.notProvisioned`. */
  async secretOf({ connectionId, ...address }: OfKey): Promise<Secret> {
    const kept = await this.#local.secretOf(connectionId, address)
    if (kept) return kept
    const { key } = await this.#find(connectionId, address)
    return key.secret
  }

  /** Keeps a key that was made elsewhere, or could not be kept, on this machine. Fails with `account.notProvisioned` or `vault.unavailable`. */
  async keepKey({ connectionId, ...address }: OfKey): Promise<Output<'account.keepKey'>> {
    const found = await this.#find(connectionId, address)
    return this.#changing(async () => keyView(found.key, await this.#local.keep(connectionId, found)))
  }

  /** Goes on with purchases that were pending when the program ended. */
  resume(): void {
    this.#purchases.resume()
  }

  /** Stops to follow purchases, for the end of the program. */
  stop(): void {
    this.#purchases.stop()
  }

  /** Resolves once a bought plan is provisioned and its first key is kept here. Fails with what is in the way; it is followed on then. */
  settled(purchase: OfPlan, signal?: AbortSignal): Promise<void> {
    return this.#purchases.wait(purchase, signal)
  }

  async #purchase(connectionId: string, { wish, offer, pay }: Purchase): Promise<Output<'account.buy'>> {
    checks.requirePlanName(wish.name)
    const console = await this.#console(connectionId)
    const [account, chosen] = await Promise.all([console.account(), offer(console)])
    checks.requireBuyer(account)
    if (chosen) checks.requireCredits(account, chosen)
    const plan = await this.#shown(connectionId, () =>
      this.#changing(async () => {
        const record = await pay(console, wish)
        this.#purchases.follow({ connectionId, planId: record.planId })
        return record
      }),
    )
    await this.#note({ what: 'planBought', planName: plan.name, subject: `${plan.total} VND` })
    return plan
  }

  /** One step of following a purchase: keeps the first key once the plan is provisioned. */
  async #settle({ connectionId, planId }: AccountPlanId): Promise<boolean> {
    const console = await this.#console(connectionId)
    const asked = this.#local.ask()
    const plan = await console.plan(planId)
    if (!plan.provisioned) return false
    const keys = await console.keys(planId)
    const key = keys.find(({ name }) => name === 'default-key') ?? keys[0]
    if (key) await this.#local.keep(connectionId, { asked, plan, key })
    return true
  }

  async #find(connectionId: string, { planId, keyId }: KeyAddress) {
    const console = await this.#console(connectionId)
    const asked = this.#local.ask()
    const [plan, keys] = await Promise.all([console.plan(planId), console.keys(planId)])
    const found = keys.find((one) => one.keyId === keyId)
    if (!found) throw new AppError('api.notFound', `The plan ${plan.name} no longer has this key.`)
    checks.requireProvisioned(plan)
    return { asked, plan, key: { ...found, secret: checks.requireSecret(found) } }
  }

  async #updateKey(
    connectionId: string,
    address: KeyAddress,
    change: Parameters<Console['updateKey']>[1],
  ): Promise<SubscriptionKeyRecord> {
    const console = await this.#console(connectionId)
    return this.#changing(async () => {
      const key = await console.updateKey(address, change)
      // What was asked before the change tells the state before it.
      this.#local.noteStatuses(connectionId, [{ asked: this.#local.ask(), planId: address.planId, keys: [key] }])
      return key
    })
  }

  async #shown(connectionId: string, ask: () => Promise<AccountPlanRecord>): Promise<Output<'account.plan'>> {
    const asked = this.#local.ask()
    const record = await ask()
    this.#local.refresh(connectionId, asked, [record])
    return this.#planView(connectionId, record, this.#local.view(connectionId, record.planId))
  }

  #planView(connectionId: string, record: AccountPlanRecord, local: PlanView | undefined): AccountPlanView {
    const label = this.#deps.plans.directory.label(connectionId, record.name)
    return { ...planView(record, local, this.#aheadMsOf(connectionId)), ...(label === undefined ? {} : { label }) }
  }

  #shownKey(connectionId: string, { planId }: KeyAddress, key: SubscriptionKeyRecord): Output<'account.renameKey'> {
    return keyView(key, this.#local.view(connectionId, planId))
  }

  /** Whatever comes of a change, also of one in doubt: what is shown may be out of date. */
  async #changing<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change()
    } finally {
      this.#deps.onChanged()
    }
  }

  async #note(entry: AuditNote): Promise<void> {
    await this.#deps.audit?.note(entry)
  }

  #noteKey(connectionId: string, planId: string, entry: AuditNote): Promise<void> {
    return this.#note({ ...entry, planName: this.#planName(connectionId, planId) })
  }

  /** As the plan is called here; the account's id when it is not here. */
  #planName(connectionId: string, planId: string): string {
    return this.#local.view(connectionId, planId)?.name ?? planId
  }

  #keyName(connectionId: string, { planId, keyId }: KeyAddress): string {
    const keys = this.#local.view(connectionId, planId)?.keys ?? []
    return keys.find(({ origin }) => origin?.keyId === keyId)?.name ?? keyId
  }

  #aheadMsOf(connectionId: string): number {
    return this.#deps.aheadMsOf?.(connectionId) ?? 0
  }

  async #console(connectionId: string): Promise<Console> {
    return new Console(await this.#deps.clientOf(connectionId))
  }
}

/** What switching auto-renew on deducts at once, in VND. */
export interface RenewalQuote {
  readonly planName: string
  readonly amount: number
  /** The balance before. */
  readonly credits: number
}

/** From this long before the expiry on, switching auto-renew on may renew at once. The services' contract does not tell the exact time. */
const renewalWindowMs = 7 * dayMs

interface Purchase {
  readonly wish: PurchaseChoice
  /** What would be bought; undefined when the console does not offer it any more, and then it decides. */
  readonly offer: (console: Console) => Promise<PackageRecord | undefined>
  readonly pay: (console: Console, wish: PurchaseChoice) => Promise<AccountPlanRecord>
}

/** What is shown of a key that the platform masks. */
const unknownKey = '...'

/** A plan of an account, with the plan here that holds keys of it, and how far the clock of its place is ahead of ours. */
export function planView(record: AccountPlanRecord, local: PlanView | undefined, aheadMs = 0): AccountPlanView {
  return {
    ...record,
    ...(aheadMs === 0 ? {} : { aheadMs }),
    localPlanId: local?.id,
    usedBy: [...(local?.usedBy ?? [])],
  }
}

/** A key of an account without the key itself. */
export function keyView(
  { secret, ...record }: SubscriptionKeyRecord,
  local: PlanView | undefined,
): SubscriptionKeyView {
  // A sandbox that was reset gives the ids out again, to other keys.
  const isIt = ({ origin, masked }: PlanView['keys'][number]): boolean =>
    origin?.keyId === record.keyId && (secret === undefined || masked === secret.masked)
  const held = local?.keys.find(isIt)
  return { ...record, masked: secret?.masked ?? unknownKey, kept: held?.kept, usedBy: [...(held?.usedBy ?? [])] }
}

/** How many plans are looked into at the same time. */
const atOnce = 6

interface PreviewPorts {
  readonly console: Console
  /** The plans here that hold keys of the account, by the account's plan. */
  readonly linked: ReadonlyMap<string, PlanView>
  readonly toolName: (toolId: string) => Promise<string>
  /** The time at the platform, in ms. */
  readonly now: number
}

/** What deleting each of these plans would stop, and what may come back. */
async function previewDeletions(
  records: readonly AccountPlanRecord[],
  { console, linked, toolName, now }: PreviewPorts,
): Promise<DeletionPreview[]> {
  const preview = async (record: AccountPlanRecord): Promise<DeletionPreview> => ({
    planId: record.planId,
    name: record.name,
    keys: (await console.keys(record.planId)).map(({ name }) => name),
    tools: await Promise.all((linked.get(record.planId)?.usedBy ?? []).map(toolName)),
    estimatedRefund: estimateRefund(record, now),
  })
  const previews: DeletionPreview[] = []
  for (let at = 0; at < records.length; at += atOnce) {
    previews.push(...(await Promise.all(records.slice(at, at + atOnce).map(preview))))
  }
  return previews
}

/** Smaller than any share of a dong that comes of whole numbers, larger than what floats lose. */
const lost = 1e-6

/** A plan that was just bought must not look as if it had been renewed in advance because clocks differ. */
const clockToleranceMs = 5 * minuteMs

const unusedShare = (quota: number, used: number): number => (quota === 0 ? 0 : Math.max(0, quota - used) / quota)

/**
 * What deleting a plan may give back, in whole VND: an estimate of ours (spec: "refunded pro rata", the formula is not shown). The total,
 * times the mean over the models of the smaller of the two unused shares, and in full for each renewal that was paid in advance. An expired
 * plan gives nothing.
 */
export function estimateRefund(
  { status, total, models, expiresAt, cycleDays }: AccountPlanRecord,
  now: number,
): number {
  if (status === 'EXPIRED') return 0
  const leftMs = Date.parse(expiresAt) - now - clockToleranceMs
  const paidAhead = total * Math.max(0, Math.ceil(leftMs / (Math.max(1, cycleDays) * dayMs)) - 1)
  if (models.length === 0) return paidAhead
  const shares = models.map(({ tokenQuota, tokensUsed, requestQuota, requestsUsed }) =>
    Math.min(unusedShare(tokenQuota, tokensUsed), unusedShare(requestQuota, requestsUsed)),
  )
  const sum = shares.reduce((left, share) => left + share, 0)
  return Math.floor((total * sum) / models.length + lost) + paidAhead
}
