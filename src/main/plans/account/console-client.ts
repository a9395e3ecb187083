import { PlanName } from '@shared/contract/common'
import {
  AccountPlanRecord,
  AccountView,
  ConsoleAmount,
  ConsoleLabel,
  ConsoleTime,
  createCount,
  createModelList,
  PackageView,
  SubscriptionKeyView,
} from '@shared/contract/plans'
import { AppError, type Failure, type FailureCode, undefinedIfFailed } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { limits } from '@shared/limits'
import { z } from 'zod'
import { redact, Secret } from '../../core/secret'
import { limitConcurrency } from '../../core/work-queue'
import { explainConsoleCode } from '../../platform/explain'
import type { PlatformClient } from '../../platform/platform-client'

type ConsoleId = Extract<Parameters<PlatformClient['call']>[0], `console.${string}`>
type Arguments = NonNullable<Parameters<PlatformClient['call']>[1]>

/** Maximum page size, to minimize requests. */
const pageSize = 100

/** Concurrent key requests, and maximum number of keys per account. */
const maxConcurrent = 6
const maxKeys = 50_000

export interface KeyAddress {
  readonly planId: string
  readonly keyId: string
}

export interface PurchaseChoice {
  readonly name: string
  readonly autoRenew: boolean
}

/** Usage query over `[from, to)` in ISO 8601, for at most one key (spec, "Limits"). */
export interface UsageConsoleQuery {
  readonly planId: string
  readonly from: string
  readonly to: string
  readonly interval: 'hour' | 'day'
  readonly modelCode?: string | undefined
  readonly keyId?: string | undefined
}

export class Console {
  constructor(private readonly client: PlatformClient) {}

  account(): Promise<AccountView> {
    return this.#ask(AccountView, 'console.account.get')
  }

  packages(): Promise<PackageView[]> {
    return this.#all(PackageView, 'console.packages.list', { toId: ({ packageId }) => packageId })
  }

  package(packageId: string): Promise<PackageView> {
    return this.#ask(PackageView, 'console.packages.get', { path: { packageId } })
  }

  plans(): Promise<AccountPlanRecord[]> {
    return this.#all(AccountPlanRecord, 'console.tokenPlans.list', { toId: ({ planId }) => planId })
  }

  plan(planId: string): Promise<AccountPlanRecord> {
    return this.#ask(AccountPlanRecord, 'console.tokenPlans.get', { path: { planId } })
  }

  keys(planId: string): Promise<SubscriptionKeyRecord[]> {
    return this.#all(SubscriptionKeyRecord, 'console.keys.list', { path: { planId }, toId: ({ keyId }) => keyId })
  }

  /** Skips plans deleted in between. Fails with `api.listTooLong` if the account never stops returning keys. */
  async keysOfEach(planIds: readonly string[]): Promise<ReadonlyMap<string, SubscriptionKeyRecord[]>> {
    const keysByPlan = new Map<string, SubscriptionKeyRecord[]>()
    let count = 0
    const readKeys = async (planId: string): Promise<void> => {
      if (count > maxKeys) return
      const keys = (await undefinedIfFailed('api.notFound', this.keys(planId))) ?? []
      count += keys.length
      keysByPlan.set(planId, keys)
    }
    const runLimited = limitConcurrency(maxConcurrent)
    await Promise.all(planIds.map((planId) => runLimited(() => readKeys(planId))))
    if (count > maxKeys) throw new AppError('api.listTooLong', `The account has more than ${maxKeys} keys.`)
    return keysByPlan
  }

  buy(packageId: string, { name, autoRenew }: PurchaseChoice): Promise<AccountPlanRecord> {
    const request = this.#ask(AccountPlanRecord, 'console.tokenPlans.create', { body: { name, packageId, autoRenew } })
    return explainUnknownOutcome('The purchase', request)
  }

