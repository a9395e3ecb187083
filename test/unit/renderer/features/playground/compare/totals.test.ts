import type { ComparisonSetup, PlaygroundRun } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { toCellMap } from '../../../../../../src/renderer/features/playground/compare/cells'
import { withRating, withWinner } from '../../../../../../src/renderer/features/playground/compare/setup'
import { computeTotals, findMinTotal } from '../../../../../../src/renderer/features/playground/compare/totals'

const column = (id: string, name: string) => ({ id, name, system: '', parameters: {} })
const setup: ComparisonSetup = {
  title: 'T',
  prompt: 'p',
  variables: ['v'],
  columns: [column('a', 'A'), column('b', ''), column('c', 'C')],
  cases: [
    { id: '1', values: ['x'] },
    { id: '2', values: ['y'] },
  ],
}
const run = (id: string, overrides: Partial<PlaygroundRun> = {}): PlaygroundRun => ({
  id,
  kind: 'chat',
  state: 'done',
  startedAt: '2026-11-21T08:00:00.000Z',
  requestAddress: '',
  isStream: true,
  target: { kind: 'plan', planId: 'p', keyId: 'k', modelCode: 'large', standard: 'chat-completions' },
  ...overrides,
})
const cell = (columnId: string, caseId: string, overrides: Partial<PlaygroundRun>) => ({
  columnId,
  caseId,
  isStale: false,
  run: run(`${columnId}${caseId}`, overrides),
})
const cells = toCellMap([
  cell('a', '1', { durationMs: 1000, inputTokens: 10, outputTokens: 20, allowanceShare: 0.01 }),
  cell('a', '2', { durationMs: 3000, inputTokens: 10, cacheReadTokens: 5, allowanceShare: 0.02 }),
  cell('b', '1', { durationMs: 900, outputTokens: 90 }),
  cell('b', '2', { state: 'failed', durationMs: 10 }),
  cell('c', '1', { state: 'running' }),
])
const computeSetupTotals = (comparisonSetup: ComparisonSetup = setup) =>
  computeTotals(comparisonSetup, cells, (comparisonCell) => comparisonCell.run)

describe('the totals of a comparison', () => {
  it('sum time, tokens and quota share of answers, and count failures', () => {
    expect(computeSetupTotals()).toMatchObject([
      { name: 'A', answers: 2, failed: 0, durationMs: 4000, averageMs: 2000, tokens: 45, share: 0.03 },
      { name: undefined, number: 2, answers: 1, failed: 1, durationMs: 900, averageMs: 900, tokens: 90 },
      { name: 'C', answers: 0, failed: 0 },
    ])
    expect(computeSetupTotals()[1]?.share).toBeUndefined()
    expect(computeSetupTotals()[2]?.durationMs).toBeUndefined()
  })

  it('mark the fastest if there is a comparison', () => {
    expect([...findMinTotal(computeSetupTotals(), ({ averageMs }) => averageMs)]).toEqual(['b'])
    expect([...findMinTotal(computeSetupTotals().slice(0, 1), ({ averageMs }) => averageMs)]).toEqual([])
  })

  it('toggle the user’s rating of a column', () => {
    const setupWithWinner = withWinner(withRating(setup, 'b', 4), 'b')
    expect(computeSetupTotals(setupWithWinner).map(({ rating, isWinner }) => [rating, isWinner])).toEqual([
      [undefined, false],
      [4, true],
      [undefined, false],
    ])
    expect(withWinner(withRating(setupWithWinner, 'b', undefined), undefined)).toEqual(setup)
  })
})
