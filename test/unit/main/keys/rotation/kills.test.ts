import { RotationStepId, RotationUndoStepId } from '@shared/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDeepRun } from '../../../../support/depth'
import {
  claude,
  finalKeys,
  type Harness,
  initialKeys,
  listAccountKeyNames,
  openCode,
  openHarness,
  requireConsistentState,
  resumeRotation,
  rotateKey,
  sendToolRequests,
  undoRotation,
} from './bench'
import type { TestComputer } from './machine'
import { PowerCut, type StepBoundary } from './power'

vi.setConfig({ hookTimeout: 30_000 })

const hourMs = 3_600_000
const tools = [claude, openCode]

let harness: Harness
let forwardBoundaries: readonly StepBoundary[] = []
let undoBoundaries: readonly StepBoundary[] = []

/** Runs an action to its end or until the simulated power failure. */
async function runUntilCut(power: PowerCut, action: (computer: TestComputer) => Promise<unknown>): Promise<void> {
  const finalState = action(harness.open(power.parts()))
  await Promise.race([finalState.catch((error: unknown) => power.unlessCut(error)), power.isCut])
}

const rotate = (power: PowerCut, graceMs = 0) =>
  runUntilCut(power, (computer) => rotateKey(computer, harness, { graceMs }))

const undo = (power: PowerCut) =>
  runUntilCut(power, (computer) => undoRotation(computer, computer.rotation.list()[0]?.id ?? ''))

/** Starts the app after a kill and returns the rotation that it finds. */
function reopen() {
  const { rotation } = harness.open()
  const [found] = rotation.list()
  return { rotation, found }
}

/**
 * Selects the points within a step at which to cut the power. Quick runs take the first point before each kind of
 * change, and the middle one, when only some tools have the new key.
 */
function listCutsInStep(boundaries: readonly StepBoundary[], step: string): number[] {
  const cutsInStep = boundaries.flatMap((boundary, index) => (boundary.step === step ? [index + 1] : []))
  if (isDeepRun) return cutsInStep
  const killPointByBoundary = new Map(cutsInStep.toReversed().map((cut) => [boundaries[cut - 1]?.what, cut]))
  const middleCutIndex = cutsInStep[Math.floor(cutsInStep.length / 2)] ?? 0
  return cutsInStep.filter(
    (cut) => cut === middleCutIndex || killPointByBoundary.get(boundaries[cut - 1]?.what) === cut,
  )
}

beforeAll(async () => {
  harness = await openHarness(tools)
  const fullRunPower = new PowerCut(harness.kept)
  await rotate(fullRunPower)
  forwardBoundaries = fullRunPower.boundaries
  await harness.restart()
  await rotate(new PowerCut(harness.kept), hourMs)
  const undoMachinePower = new PowerCut(harness.kept)
  await undo(undoMachinePower)
  undoBoundaries = undoMachinePower.boundaries
})

afterAll(() => harness.close())

describe.each(['start', ...RotationStepId.options, 'end'])(
  'a rotation killed at every boundary of the step %s',
  (step) => {
    it('resumes to its end, with every tool on the new key and the old key gone', async () => {
      const cuts = listCutsInStep(forwardBoundaries, step)
      expect(cuts.length).toBeGreaterThan(0)
      for (const killPoint of cuts) {
        await harness.restart()
        await rotate(new PowerCut(harness.kept, killPoint))
        expect(await sendToolRequests(harness, tools), `right after the kill at ${killPoint}`).toEqual([200, 200])
        const { rotation, found } = reopen()
        if (found === undefined) expect(await listAccountKeyNames(harness)).toEqual(initialKeys)
        else {
          expect((await resumeRotation({ rotation }, found.id)).state).toBe('done')
          expect(await listAccountKeyNames(harness)).toEqual(finalKeys)
        }
        await requireConsistentState(harness, tools)
      }
    })

    it('can be undone with every tool on the old key, or resumes if the old key is gone', async () => {
      const cuts = listCutsInStep(forwardBoundaries, step)
      // The undo reads the state after a kill like the resumption above, so quick runs try it at one kill of each step.
      for (const killPoint of isDeepRun ? cuts : cuts.slice(-1)) {
        await harness.restart()
        await rotate(new PowerCut(harness.kept, killPoint))
        const { rotation, found } = reopen()
        if (found === undefined) continue
        const isTooLate = !(await listAccountKeyNames(harness)).some((name) => name.startsWith('default-key '))
        if (isTooLate) {
          await expect(rotation.undo(found)).rejects.toMatchObject({ failure: { code: 'rotation.cannotUndo' } })
          expect((await resumeRotation({ rotation }, found.id)).state).toBe('done')
        } else {
          expect((await undoRotation({ rotation }, found.id)).state).toBe('undone')
          expect(await listAccountKeyNames(harness)).toEqual(initialKeys)
        }
        await requireConsistentState(harness, tools)
      }
    })
  },
)

describe.each(RotationUndoStepId.options)('an undo killed at every boundary of the step %s', (step) => {
  it('resumes with every tool on the old key and the new key gone', async () => {
    const killPoints = listCutsInStep(undoBoundaries, step)
    expect(killPoints.length).toBeGreaterThan(0)
    for (const killPoint of killPoints) {
      await harness.restart()
      await rotate(new PowerCut(harness.kept), hourMs)
      await undo(new PowerCut(harness.kept, killPoint))
      expect(await sendToolRequests(harness, tools), `right after the kill at ${killPoint}`).toEqual([200, 200])
      const { rotation, found } = reopen()
      if (found === undefined) throw new Error('the rotation is not in the journal any more')
      expect((await resumeRotation({ rotation }, found.id)).state).toBe('undone')
      expect(await listAccountKeyNames(harness)).toEqual(initialKeys)
      await requireConsistentState(harness, tools)
    }
  })
})