  buyAgain(planId: string, body: PurchaseChoice): Promise<AccountPlanRecord> {
    const request = this.#ask(AccountPlanRecord, 'console.tokenPlans.buyAgain', { path: { planId }, body })
    return explainUnknownOutcome('The purchase', request)
  }

  setAutoRenew(planId: string, autoRenew: boolean): Promise<AccountPlanRecord> {
    return this.#ask(AccountPlanRecord, 'console.tokenPlans.update', { path: { planId }, body: { autoRenew } })
  }

  deletePlans(planIds: readonly string[]): Promise<DeletionRecord> {
    const request = this.#ask(DeletionRecord, 'console.tokenPlans.batchDelete', { body: { planIds } })
    return explainUnknownOutcome('The deletion', request)
  }

  addKey(planId: string, name: string): Promise<SubscriptionKeyRecord> {
    const request = this.#ask(SubscriptionKeyRecord, 'console.keys.create', { path: { planId }, body: { name } })
    return explainUnknownOutcome('The new key', request)
  }

  updateKey(
    { planId, keyId }: KeyAddress,
    change: { readonly name: string } | { readonly status: SubscriptionKeyRecord['status'] },
  ): Promise<SubscriptionKeyRecord> {
    return this.#ask(SubscriptionKeyRecord, 'console.keys.update', { path: { planId, keyId }, body: change })
  }

  async deleteKey({ planId, keyId }: KeyAddress): Promise<void> {
    const request = this.client.call('console.keys.delete', { path: { planId, keyId } })
    await explainUnknownOutcome('The deletion', request)
  }

  /** Plans that are certainly deleted: missing in the list, and not found by id. */
  async findGonePlans(planIds: readonly string[]): Promise<string[]> {
    const listedIds = new Set((await this.plans()).map(({ planId }) => planId))
    const deletedPlanIds: string[] = []
    for (const planId of planIds)
      if (!listedIds.has(planId) && (await this.#isGone(planId))) deletedPlanIds.push(planId)
    return deletedPlanIds
  }

  /** Whether a key is confirmed as deleted: its plan exists without it, or is gone. */
  async isKeyGone({ planId, keyId }: KeyAddress): Promise<boolean> {
    const plans = await this.plans()
    if (!plans.some((plan) => plan.planId === planId)) return this.#isGone(planId)
    return !(await this.keys(planId)).some((key) => key.keyId === keyId)
  }

  async #isGone(planId: string): Promise<boolean> {
    return (await undefinedIfFailed('api.notFound', this.plan(planId))) === undefined
  }

  usage({ planId, modelCode: model, ...query }: UsageConsoleQuery): Promise<ConsoleUsageRecord> {
    return this.#ask(ConsoleUsageRecord, 'console.usage.get', { path: { planId }, query: { ...query, model } })
  }

  async #ask<T>(record: z.ZodType<T>, id: ConsoleId, args?: Arguments): Promise<T> {
    return readRecord(record, (await this.client.call(id, args)).data)
  }

  /** Removes duplicates of rows that moved to the next page between requests. */
  async #all<T>(
    record: z.ZodType<T>,
    id: ConsoleId,
    { path = {}, toId }: { path?: Arguments['path']; toId: (row: T) => string },
  ): Promise<T[]> {
    const rows = new Map<string, T>()
    for await (const { items } of this.client.pages(id, { path, query: { size: pageSize } })) {
      for (const item of items) {
        const row = readRecord(record, item)
        rows.set(toId(row), row)
      }
    }
    return [...rows.values()]
  }
}

/** Failures after which the outcome of the request is unknown. */
const unknownOutcomeCodes: readonly FailureCode[] = [
  'net.timeout',
  'net.cut',
  'net.other',
  'net.cancelled',
  'api.serverError',
  'api.unreadable',
]

