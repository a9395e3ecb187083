import { AppError, type FailureCode } from '@shared/failure'
import type { z } from 'zod'
import type { PlatformClient } from '../platform/platform-client'
import {
  AccountPlanRecord,
  AccountRecord,
  ConsoleUsageRecord,
  DeletionRecord,
  PackageRecord,
  readRecord,
  SubscriptionKeyRecord,
} from './records'

type ConsoleId = Extract<Parameters<PlatformClient['call']>[0], `console.${string}`>
type Arguments = NonNullable<Parameters<PlatformClient['call']>[1]>

/** As many rows as a page may have: what a list needs in requests is small then. */
const pageSize = 100

/** A key of a plan. */
export interface KeyAddress {
  readonly planId: string
  readonly keyId: string
}

/** What a buyer chooses. */
export interface Wish {
  readonly name: string
  readonly autoRenew: boolean
}

/** What is asked of a plan's usage; `[from, to)` in ISO 8601. One key at most (spec, "Limits"). */
export interface UsageQuestion {
  readonly planId: string
  readonly from: string
  readonly to: string
  readonly interval: 'hour' | 'day'
  readonly modelCode?: string | undefined
  readonly keyId?: string | undefined
}

/** The console of one connection (decisions 3) with typed answers. Fails with `api.*`, `auth.*`, `net.*`, `account.*`. */
export class Console {
  readonly #client: PlatformClient

  constructor(client: PlatformClient) {
    this.#client = client
  }

  account(): Promise<AccountRecord> {
    return this.#ask(AccountRecord, 'console.account.get')
  }

  packages(): Promise<PackageRecord[]> {
    return this.#all(PackageRecord, 'console.packages.list', { idOf: ({ packageId }) => packageId })
  }

  package(packageId: string): Promise<PackageRecord> {
    return this.#ask(PackageRecord, 'console.packages.get', { path: { packageId } })
  }

  plans(): Promise<AccountPlanRecord[]> {
    return this.#all(AccountPlanRecord, 'console.tokenPlans.list', { idOf: ({ planId }) => planId })
  }

  plan(planId: string): Promise<AccountPlanRecord> {
    return this.#ask(AccountPlanRecord, 'console.tokenPlans.get', { path: { planId } })
  }

  keys(planId: string): Promise<SubscriptionKeyRecord[]> {
    return this.#all(SubscriptionKeyRecord, 'console.keys.list', { path: { planId }, idOf: ({ keyId }) => keyId })
  }

  /** Pays at once. */
  buy(packageId: string, { name, autoRenew }: Wish): Promise<AccountPlanRecord> {
    const body = { name, packageId, autoRenew }
    return inDoubt('The purchase', () => this.#ask(AccountPlanRecord, 'console.tokenPlans.create', { body }))
  }

  /** Pays at once, for a separate new plan of the same type. */
  buyAgain(planId: string, { name, autoRenew }: Wish): Promise<AccountPlanRecord> {
    const args = { path: { planId }, body: { name, autoRenew } }
    return inDoubt('The purchase', () => this.#ask(AccountPlanRecord, 'console.tokenPlans.buyAgain', args))
  }

  setAutoRenew(planId: string, autoRenew: boolean): Promise<AccountPlanRecord> {
    return this.#ask(AccountPlanRecord, 'console.tokenPlans.update', { path: { planId }, body: { autoRenew } })
  }

  deletePlans(planIds: readonly string[]): Promise<DeletionRecord> {
    const args = { body: { planIds } }
    return inDoubt('The deletion', () => this.#ask(DeletionRecord, 'console.tokenPlans.batchDelete', args))
  }

  addKey(planId: string, name: string): Promise<SubscriptionKeyRecord> {
    const args = { path: { planId }, body: { name } }
    return inDoubt('The new key', () => this.#ask(SubscriptionKeyRecord, 'console.keys.create', args))
  }

  updateKey(
    { planId, keyId }: KeyAddress,
    change: { readonly name: string } | { readonly status: SubscriptionKeyRecord['status'] },
  ): Promise<SubscriptionKeyRecord> {
    return this.#ask(SubscriptionKeyRecord, 'console.keys.update', { path: { planId, keyId }, body: change })
  }

  async deleteKey({ planId, keyId }: KeyAddress): Promise<void> {
    await inDoubt('The deletion', () => this.#client.call('console.keys.delete', { path: { planId, keyId } }))
  }

  /** Which of these plans are gone for certain: the platform neither lists nor finds them. */
  async findGonePlans(planIds: readonly string[]): Promise<string[]> {
    const listed = new Set((await this.plans()).map(({ planId }) => planId))
    const gone: string[] = []
    for (const planId of planIds) if (!listed.has(planId) && (await this.#isGone(planId))) gone.push(planId)
    return gone
  }

  /** Whether a key is gone for certain: its plan is there without it, or gone itself. */
  async isKeyGone({ planId, keyId }: KeyAddress): Promise<boolean> {
    const plans = await this.plans()
    if (!plans.some((plan) => plan.planId === planId)) return this.#isGone(planId)
    return !(await this.keys(planId)).some((key) => key.keyId === keyId)
  }

  async #isGone(planId: string): Promise<boolean> {
    try {
      await this.plan(planId)
      return false
    } catch (error) {
      if (error instanceof AppError && error.failure.code === 'api.notFound') return true
      throw error
    }
  }

  usage({ planId, modelCode: model, ...query }: UsageQuestion): Promise<ConsoleUsageRecord> {
    return this.#ask(ConsoleUsageRecord, 'console.usage.get', { path: { planId }, query: { ...query, model } })
  }

  async #ask<T>(record: z.ZodType<T>, id: ConsoleId, args?: Arguments): Promise<T> {
    return readRecord(record, (await this.#client.call(id, args)).data)
  }

  /** Every row once: one that moved to the next page while the pages were read comes twice. */
  async #all<T>(
    record: z.ZodType<T>,
    id: ConsoleId,
    { path = {}, idOf }: { path?: Arguments['path']; idOf: (row: T) => string },
  ): Promise<T[]> {
    const rows = new Map<string, T>()
    for await (const { items } of this.#client.pages(id, { path, query: { size: pageSize } })) {
      for (const item of items) {
        const row = readRecord(record, item)
        rows.set(idOf(row), row)
      }
    }
    return [...rows.values()]
  }
}

/** After these nobody knows whether the platform has carried out what was sent. */
const doubtful: readonly FailureCode[] = [
  'net.timeout',
  'net.cut',
  'net.other',
  'net.cancelled',
  'api.serverError',
  'api.unreadable',
]

async function inDoubt<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof AppError) || !doubtful.includes(error.failure.code)) throw error
    const { message, requestId } = error.failure
    throw new AppError(
      'account.unknownOutcome',
      `${what} may have gone through: the answer was lost. Look at the list before you do it again. ${message}`,
      { cause: error, ...(requestId === undefined ? {} : { requestId }) },
    )
  }
}
