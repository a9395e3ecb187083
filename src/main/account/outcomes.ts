import { AppError, type Failure } from '@shared/failure'
import type { Console, KeyAddress } from './console'
import type { AccountPlanRecord, DeletionRecord, PackageRecord, SubscriptionKeyRecord } from './records'

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
export function untoldPlan(planId: string): Pick<Failure, 'code' | 'message'> & { planId: string } {
  const message = 'The platform did not say what became of this plan. Look at the list before you do it again.'
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
export function notKept({ name }: SubscriptionKeyRecord, cause: unknown): AppError {
  const message = `The key ${name} was made, but it could not be kept on this machine: ${reasonOf(cause)} Keep it from the list of the plan's keys then.`
  return new AppError('account.keyNotKept', message, { cause })
}

/** A key that was deleted at the account and whose dead copy the keychain did not give up. */
export function stillHere(cause: unknown): AppError {
  const message = `The key was deleted at the account. Its copy on this machine, which opens nothing any more, could not be removed: ${reasonOf(cause)} Remove the plan here then.`
  return new AppError('vault.unavailable', message, { cause })
}

const reasonOf = (cause: unknown): string =>
  cause instanceof AppError ? cause.message : 'something unexpected failed.'