function explainUnknownOutcome<T>(actionName: string, request: Promise<T>): Promise<T> {
  return request.catch((error: unknown) => {
    if (!(error instanceof AppError) || !unknownOutcomeCodes.includes(error.failure.code)) throw error
    const { message, requestId } = error.failure
    const hint = `${actionName} may have succeeded, but the response was lost. Check the list before you try again.`
    throw new AppError('account.unknownOutcome', `${hint} ${message}`, { cause: error, requestId })
  })
}

/** A subscription key in console format, without `secret` while masked. */
const SubscriptionKeyRecord = z
  .object({
    ...SubscriptionKeyView.pick({ keyId: true, name: true, status: true, createdAt: true }).shape,
    key: z.string().optional().catch(undefined),
  })
  .transform(({ key, ...rest }) => {
    // A text with a star or with characters invalid in a header is a mask.
    const isFull = key !== undefined && /^[\x21-\x29\x2b-\x7e]+$/.test(key)
    return { ...rest, secret: isFull ? new Secret(key) : undefined }
  })
export type SubscriptionKeyRecord = z.infer<typeof SubscriptionKeyRecord>

const countFields = (max: number) => {
  const count = createCount(max)
  return { inputTokens: count, outputTokens: count, cacheTokens: count, requests: count, errors: count }
}

const UsedModel = z.object({ modelCode: z.string(), tokens: ConsoleAmount, requests: ConsoleAmount })

/** Usage of a plan in console format. Tokens = input + output + cache (spec, "What the service does"). */
const ConsoleUsageRecord = z.object({
  totals: z.object(countFields(1e14)),
  series: z.array(z.object({ start: ConsoleTime, ...countFields(1e11) })).max(100_000),
  models: createModelList(UsedModel).catch([]),
})
export type ConsoleUsageRecord = z.infer<typeof ConsoleUsageRecord>

const DeletionRecord = z.object({
  deleted: z.array(z.object({ planId: z.string(), refund: ConsoleAmount.optional().catch(undefined) })),
  failed: z.array(
    z
      .object({ planId: z.string(), code: ConsoleLabel, message: ConsoleLabel })
      .transform(({ planId, code, message }) => ({
        planId,
        code: explainConsoleCode(code)?.code ?? ('api.conflict' as const),
        message: cleanName(redact(message)) || 'The console gave no reason.',
      })),
  ),
})
export type DeletionRecord = z.infer<typeof DeletionRecord>

/** Parses a response. Fails with `api.unreadable` and the field name, never its value. */
function readRecord<T>(record: z.ZodType<T>, value: unknown): T {
  const parsedRecord = record.safeParse(value)
  if (parsedRecord.success) return parsedRecord.data
  const field = parsedRecord.error.issues[0]?.path.join('.') || 'the answer itself'
  const message = `Unexpected response from the console (${field}). Check the console address.`
  throw new AppError('api.unreadable', message)
}

/** Validates a plan name (spec, "Limits"). Fails with `account.invalidName`. */
export function requirePlanName(name: string): void {
  if (PlanName.safeParse(name).success) return
  throw invalidName('A plan name has 1 to 50 of the characters a-z A-Z 0-9 _ - . and no others.')
}

/** Cleans a key name. The contract has no rule, so this one is ours. Fails with `account.invalidName`. */
export function readKeyName(text: string): string {
  const name = cleanName(text)
  if (name !== '' && [...name].length <= limits.nameCharacters) return name
  throw invalidName(`A key name has 1 to ${limits.nameCharacters} characters.`)
}

/** Requires a role that may buy: only Root and Admin (spec, "Roles"). Fails with `account.roleNotAllowed`. */
export function requireBuyerRole({ role }: AccountView): void {
  if (role === 'ROOT' || role === 'ADMIN') return
  const message = `Only Root and Admin may buy plans, and this account is ${role}. Ask a Root or an Admin for a key.`
  throw new AppError('account.roleNotAllowed', message)
}

