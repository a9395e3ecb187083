import type { CheckView, RotationUndoStepId, SubscriptionKeyView } from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'
import { drain, requireAccepted, verifyWith } from './key-status'
import { type AccountKey, done, type Run, type Step, type StepOutcome, skipped } from './ports'
import { mayUse, switchToKey } from './switch-key'

/** From the new key back to the old one. */
export const undoSteps: readonly (Step & { readonly id: RotationUndoStepId })[] = [
  { id: 'enable', run: enable },
  { id: 'giveBack', run: (run) => switchToKey(run, 'old') },
  { id: 'verifyBack', run: (run) => verifyWith(run, 'old') },
  { id: 'remove', run: remove },
]

/** Fails with `rotation.cannotUndo` when the account no longer has the old key. */
export async function requireOldKey(run: Run) {
  const old = await oldKeyAt(run)
  if (old) return old
  const { oldKey } = run.record()
  throw new AppError(
    'rotation.cannotUndo',
    `The key ${oldKey.name} is deleted at the account: it cannot be brought back.`,
  )
}

async function enable(run: Run): Promise<StepOutcome> {
  const { account } = run.ports
  const { keyId, status } = await requireOldKey(run)
  const address = addressOf(run, keyId)
  if (localKey(run, keyId)?.kept === 'missing') await account.keepKey(address)
  // A key that did not work before either is left as it was.
  if (!run.record().oldKey.wasActive) return skipped
  if (status === 'DISABLED') await account.setKeyStatus({ ...address, status: 'ACTIVE' })
  await requireAccepted(run, () => ask(run, keyId))
  return done
}

async function remove(run: Run): Promise<StepOutcome> {
  if (await mayUse(run, 'new')) return { kind: 'back', to: 'giveBack' }
  const keyId = (await newKeyAt(run))?.keyId ?? run.record().newKey.keyId
  if (keyId === undefined) return skipped
  await drain(run)
  await dropKey(run, keyId)
  return done
}

/** The old key as the account has it; undefined when it is gone there. */
export async function oldKeyAt(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, oldKey } = run.record()
  return (await run.ports.account.keys(origin)).find(({ keyId }) => keyId === oldKey.keyId)
}

/** The new key as the account has it: also one whose answer was lost, known by its name, which no other key had. */
export async function newKeyAt(run: Run): Promise<SubscriptionKeyView | undefined> {
  const { origin, newKey } = run.record()
  const keys = await run.ports.account.keys(origin)
  return keys.find(({ keyId }) => keyId === newKey.keyId) ?? keys.find(({ name }) => name === newKey.name)
}

/** A key of the rotation's plan, as its account is asked about it. */
export const addressOf = (run: Run, keyId: string): AccountKey => ({ ...run.record().origin, keyId })

/** The key of this machine that is a key of the account. */
export function localKey({ ports, record }: Run, keyId: string | undefined) {
  return ports.plans.view(record().planId).keys.find(({ origin }) => origin?.keyId === keyId)
}

/** One real small request with a key of the account; without a model, which costs nothing, unless one is wanted. */
export async function ask(run: Run, keyId: string, modelCode?: string): Promise<CheckView> {
  const { plans, account, check } = run.ports
  const { gatewayUrl: url } = plans.find(run.record().planId)
  const key = await account.secretOf(addressOf(run, keyId))
  return check({ url, standard: 'chat-completions', key, modelCode, signal: run.signal })
}

/** Deletes a key at the account, if it is still there, and forgets it here. */
export async function dropKey(run: Run, keyId: string): Promise<void> {
  const { account, plans } = run.ports
  await unless('api.notFound', () => account.deleteKey(addressOf(run, keyId)))
  const left = localKey(run, keyId)
  if (left) await plans.removeKey(run.record().planId, left.id)
}

async function unless(code: FailureCode, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError && error.failure.code === code)) throw error
  }
}
