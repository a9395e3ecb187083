import { describe, expect, it } from 'vitest'
import { FrameScheduler } from '../../../../../../src/renderer/features/playground/runs-store'

const frameMs = 16

/** A simulated screen. The test triggers its frames, and rendering one item takes `costMs`. */
function makeScreen(costMs: (id: string) => number = () => 1) {
  let nowMs = 0
  let frameCallbacks: (() => void)[] = []
  const drawn: { readonly id: string; readonly at: number }[] = []
  const turns = new FrameScheduler(
    (id) => {
      drawn.push({ id, at: nowMs })
      nowMs += costMs(id)
    },
    { nowMs: () => nowMs, next: (run) => void frameCallbacks.push(run) },
  )
  const frame = (): readonly string[] => {
    const [drawnBefore, due] = [drawn.length, frameCallbacks]
    nowMs = (Math.floor(nowMs / frameMs) + 1) * frameMs
    frameCallbacks = []
    for (const run of due) run()
    return drawn.slice(drawnBefore).map(({ id }) => id)
  }
  /** Triggers frames for a period in which every item changes all the time. */
  const stream = (ids: readonly string[], forMs: number): void => {
    for (const end = nowMs + forMs; nowMs < end; frame()) for (const id of ids) turns.requestFrame(id)
  }
  return { turns, frame, stream, drawn, isAwaited: () => frameCallbacks.length > 0 }
}

describe('FrameScheduler', () => {
  it('renders one item per frame, in order and once each', () => {
    const { turns, frame, isAwaited } = makeScreen()
    for (const id of ['a', 'b', 'a', 'c', 'b']) turns.requestFrame(id)
    expect([frame(), frame(), frame(), frame()]).toEqual([['a'], ['b'], ['c'], []])
    expect(isAwaited()).toBe(false)
  })

  it('gives four continuously growing items equal turns, ten per second', () => {
    const { stream, drawn } = makeScreen()
    stream(['a', 'b', 'c', 'd'], 5000)
    for (const name of ['a', 'b', 'c', 'd']) {
      const count = drawn.filter(({ id }) => id === name).length
      expect(count).toBeGreaterThanOrEqual(40)
      expect(count).toBeLessThanOrEqual(50)
    }
  })

  it('renders a single growing item more often, and still leaves frames free', () => {
    const { stream, drawn } = makeScreen()
    stream(['a'], 1000)
    expect(drawn.length).toBeGreaterThanOrEqual(14)
    expect(drawn.length).toBeLessThanOrEqual(20)
  })

  it('delays an expensive item, while others continue', () => {
    const { stream, drawn } = makeScreen((id) => (id === 'slow' ? 40 : 1))
    stream(['slow', 'quick'], 2000)
    const count = (name: string): number => drawn.filter(({ id }) => id === name).length
    expect(count('slow')).toBeLessThanOrEqual(8)
    expect(count('quick')).toBeGreaterThan(2 * count('slow'))
  })

  it('renders urgent items in the next frame, before waiting ones', () => {
    const { turns, frame } = makeScreen()
    turns.requestFrame('a')
    frame()
    for (const id of ['b', 'c']) turns.requestFrame(id)
    turns.requestFrame('a', true)
    turns.requestFrame('a')
    expect([frame(), frame(), frame()]).toEqual([['a'], ['b'], ['c']])
  })

  it('keeps an item’s update that arrives while it renders', () => {
    const drawn: string[] = []
    let frameCallbacks: (() => void)[] = []
    const turns: FrameScheduler = new FrameScheduler(
      (id) => {
        drawn.push(id)
        if (drawn.length === 1) turns.requestFrame(id, true)
      },
      { nowMs: () => 0, next: (run) => void frameCallbacks.push(run) },
    )
    turns.requestFrame('a')
    while (frameCallbacks.length > 0) {
      const due = frameCallbacks
      frameCallbacks = []
      for (const run of due) run()
    }
    expect(drawn).toEqual(['a', 'a'])
  })
})