/** Requires enough credits for the total (spec, "States"). Fails with `account.insufficientCredits`. */
export function requireCredits({ credits }: AccountView, { planType, price }: PackageView): void {
  if (credits >= price) return
  const message = `${planType} costs ${price} VND and the account has ${credits}. Add credits, or choose a smaller plan.`
  throw new AppError('account.insufficientCredits', message)
}

/** Checks the key limit of a plan (spec, "Limits"). Fails with `account.keyLimitReached`. */
export function requireFreeKeySlot({ name, keysUsed, maxKeys }: AccountPlanRecord): void {
  if (keysUsed < maxKeys) return
  const message = `The plan ${name} has all of its ${maxKeys} keys. Disabled keys count too. Delete one first.`
  throw new AppError('account.keyLimitReached', message)
}

/** The gateway and keys of an unprovisioned plan are masked (spec, "States"). Fails with `account.notProvisioned`. */
export function requireProvisioned({ name, provisioned }: AccountPlanRecord): void {
  if (provisioned) return
  throw new AppError('account.notProvisioned', `The plan ${name} is still provisioning. Try again when it is ready.`)
}

/** Secret of a key. Fails with `account.notProvisioned` while the platform masks the secret. */
export function requireSecret({ name, secret }: SubscriptionKeyRecord): Secret {
  if (secret) return secret
  throw new AppError('account.notProvisioned', `The key ${name} is not shown in full yet. Try again later.`)
}

const invalidName = (message: string): AppError => new AppError('account.invalidName', message, { field: 'name' })

/** Failure for a plan whose deletion the platform's response does not mention. */
export function unknownDeletion(planId: string): Pick<Failure, 'code' | 'message'> & { planId: string } {
  const message = 'The result for this plan is unknown. Refresh the list before you try again.'
  return { planId, code: 'account.unknownOutcome', message }
}

/** Finds which plans were deleted despite a lost response. Throws other errors, and `error` if none was. */
export async function findPlansAfterError(
  console: Console,
  planIds: readonly string[],
  error: unknown,
): Promise<DeletionRecord> {
  if (!isOutcomeUnknown(error)) throw error
  const deletedPlans = await console.findGonePlans(planIds).catch(() => [])
  if (deletedPlans.length === 0) throw error
  return { deleted: deletedPlans.map((planId) => ({ planId })), failed: [] }
}

/** Resolves if the key is gone despite the error, after a lost response or an earlier deletion. */
export async function findKeyAfterError(
  console: Console,
  address: KeyAddress,
  { error, isHere }: { readonly error: unknown; readonly isHere: boolean },
): Promise<void> {
  const wasDeleted = isHere && error instanceof AppError && error.failure.code === 'api.notFound'
  if (!wasDeleted && !isOutcomeUnknown(error)) throw error
  if (!(await console.isKeyGone(address).catch(() => false))) throw error
}

const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof AppError && error.failure.code === 'account.unknownOutcome'

/** Whether a key may exist at the account although its creation failed with this error. */
export const mayHaveAddedKey = (error: unknown): boolean =>
  isOutcomeUnknown(error) || (error instanceof AppError && error.failure.code === 'account.keyNotKept')

/** The account created the key, but saving it here failed. The key is not lost, because the account still shows it. */
export function createNotSavedError({ name }: SubscriptionKeyRecord, cause: unknown): AppError {
  const message = `The key ${name} was created, but it could not be saved on this computer: ${describeCause(cause)} Save it later from the plan's keys.`
  return new AppError('account.keyNotKept', message, { cause })
}

/** The account deleted the key, but the keychain could not remove the copy on this computer. */
export function createNotRemovedError(cause: unknown): AppError {
  const message = `The key was deleted from the account. Its copy on this computer no longer works, but could not be removed: ${describeCause(cause)} Remove the plan from this computer.`
  return new AppError('vault.unavailable', message, { cause })
}

const describeCause = (cause: unknown): string =>
  cause instanceof AppError ? cause.message : 'something unexpected failed.'
