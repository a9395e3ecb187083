import { PlanName } from '@shared/contract/common'
import { AppError, type Failure } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { limits } from '@shared/limits'
import type { Secret } from '../../core/secret'
import type {
  AccountPlanRecord,
  AccountRecord,
  Console,
  DeletionRecord,
  KeyAddress,
  PackageRecord,
  SubscriptionKeyRecord,
} from './console-client'

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
export function requireBuyerRole({ role }: AccountRecord): void {
  if (role === 'ROOT' || role === 'ADMIN') return
  const message = `Only Root and Admin may buy plans, and this account is ${role}. Ask a Root or an Admin for a key.`
  throw new AppError('account.roleNotAllowed', message)
}

/** Requires enough credits for the total (spec, "States"). Fails with `account.insufficientCredits`. */
export function requireCredits({ credits }: AccountRecord, { planType, price }: PackageRecord): void {
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
