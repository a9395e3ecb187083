import { expect, it } from 'vitest'
import { sleepFor } from '../../../../../src/main/core/net/deadline'
import type { AuditNote } from '../../../../../src/main/core/ports'
import { Account } from '../../../../../src/main/plans/account/account'
import { catchFailure } from '../../platform/harness'
import { connectionId, ofPro, pro, startBench, wish } from './account-bench'

async function startNoted() {
  const bench = await startBench({ timing: { provisioningMs: 0 } })
  const { client, plans, settings } = bench
  const noted: AuditNote[] = []
  const account = new Account({
    ...{ plans, settings, sleep: sleepFor, log: { info: () => undefined, error: () => undefined } },
    getClient: async () => client,
    toolName: async (id) => id,
    onChanged: () => undefined,
    audit: { note: async (entry) => void noted.push(entry) },
  })
  return { account, noted }
}

it('every change of an account is recorded by name after it succeeded', async () => {
  const { account, noted } = await startNoted()
  await account.keepKey({ ...ofPro, keyId: 'key-pro-default' })
  const key = { ...ofPro, keyId: (await account.addKey({ ...ofPro, name: 'ci' })).keyId }
  await account.renameKey({ ...key, name: 'build' })
  await account.setKeyStatus({ ...key, status: 'DISABLED' })
  await account.setKeyStatus({ ...key, status: 'ACTIVE' })
  await account.deleteKey(key)
  const bought = await account.buy(wish)
  await account.settled({ connectionId, planId: bought.planId })
  await account.deletePlans({ connectionId, planIds: [bought.planId, 'nothing'] })
  const planName = 'sandbox-pro'
  expect(noted).toEqual([
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
  const { account, noted } = await startNoted()
  await catchFailure(account.deleteKey({ ...ofPro, keyId: 'nobody' }))
  await catchFailure(account.addKey({ connectionId, planId: pro, name: ' ' }))
  expect(noted).toEqual([])
})
