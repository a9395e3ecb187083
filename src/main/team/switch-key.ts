import { AppError } from '@shared/failure'
import type { KeySwitch } from '../keys/rotation/key-switch'
import type { RotationPorts } from '../keys/rotation/ports'
import type { Plans } from '../plans/plans'
import type { PendingSwitch } from './other-computers'

interface Ports extends Pick<RotationPorts, 'account'> {
  readonly plans: Pick<Plans, 'directory' | 'view'>
  readonly keySwitch: Pick<KeySwitch, 'switchTools'>
}

/**
 * Follows another computer's rotation: saves and tests the new key, and switches all local uses of the old key.
 * Switches as many as possible, then fails with the first problem that the user must solve.
 */
export async function switchKey(
  { oldKey, newKeyId }: PendingSwitch,
  { plans, account, keySwitch }: Ports,
): Promise<void> {
  const { keyId: oldKeyId, ...origin } = oldKey
  const plan = plans.directory.localPlan(origin)
  const previousKey = plan?.keys.find((key) => key.origin?.keyId === oldKeyId)
  if (plan === undefined || previousKey === undefined) return
  const findLocalKey = () =>
    plans.view(plan.id).keys.find((key) => key.origin?.keyId === newKeyId && key.kept !== 'missing')
  if (findLocalKey() === undefined) await account.keepKey({ ...origin, keyId: newKeyId })
  const key = findLocalKey()
  if (key === undefined) throw new AppError('key.notFound', 'The new key could not be saved on this computer.')
  const results = await keySwitch.switchTools({ planId: plan.id, oldKeyIds: [previousKey.id], newKeyId: key.id })
  const failure = results.find((result) => result.state === 'failed')?.failure
  if (failure) throw new AppError(failure.code, failure.message)
}
