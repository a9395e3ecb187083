import { RotationStepId, RotationUndoStepId } from '@shared/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDeep } from '../../../../support/depth'
import { answersToTools, type Harness, type HarnessTool, keysAtAccount, openHarness, requireSound } from './bench'
import type { TestComputer } from './machine'
import { type Boundary, Power } from './power'

vi.setConfig({ hookTimeout: 30_000 })

const hourMs = 3_600_000
const tools: readonly HarnessTool[] = [
  { toolId: 'claude-code', delivery: 'helper' },
  { toolId: 'opencode', delivery: 'file' },
]

let harness: Harness
let forwardBoundaries: readonly Boundary[] = []
let back: readonly Boundary[] = []

/** Runs a rotation to its end or until the simulated power failure. */
async function rotate(power: Power, graceMs = 0): Promise<void> {
  const { rotation } = harness.open(power.parts())
  const startedRotation = rotation.start({ planId: harness.planId, keyId: harness.keyId, graceMs, disableAfterMs: 0 })
  const finalState = startedRotation.then(({ id }) => rotation.settled(id))
  await Promise.race([finalState.catch((error: unknown) => power.unlessCut(error)), power.isCut])
}

/** Undoes a rotation, to its end or until the simulated power failure. */
async function undo(power: Power): Promise<void> {
  const { rotation } = harness.open(power.parts())
  const [{ id } = { id: '' }] = rotation.list()
  const finalState = rotation.undo({ id }).then(() => rotation.settled(id))
  await Promise.race([finalState.catch((error: unknown) => power.unlessCut(error)), power.isCut])
}

/** Starts the app after a kill and returns the rotation that it finds. */
function reopen() {
  const { rotation } = harness.open()
  const [found] = rotation.list()
  return { rotation, found }
}

const resumeAndWait = async ({ rotation }: TestComputer | ReturnType<typeof reopen>, id: string) => {
  rotation.resume({ id })
  return (await rotation.settled(id)).state
}

/**
 * Selects the points within a step at which to cut the power. Quick runs take the first point before each kind of
 * change, and the middle one, when only some tools have the new key.
 */
function listCutsInStep(boundaries: readonly Boundary[], step: string): number[] {
  const stepCuts = boundaries.flatMap((boundary, index) => (boundary.step === step ? [index + 1] : []))
  if (isDeep) return stepCuts
  const allKinds = new Map(stepCuts.toReversed().map((cut) => [boundaries[cut - 1]?.what, cut]))
  const middleCut = stepCuts[Math.floor(stepCuts.length / 2)] ?? 0
  return stepCuts.filter((cut) => cut === middleCut || allKinds.get(boundaries[cut - 1]?.what) === cut)
}

const listAccountKeyNames = async () => (await keysAtAccount(harness)).map(({ name, status }) => `${name} ${status}`)
const newKey = expect.stringMatching(/^default-key-\d{4}-\d\d-\d\d ACTIVE$/)
const initialKeys = ['default-key ACTIVE', 'old-laptop DISABLED']

beforeAll(async () => {
  harness = await openHarness(tools)
  const finishedPower = new Power(harness.kept)
  await rotate(finishedPower)
  forwardBoundaries = finishedPower.boundaries
  await harness.restart()
  await rotate(new Power(harness.kept), hourMs)
  const undoPower = new Power(harness.kept)
  await undo(undoPower)
  back = undoPower.boundaries
})

afterAll(() => harness.close())

describe.each(['start', ...RotationStepId.options, 'end'])(
  'a rotation killed at every boundary of the step %s',
  (step) => {
    it('resumes to its end, with every tool on the new key and the old key gone', async () => {
      const cuts = listCutsInStep(forwardBoundaries, step)
      expect(cuts.length).toBeGreaterThan(0)
      for (const cutNumber of cuts) {
        await harness.restart()
        await rotate(new Power(harness.kept, cutNumber))
        expect(await answersToTools(harness, tools), `right after the kill at ${cutNumber}`).toEqual([200, 200])
        const { rotation, found } = reopen()
        if (found === undefined) expect(await listAccountKeyNames()).toEqual(initialKeys)
        else {
          expect(await resumeAndWait({ rotation, found }, found.id)).toBe('done')
          expect(await listAccountKeyNames()).toEqual(['old-laptop DISABLED', newKey])
        }
        await requireSound(harness, tools)
      }
    })

    it('can be undone with every tool on the old key, or resumes if the old key is gone', async () => {
      const cuts = listCutsInStep(forwardBoundaries, step)
      // The undo reads the state after a kill like the resumption above, so quick runs try it at one kill of each step.
      for (const cutNumber of isDeep ? cuts : cuts.slice(-1)) {
        await harness.restart()
        await rotate(new Power(harness.kept, cutNumber))
        const { rotation, found } = reopen()
        if (found === undefined) continue
        const isTooLate = !(await listAccountKeyNames()).some((name) => name.startsWith('default-key '))
        if (isTooLate) {
          await expect(rotation.undo(found)).rejects.toMatchObject({ failure: { code: 'rotation.cannotUndo' } })
          expect(await resumeAndWait({ rotation, found }, found.id)).toBe('done')
        } else {
          await rotation.undo(found)
          expect((await rotation.settled(found.id)).state).toBe('undone')
          expect(await listAccountKeyNames()).toEqual(initialKeys)
        }
        await requireSound(harness, tools)
      }
    })
  },
)

describe.each(RotationUndoStepId.options)('an undo killed at every boundary of the step %s', (step) => {
  it('resumes with every tool on the old key and the new key gone', async () => {
    const cuts = listCutsInStep(back, step)
    expect(cuts.length).toBeGreaterThan(0)
    for (const cutNumber of cuts) {
      await harness.restart()
      await rotate(new Power(harness.kept), hourMs)
      await undo(new Power(harness.kept, cutNumber))
      expect(await answersToTools(harness, tools), `right after the kill at ${cutNumber}`).toEqual([200, 200])
      const { rotation, found } = reopen()
      if (found === undefined) throw new Error('the rotation is not in the journal any more')
      expect(await resumeAndWait({ rotation, found }, found.id)).toBe('undone')
      expect(await listAccountKeyNames()).toEqual(initialKeys)
      await requireSound(harness, tools)
    }
  })
})
