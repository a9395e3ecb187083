import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import type { RotationRecord } from '../../../../../src/main/core/settings/records'
import type { RotationLease, SharedRotation } from '../../../../../src/main/keys/rotation/ports'
import { expectFailure } from '../../../support/failures'
import { startHarness } from './harness'
import { proPlanRef } from './machine'

const createLeaseHeldError = (): AppError => new AppError('rotation.heldElsewhere', 'Anna has been rotating the key.')

/** A rotation lease of a team, which the test can give to another computer. */
class Lease implements RotationLease {
  readonly said: string[] = []
  isTaken = false
  /** Number of the renewal at which the lease turns out to be lost to another computer. */
  lostAt = Number.POSITIVE_INFINITY
  #kept = 0

  async take({ id }: RotationRecord): Promise<void> {
    if (this.isTaken) throw createLeaseHeldError()
    this.said.push(`take ${id}`)
  }

  async keep(): Promise<void> {
    this.#kept += 1
    if (this.#kept >= this.lostAt) throw createLeaseHeldError()
  }

  async leave({ id, state }: RotationRecord): Promise<void> {
    this.said.push(`leave ${id} ${state}`)
  }
}

it('skips a key that another computer of the team is rotating', async () => {
  const harness = await startHarness()
  const lease = new Lease()
  lease.isTaken = true
  const namesBefore = await harness.listKeyNames()
  const computer = harness.open({ lease })
  await expectFailure(computer.rotate(), 'rotation.heldElsewhere')
  expect([computer.rotation.list(), await harness.listKeyNames()]).toEqual([[], namesBefore])
})

it('holds the lease during the rotation and releases it with the result', async () => {
  const harness = await startHarness()
  const lease = new Lease()
  const { id, state } = await harness.open({ lease }).rotate()
  expect(state).toBe('done')
  expect(lease.said).toEqual([`take ${id}`, `take ${id}`, `leave ${id} done`])
})

it('stops before its next step when another computer has the lease, and continues when it gets it back', async () => {
  const harness = await startHarness()
  const lease = new Lease()
  lease.lostAt = 4
  const computer = harness.open({ lease })
  const failedRotation = await computer.rotate()
  expect(failedRotation).toMatchObject({
    state: 'failed',
    steps: expect.arrayContaining([
      expect.objectContaining({ id: 'check', state: 'done' }),
      expect.objectContaining({
        id: 'repoint',
        state: 'failed',
        failure: expect.objectContaining({ code: 'rotation.heldElsewhere' }),
      }),
    ]),
  })
  lease.lostAt = Number.POSITIVE_INFINITY
  expect(await computer.resume(failedRotation.id)).toMatchObject({ state: 'done' })
  await harness.requireConsistentState()
})

it('continues a rotation of another computer, adopts its new key and ends the old one', async () => {
  const harness = await startHarness()
  const { account, rotation, settings } = harness.open({ lease: new Lease() })
  const oldKey = settings.read().plans[0]?.keys.find(({ id }) => id === harness.keyId)
  const newKey = await account.addKey({ ...proPlanRef, name: 'begun-elsewhere' })
  const sharedRotation: SharedRotation = {
    id: '00000000-0000-4000-8000-000000000001',
    origin: proPlanRef,
    wasActive: true,
    oldKeyId: oldKey?.origin?.keyId ?? '',
    oldKeyName: 'default-key',
    newKey: { name: newKey.name, keyId: newKey.keyId },
    direction: 'forward',
    graceMs: 0,
    disableAfterMs: 0,
    startedAt: '2026-11-23T10:00:00.000Z',
  }
  const { id } = await rotation.takeOver(sharedRotation)
  expect(await rotation.settled(id)).toMatchObject({ state: 'done', newKeyName: 'begun-elsewhere' })
  const names = await harness.listKeyNames()
  expect(names).toContain('begun-elsewhere ACTIVE')
  expect(names.filter((name) => name.startsWith('default-key'))).toEqual([])
  await harness.requireConsistentState()
})
