import { AppError } from '@shared/failure'
import type { KeySwitch } from '../keys/rotation/key-switch'
import type { RotationPorts } from '../keys/rotation/ports'
import type { PendingSwitch } from './other-computers'

type Ports = Pick<RotationPorts, 'settings' | 'plans' | 'account'> & {
  readonly keySwitch: Pick<KeySwitch, 'switchTools'>
}

/**
 * Follows another computer's rotation: saves and tests the new key, and switches all local uses of the old key.
 * Switches as many as possible, then fails with the first problem that the user must solve.
 */
export async function switchKey(
  { oldKey, newKeyId }: PendingSwitch,
  { settings, plans, account, keySwitch }: Ports,
): Promise<void> {
  const { keyId: oldKeyId, ...origin } = oldKey
  const plan = settings
    .read()
    .plans.find(
      (localPlan) =>
        localPlan.origin?.connectionId === origin.connectionId && localPlan.origin.planId === origin.planId,
    )
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
