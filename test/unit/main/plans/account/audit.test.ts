import { expect, it } from 'vitest'
import { catchFailure } from '../../platform/harness'
import { connectionId, proPlanId, proPlanRef, purchaseInput, startHarness } from './account-bench'

it('every change of an account is recorded by name after it succeeded', async () => {
  const { account, noted: auditNotes } = await startHarness({ timing: { provisioningMs: 0 } })
  await account.keepKey({ ...proPlanRef, keyId: 'key-pro-default' })
  const key = { ...proPlanRef, keyId: (await account.addKey({ ...proPlanRef, name: 'ci' })).keyId }
  await account.renameKey({ ...key, name: ' build ' })
  await account.setKeyStatus({ ...key, status: 'DISABLED' })
  await account.setKeyStatus({ ...key, status: 'ACTIVE' })
  await account.deleteKey(key)
  const purchase = await account.buy(purchaseInput)
  await account.settled({ connectionId, planId: purchase.planId })
  await account.deletePlans({ connectionId, planIds: [purchase.planId, 'nothing'] })
  const planName = 'sandbox-pro'
  expect(auditNotes).toEqual([
    { what: 'keySaved', planName, keyName: 'default-key' },
    { what: 'keyAdded', planName, keyName: 'ci' },
    { what: 'keyRenamed', planName, keyName: 'build', subject: 'ci' },
    { what: 'keyDisabled', planName, keyName: 'build' },
    { what: 'keyEnabled', planName, keyName: 'build' },
    { what: 'keyDeleted', planName, keyName: 'build' },
    { what: 'planBought', planName: 'mine', subject: expect.stringMatching(/^\d+ VND$/) },
    { what: 'planDeleted', planName: 'mine' },
  ])
})

it('failures are not recorded', async () => {
  const { account, noted: auditNotes } = await startHarness()
  await catchFailure(account.deleteKey({ ...proPlanRef, keyId: 'nobody' }))
  await catchFailure(account.addKey({ connectionId, planId: proPlanId, name: ' ' }))
  expect(auditNotes).toEqual([])
})
