import { act, render, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { useTurn } from '../../../../../src/renderer/ui/markdown/frame-queue'

let frames: FrameRequestCallback[] = []

beforeEach(() => {
  frames = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame))
  return () => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  }
})

/** Lets one frame come that began so many ms ago. */
function frame(agoMs: number): void {
  act(() => {
    vi.advanceTimersByTime(100)
    for (const run of frames.splice(0)) run(performance.now() - agoMs)
  })
}

/** Takes more than what one frame gives when its turn has come. */
function Part({ name, length, canWait = false }: { name: string; length: number; canWait?: boolean }) {
  const isTurn = useTurn(length, canWait)
  if (isTurn) vi.advanceTimersByTime(7)
  return isTurn ? <p>{name}</p> : null
}

const drawn = () => screen.queryAllByText(/./).map(({ textContent }) => textContent)

it('draws what can wait one in a frame, the last first, and after what cannot', () => {
  render(
    <div>
      <Part name="first" length={10} canWait />
      <Part name="second" length={10} canWait />
      <Part name="long" length={6_000} />
      <Part name="after it" length={10} />
    </div>,
  )
  expect(drawn()).toEqual(['long'])
  frame(0)
  expect(drawn()).toEqual(['long', 'after it'])
  frame(0)
  expect(drawn()).toEqual(['second', 'long', 'after it'])
  frame(0)
  expect(drawn()).toEqual(['first', 'second', 'long', 'after it'])
})

it('leaves frames that something else has used, but not for ever', () => {
  render(<Part name="patient" length={10} canWait />)
  for (let busy = 0; busy < 10; busy += 1) frame(20)
  expect(drawn()).toEqual([])
  frame(20)
  expect(drawn()).toEqual(['patient'])
})

it('forgets what is no longer shown', () => {
  const { rerender } = render(<Part key="a" name="gone" length={10} canWait />)
  rerender(<Part key="b" name="there" length={10} canWait />)
  frame(0)
  expect(drawn()).toEqual(['there'])
})
