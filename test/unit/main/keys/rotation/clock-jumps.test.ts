import { expect, test } from 'vitest'
import { isDeepRun } from '../../../../support/depth'
import { type Harness, startHarness } from './harness'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A clock that jumps at its nth reading after `start`. */
function createJumpingClock() {
  let [readings, jumpAt, offsetMs, jumpMs] = [0, Number.POSITIVE_INFINITY, 0, 0]
  return {
    read: (): Date => {
      readings += 1
      if (readings === jumpAt) offsetMs += jumpMs
      return new Date(Date.now() + offsetMs)
    },
    start(reading: number, ms: number): void {
      ;[readings, jumpAt, offsetMs, jumpMs] = [0, reading, 0, ms]
    },
    move(ms: number): void {
      offsetMs += ms
    },
    count: (): number => readings,
  }
}

async function rotate(harness: Harness, clock: () => Date, graceMs = 0) {
  const computer = harness.open({ clock })
  return { computer, view: await computer.rotate({ graceMs }) }
}

test.each([
  ['two days back', -2 * dayMs],
  ['two days forward', 2 * dayMs],
  ['ten years forward', 3650 * dayMs],
])(
  'a clock that jumps %s at any moment of a rotation does no harm',
  async (_, jumpMs) => {
    const harness = await startHarness()
    const clock = createJumpingClock()
    clock.start(0, 0)
    await rotate(harness, clock.read)
    const clockReadCount = clock.count()
    expect(clockReadCount).toBeGreaterThan(5)
    const triedReadings = isDeepRun
      ? Array.from({ length: clockReadCount }, (_item, index) => index + 1)
      : [Math.ceil(clockReadCount / 2)]
    for (const reading of triedReadings) {
      await harness.restart()
      clock.start(reading, jumpMs)
      const { computer, view } = await rotate(harness, clock.read)
      const { state } = view.state === 'failed' ? await computer.resume(view.id) : view
      expect(state, `jump at reading ${reading}`).toBe('done')
      await harness.requireConsistentState()
    }
  },
  600_000,
)

test('a clock that is set back only delays the deletion of a waiting key', async () => {
  const harness = await startHarness()
  const clock = createJumpingClock()
  const { computer, view } = await rotate(harness, clock.read, hourMs)
  expect(view.state).toBe('waiting')
  clock.move(-2 * dayMs)
  expect((await computer.resume(view.id)).state).toBe('waiting')
  expect((await harness.listKeys()).map(({ keyId }) => keyId)).toContain('key-pro-default')
  clock.move(2 * dayMs + hourMs)
  expect((await computer.resume(view.id)).state).toBe('done')
  expect((await harness.listKeys()).map(({ keyId }) => keyId)).not.toContain('key-pro-default')
  await harness.requireConsistentState()
})
