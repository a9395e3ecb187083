import type { SandboxRequestView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { tokenBars } from '../../../../../src/renderer/features/sandbox/requests-section'

const request = (n: number, over: Partial<SandboxRequestView> = {}): SandboxRequestView => ({
  n,
  area: 'gateway',
  at: '2026-11-21T08:00:00.000Z',
  method: 'POST',
  path: '/v1/messages',
  status: 200,
  durationMs: 5,
  inputTokens: n * 10,
  outputTokens: n,
  ...over,
})

describe('token bars', () => {
  it('are sorted from oldest to newest', () => {
    expect(tokenBars([request(3), request(1), request(2)], 10).map(({ n }) => n)).toEqual([1, 2, 3])
  })

  it('omit requests without figures instead of showing zero', () => {
    const refused = request(2)
    const { inputTokens: _in, outputTokens: _out, ...without } = refused
    expect(tokenBars([request(1), { ...without, status: 403 }], 10).map(({ n }) => n)).toEqual([1])
  })

  it('are limited to the latest ones', () => {
    expect(
      tokenBars(
        [1, 2, 3, 4].map((n) => request(n)),
        2,
      ).map(({ n, input }) => [n, input]),
    ).toEqual([
      [3, 30],
      [4, 40],
    ])
  })
})
