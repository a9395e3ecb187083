import { act, renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useMarkdownAhead } from '../../../../../src/renderer/ui/markdown/preload'

it('takes one step each time the window rests, goes on where it was left, and comes to an end', async () => {
  let waiting: (() => unknown) | undefined
  vi.stubGlobal('requestIdleCallback', (run: () => unknown) => {
    waiting = run
    return 1
  })
  vi.stubGlobal('cancelIdleCallback', () => {
    waiting = undefined
  })
  const rest = async (): Promise<boolean> => {
    const run = waiting
    waiting = undefined
    await act(async () => run?.())
    return run !== undefined
  }
  const first = renderHook(useMarkdownAhead)
  expect(await rest()).toBe(true)
  expect(await rest()).toBe(true)
  first.unmount()
  expect(await rest()).toBe(false)
  const second = renderHook(useMarkdownAhead)
  let steps = 2
  while (await rest()) steps += 1
  expect(steps).toBeGreaterThan(20)
  second.unmount()
  vi.unstubAllGlobals()
})
