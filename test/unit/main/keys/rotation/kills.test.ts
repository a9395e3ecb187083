import { RotationStepId, RotationUndoStepId } from '@shared/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDeepRun } from '../../../../support/depth'
import { expectFailure } from '../../../support/failures'
import { claude, Harness, openCode } from './harness'
import { PowerCut, type StepBoundary } from './power'

vi.setConfig({ hookTimeout: 30_000 })

const hourMs = 3_600_000

let harness: Harness
let forwardBoundaries: readonly StepBoundary[] = []
let undoBoundaries: readonly StepBoundary[] = []

const rotate = (power: PowerCut, graceMs = 0) => power.run(harness.open(power.parts()).rotate({ graceMs }))

function undo(power: PowerCut) {
  const computer = harness.open(power.parts())
  return power.run(computer.undo(computer.rotation.list()[0]?.id ?? ''))
}

/** Starts the app after a kill and returns the rotation that it finds. */
function reopen() {
  const computer = harness.open()
  const [found] = computer.rotation.list()
  return { computer, found }
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
  harness = await Harness.start([claude, openCode])
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
        expect(await harness.sendToolRequests(), `right after the kill at ${killPoint}`).toEqual([200, 200])
        const { computer, found } = reopen()
        if (found) expect((await computer.resume(found.id)).state).toBe('done')
        await harness.requireKeys(found ? 'rotated' : 'initial')
      }
    })

    it('can be undone with every tool on the old key, or resumes if the old key is gone', async () => {
      const cuts = listCutsInStep(forwardBoundaries, step)
      // The undo reads the state after a kill like the resumption above, so quick runs try it at one kill of each step.
      for (const killPoint of isDeepRun ? cuts : cuts.slice(-1)) {
        await harness.restart()
        await rotate(new PowerCut(harness.kept, killPoint))
        const { computer, found } = reopen()
        if (found === undefined) continue
        if (await harness.isOldKeyDeleted()) {
          await expectFailure(computer.undo(found.id), 'rotation.cannotUndo')
          expect((await computer.resume(found.id)).state).toBe('done')
          await harness.requireConsistentState()
        } else {
          expect((await computer.undo(found.id)).state).toBe('undone')
          await harness.requireKeys('initial')
        }
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
      expect(await harness.sendToolRequests(), `right after the kill at ${killPoint}`).toEqual([200, 200])
      const { computer, found } = reopen()
      expect((await computer.resume(found?.id ?? 'not in the journal')).state).toBe('undone')
      await harness.requireKeys('initial')
    }
  })
})
