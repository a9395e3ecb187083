import { RotationStepId, RotationUndoStepId } from '@shared/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isDeep } from '../../../../support/depth'
import { answersToTools, type Bench, keysAtAccount, openBench, requireSound, type ToolOfBench } from './bench'
import type { Machine } from './machine'
import { type Boundary, Power } from './power'

vi.setConfig({ hookTimeout: 30_000 })

const hourMs = 3_600_000
const tools: readonly ToolOfBench[] = [
  { toolId: 'claude-code', delivery: 'helper' },
  { toolId: 'opencode', delivery: 'file' },
]

let bench: Bench
let forward: readonly Boundary[] = []
let back: readonly Boundary[] = []

/** Rotates until the end or the power failure. */
async function rotate(power: Power, graceMs = 0): Promise<void> {
  const { rotation } = bench.open(power.parts())
  const started = rotation.start({ planId: bench.planId, keyId: bench.keyId, graceMs, disableAfterMs: 0 })
  const ended = started.then(({ id }) => rotation.settled(id))
  await Promise.race([ended.catch((error: unknown) => power.unlessCut(error)), power.isCut])
}

/** Undoes until the end or the power failure. */
async function undo(power: Power): Promise<void> {
  const { rotation } = bench.open(power.parts())
  const [{ id } = { id: '' }] = rotation.list()
  const ended = rotation.undo({ id }).then(() => rotation.settled(id))
  await Promise.race([ended.catch((error: unknown) => power.unlessCut(error)), power.isCut])
}

/** The app started after a kill, with the rotation that it finds. */
function reopen() {
  const { rotation } = bench.open()
  const [found] = rotation.list()
  return { rotation, found }
}

const carriedOn = async ({ rotation }: Machine | ReturnType<typeof reopen>, id: string) => {
  rotation.resume({ id })
  return (await rotation.settled(id)).state
}

/**
 * The boundaries within a step. Quick runs take the first boundary before each kind of change and the middle one, where
 * some tools have the new key and others the old one.
 */
function within(boundaries: readonly Boundary[], step: string): number[] {
  const all = boundaries.flatMap((boundary, at) => (boundary.step === step ? [at + 1] : []))
  if (isDeep) return all
  const allKinds = new Map(all.toReversed().map((at) => [boundaries[at - 1]?.what, at]))
  const middle = all[Math.floor(all.length / 2)] ?? 0
  return all.filter((at) => at === middle || allKinds.get(boundaries[at - 1]?.what) === at)
}

const namesAtAccount = async () => (await keysAtAccount(bench)).map(({ name, status }) => `${name} ${status}`)
const newKey = expect.stringMatching(/^default-key-\d{4}-\d\d-\d\d ACTIVE$/)
const asBefore = ['default-key ACTIVE', 'old-laptop DISABLED']

beforeAll(async () => {
  bench = await openBench(tools)
  const whole = new Power(bench.kept)
  await rotate(whole)
  forward = whole.boundaries
  await bench.restart()
  await rotate(new Power(bench.kept), hourMs)
  const wholeBack = new Power(bench.kept)
  await undo(wholeBack)
  back = wholeBack.boundaries
})

afterAll(() => bench.close())

describe.each(['start', ...RotationStepId.options, 'end'])(
  'a rotation killed at every boundary of the step %s',
  (step) => {
    it('resumes to its end, with every tool on the new key and the old key gone', async () => {
      const cuts = within(forward, step)
      expect(cuts.length).toBeGreaterThan(0)
      for (const cut of cuts) {
        await bench.restart()
        await rotate(new Power(bench.kept, cut))
        expect(await answersToTools(bench, tools), `right after the kill at ${cut}`).toEqual([200, 200])
        const { rotation, found } = reopen()
        if (found === undefined) expect(await namesAtAccount()).toEqual(asBefore)
        else {
          expect(await carriedOn({ rotation, found }, found.id)).toBe('done')
          expect(await namesAtAccount()).toEqual(['old-laptop DISABLED', newKey])
        }
        await requireSound(bench, tools)
      }
    })

    it('can be undone with every tool on the old key, or resumes if the old key is gone', async () => {
      for (const cut of within(forward, step)) {
        await bench.restart()
        await rotate(new Power(bench.kept, cut))
        const { rotation, found } = reopen()
        if (found === undefined) continue
        const isTooLate = !(await namesAtAccount()).some((name) => name.startsWith('default-key '))
        if (isTooLate) {
          await expect(rotation.undo(found)).rejects.toMatchObject({ failure: { code: 'rotation.cannotUndo' } })
          expect(await carriedOn({ rotation, found }, found.id)).toBe('done')
        } else {
          await rotation.undo(found)
          expect((await rotation.settled(found.id)).state).toBe('undone')
          expect(await namesAtAccount()).toEqual(asBefore)
        }
        await requireSound(bench, tools)
      }
    })
  },
)

describe.each(RotationUndoStepId.options)('an undo killed at every boundary of the step %s', (step) => {
  it('resumes with every tool on the old key and the new key gone', async () => {
    const cuts = within(back, step)
    expect(cuts.length).toBeGreaterThan(0)
    for (const cut of cuts) {
      await bench.restart()
      await rotate(new Power(bench.kept), hourMs)
      await undo(new Power(bench.kept, cut))
      expect(await answersToTools(bench, tools), `right after the kill at ${cut}`).toEqual([200, 200])
      const { rotation, found } = reopen()
      if (found === undefined) throw new Error('the rotation is not in the journal any more')
      expect(await carriedOn({ rotation, found }, found.id)).toBe('undone')
      expect(await namesAtAccount()).toEqual(asBefore)
      await requireSound(bench, tools)
    }
  })
})
