import { describe, expect, it } from 'vitest'
import { FrameScheduler } from '../../../../../../src/renderer/features/playground/runs-store'

const frameMs = 16

/** A simulated screen. The test triggers its frames, and rendering one item takes `costMs`. */
function createFakeScreen(costMs: (id: string) => number = () => 1) {
  let nowMs = 0
  let frameCallbacks: (() => void)[] = []
  const renderedFrames: { readonly id: string; readonly at: number }[] = []
  const frameScheduler = new FrameScheduler(
    (id) => {
      renderedFrames.push({ id, at: nowMs })
      nowMs += costMs(id)
    },
    { nowMs: () => nowMs, next: (run) => void frameCallbacks.push(run) },
  )
  const runFrame = (): readonly string[] => {
    const [drawnBefore, due] = [renderedFrames.length, frameCallbacks]
    nowMs = (Math.floor(nowMs / frameMs) + 1) * frameMs
    frameCallbacks = []
    for (const run of due) run()
    return renderedFrames.slice(drawnBefore).map(({ id }) => id)
  }
  /** Triggers frames for a period in which every item changes all the time. */
  const stream = (ids: readonly string[], forMs: number): void => {
    for (const end = nowMs + forMs; nowMs < end; runFrame()) for (const id of ids) frameScheduler.requestFrame(id)
  }
  return {
    turns: frameScheduler,
    frame: runFrame,
    stream,
    drawn: renderedFrames,
    isAwaited: () => frameCallbacks.length > 0,
  }
}

describe('FrameScheduler', () => {
  it('renders one item per frame, in order and once each', () => {
    const { turns, frame, isAwaited } = createFakeScreen()
    for (const id of ['a', 'b', 'a', 'c', 'b']) turns.requestFrame(id)
    expect([frame(), frame(), frame(), frame()]).toEqual([['a'], ['b'], ['c'], []])
    expect(isAwaited()).toBe(false)
  })

  it('renders urgent items in the next frame, before waiting ones', () => {
    const { turns, frame } = createFakeScreen()
    turns.requestFrame('a')
    frame()
    for (const id of ['b', 'c']) turns.requestFrame(id)
    turns.requestFrame('a', true)
    turns.requestFrame('a')
    expect([frame(), frame(), frame()]).toEqual([['a'], ['b'], ['c']])
  })

  it('keeps an item’s update that arrives while it renders', () => {
    const renderedIds: string[] = []
    let frameCallbacks: (() => void)[] = []
    const frameScheduler: FrameScheduler = new FrameScheduler(
      (id) => {
        renderedIds.push(id)
        if (renderedIds.length === 1) frameScheduler.requestFrame(id, true)
      },
      { nowMs: () => 0, next: (run) => void frameCallbacks.push(run) },
    )
    frameScheduler.requestFrame('a')
    while (frameCallbacks.length > 0) {
      const dueCallbacks = frameCallbacks
      frameCallbacks = []
      for (const run of dueCallbacks) run()
    }
    expect(renderedIds).toEqual(['a', 'a'])
  })
})
