import type { RotationUndoStepId } from '@shared/contract'
import { AppError } from '@shared/failure'
import { addressOf, ask, dropKey, localKey, newKeyAt, oldKeyAt } from './account-keys'
import { mayUse, repointTo } from './repoint'
import { drain, requireAccepted } from './settle'
import { done, type Run, type Step, type StepOutcome, skipped } from './step'
import { verifyWith } from './verify'

/** From the new key back to the old one. */
export const undoSteps: readonly (Step & { readonly id: RotationUndoStepId })[] = [
  { id: 'enable', run: enable },
  { id: 'giveBack', run: (run) => repointTo(run, 'old') },
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
