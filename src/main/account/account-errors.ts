import { PlanName } from '@shared/contract/common'
import { AppError, type Failure } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { limits } from '@shared/limits'
import type { Secret } from '../secret'
import type {
  AccountPlanRecord,
  AccountRecord,
  Console,
  DeletionRecord,
  KeyAddress,
  PackageRecord,
  SubscriptionKeyRecord,
} from './console-client'

const buyers: readonly AccountRecord['role'][] = ['ROOT', 'ADMIN']

/** Spec, "Limits": plan name. Fails with `account.invalidName`. */
export function requirePlanName(name: string): void {
  if (PlanName.safeParse(name).success) return
  throw invalidName('A plan name has 1 to 50 of the characters a-z A-Z 0-9 _ - . and no others.')
}

/** The name of a key, cleaned (decisions: the rule is ours). Fails with `account.invalidName`. */
export function readKeyName(text: string): string {
  const name = cleanName(text)
  const characters = [...name].length
  if (characters >= 1 && characters <= limits.nameCharacters) return name
  throw invalidName(`A key name has 1 to ${limits.nameCharacters} characters.`)
}

/** Spec, "Roles": only Root and Admin buy. Fails with `account.roleNotAllowed`. */
export function requireBuyer({ role }: AccountRecord): void {
  if (buyers.includes(role)) return
  const message = `Only Root and Admin may buy plans, and this account is ${role}. Ask a Root or an Admin for a key.`
  throw new AppError('account.roleNotAllowed', message)
}

/** Spec, "States": the balance covers the total. Fails with `account.insufficientCredits`. */
export function requireCredits({ credits }: AccountRecord, { planType, price }: PackageRecord): void {
  if (credits >= price) return
  const message = `${planType} costs ${price} VND and the account has ${credits}. Add credits, or choose a smaller plan.`
  throw new AppError('account.insufficientCredits', message)
}

/** Spec, "Limits": keys per plan. Fails with `account.keyLimitReached`. */
export function requireRoomForKey({ name, keysUsed, maxKeys }: AccountPlanRecord): void {
  if (keysUsed < maxKeys) return
  const message = `The plan ${name} has all of its ${maxKeys} keys. Disabled keys count too. Delete one first.`
  throw new AppError('account.keyLimitReached', message)
}

/** Spec, "States": gateway and keys appear in full once provisioning finishes. Fails with `account.notProvisioned`. */
export function requireProvisioned({ name, provisioned }: AccountPlanRecord): void {
  if (provisioned) return
  throw new AppError('account.notProvisioned', `The plan ${name} is still provisioning. Try again when it is ready.`)
}

/** The key itself. Fails with `account.notProvisioned` while the platform masks it. */
export function requireSecret({ name, secret }: SubscriptionKeyRecord): Secret {
  if (secret) return secret
  throw new AppError('account.notProvisioned', `The key ${name} is not shown in full yet. Try again later.`)
}

const invalidName = (message: string): AppError => new AppError('account.invalidName', message, { field: 'name' })

/** The package that a plan was bought from, or undefined when it is offered no more. */
export async function offerAgain(
  console: Console,
  { packageId }: AccountPlanRecord,
): Promise<PackageRecord | undefined> {
  try {
    return await console.package(packageId)
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'api.notFound') return undefined
    throw error
  }
}

/** A plan that was to be deleted and of which the platform said nothing. */
export function unknownDeletion(planId: string): Pick<Failure, 'code' | 'message'> & { planId: string } {
  const message = 'The result for this plan is unknown. Refresh the list before you try again.'
  return { planId, code: 'account.unknownOutcome', message }
}

/** What a deletion whose answer was lost has done, by looking again. Throws `error` when that cannot be told, or it is another error. */
export async function lookForPlans(
  console: Console,
  planIds: readonly string[],
  error: unknown,
): Promise<DeletionRecord> {
  if (!isInDoubt(error)) throw error
  const gone = await console.findGonePlans(planIds).catch(() => [])
  if (gone.length === 0) throw error
  return { deleted: gone.map((planId) => ({ planId })), failed: [] }
}

/** Resolves when a key whose deletion failed is gone all the same: the answer was lost, or it was deleted before and is kept here. Else throws `error`. */
export async function lookForKey(
  console: Console,
  address: KeyAddress,
  { error, isHere }: { readonly error: unknown; readonly isHere: boolean },
): Promise<void> {
  const wasDeleted = isHere && error instanceof AppError && error.failure.code === 'api.notFound'
  if (!wasDeleted && !isInDoubt(error)) throw error
  if (!(await console.isKeyGone(address).catch(() => false))) throw error
}

const isInDoubt = (error: unknown): boolean =>
  error instanceof AppError && error.failure.code === 'account.unknownOutcome'

/** A key that was made at the account but could not be kept here; nothing is lost, because the account shows it again. */
export function keyNotSaved({ name }: SubscriptionKeyRecord, cause: unknown): AppError {
  const message = `The key ${name} was created, but it could not be saved on this computer: ${reasonOf(cause)} Save it later from the plan's keys.`
  return new AppError('account.keyNotKept', message, { cause })
}

/** A key that was deleted at the account and whose dead copy the keychain did not give up. */
export function keyNotRemoved(cause: unknown): AppError {
  const message = `The key was deleted from the account. Its copy on this computer no longer works, but could not be removed: ${reasonOf(cause)} Remove the plan from this computer.`
  return new AppError('vault.unavailable', message, { cause })
}

const reasonOf = (cause: unknown): string =>
  cause instanceof AppError ? cause.message : 'something unexpected failed.'
