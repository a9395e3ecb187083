import type { ComparisonSetup, PlaygroundRun } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { toCellMap, withWinner } from '../../../../../../src/renderer/features/playground/compare/setup'
import { computeTotals } from '../../../../../../src/renderer/features/playground/compare/totals'
import { cell as buildCell, setup as buildSetup, createPlanTarget } from './comparison'

const column = (id: string, name: string) => ({ id, name, system: '', parameters: {} })
const [a, b, c] = [column('a', 'A'), column('b', ''), column('c', 'C')] as const
const setup = buildSetup({ prompt: 'p', columns: [a, b, c] })
const cell = (columnId: string, caseId: string, run: Partial<PlaygroundRun>) => buildCell({ columnId, caseId }, run)
const cells = toCellMap([
  cell('a', '1', { durationMs: 1000, inputTokens: 10, outputTokens: 20, allowanceShare: 0.01 }),
  cell('a', '2', { durationMs: 3000, inputTokens: 10, cacheReadTokens: 5, allowanceShare: 0.02 }),
  cell('b', '1', { durationMs: 900, outputTokens: 90 }),
  cell('b', '2', { state: 'failed', durationMs: 10 }),
  cell('c', '1', { state: 'running' }),
])
const totals = computeTotals(setup, cells)

describe('the totals of a comparison', () => {
  it('sum time, tokens and quota share of answers, and count failures', () => {
    expect(totals).toMatchObject([
      { name: 'A', answers: 2, failed: 0, durationMs: 4000, averageMs: 2000, tokens: 45, share: 0.03 },
      { name: undefined, number: 2, answers: 1, failed: 1, durationMs: 900, averageMs: 900, tokens: 90 },
      { name: 'C', answers: 0, failed: 0 },
    ])
    expect(totals[1]?.share).toBeUndefined()
    expect(totals[2]?.durationMs).toBeUndefined()
  })

  it('average the ratings of answers, and count passed checks', () => {
    const [first, second, ...rest] = [...cells.values()]
    if (!first || !second) throw new Error('no cells')
    const ratedCells = toCellMap([
      { ...first, rating: 5, check: { isPassed: true } },
      { ...second, rating: 2, check: { isPassed: false, reason: 'mismatch' } },
      ...rest,
    ])
    const setupWithWinner = withWinner(setup, 'b')
    expect(computeTotals(setupWithWinner, ratedCells)).toMatchObject([
      { rating: 3.5, rated: 2, checked: 2, passed: 1, isWinner: false },
      { rating: undefined, rated: 0, checked: 0, isWinner: true },
      { isWinner: false },
    ])
    expect(withWinner(setupWithWinner, undefined)).toEqual(setup)
  })

  it('sum up the columns with the same model or prompt', () => {
    const target = (modelCode: string) => createPlanTarget('p1', modelCode)
    const grouped: ComparisonSetup = {
      ...setup,
      columns: [
        { ...a, target: target('large') },
        { ...b, target: target('small') },
        { ...c, target: target('large'), prompt: 'own' },
      ],
    }
    const summarize = (grouping: 'model' | 'prompt') =>
      computeTotals(grouped, cells, grouping).map(({ name, answers }) => [name, answers])
    expect(summarize('model')).toEqual([
      ['large', 2],
      ['small', 1],
    ])
    expect(summarize('prompt')).toEqual([
      ['p', 3],
      ['own', 0],
    ])
  })
})
