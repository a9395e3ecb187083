import type { ComparisonSetup, PlaygroundRun } from '@shared/contract'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { createEditing, EditingContext } from '../../../../../../src/renderer/features/playground/compare/editing'
import { type CellMap, toCellMap, withWinner } from '../../../../../../src/renderer/features/playground/compare/setup'
import { ComparisonTotals } from '../../../../../../src/renderer/features/playground/compare/totals'
import { installMain, renderInApp } from '../../../support/fake-main'
import { cell as buildCell, setup as buildSetup, view as buildView, createPlanTarget } from './comparison'

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

const readTotals = () =>
  screen.getAllByRole<HTMLTableRowElement>('row').map(({ cells: row }) => [...row].map((item) => item.textContent))

/** Renders the totals of a comparison. Returns the text of their rows. */
async function showTotals(comparison: ComparisonSetup, cellMap: CellMap = cells) {
  const view = buildView({ setup: comparison })
  installMain({})
  await renderInApp(
    <EditingContext value={createEditing(view, async () => view)}>
      <ComparisonTotals cells={cellMap} />
    </EditingContext>,
  )
  return readTotals()
}

describe('the totals of a comparison', () => {
  it('sum time, tokens and quota share of answers, and count failures', async () => {
    expect(await showTotals(setup)).toEqual([
      ['Column', 'Responses', 'Failed', 'Time', 'Tokens', 'Quota share', 'Rating', 'Winner'],
      ['A', '2', '0', '4 s', 'fewest45', '3%', '–', ''],
      ['Column 2', '1', '1', 'fastest900 ms', '90', '–', '–', ''],
      ['C', '0', '0', '–', '–', '–', '–', ''],
    ])
    expect(screen.getByTitle('Average 2 s')).toBeTruthy()
  })

  it('average the ratings of answers, and count passed checks', async () => {
    const [first, second, ...rest] = [...cells.values()]
    if (!first || !second) throw new Error('no cells')
    const ratedCells = toCellMap([
      { ...first, rating: 5, check: { isPassed: true } },
      { ...second, rating: 2, check: { isPassed: false, reason: 'mismatch' } },
      ...rest,
    ])
    const setupWithWinner = withWinner(setup, 'b')
    const [, a, b] = await showTotals(setupWithWinner, ratedCells)
    expect([a?.[3], a?.[7], b?.[0], b?.[3], b?.[7]]).toEqual(['1 of 2', '3.5', 'Column 2Winner', '–', '–'])
    expect(screen.getByTitle('2 rated responses')).toBeTruthy()
    expect(withWinner(setupWithWinner, undefined)).toEqual(setup)
  })

  it('sum up the columns with the same model or prompt', async () => {
    const target = (modelCode: string) => createPlanTarget('p1', modelCode)
    await showTotals({
      ...setup,
      columns: [
        { ...a, target: target('large') },
        { ...b, target: target('small') },
        { ...c, target: target('large'), prompt: 'own' },
      ],
    })
    const group = async (name: string) => {
      await userEvent.click(screen.getByRole('radio', { name }))
      const rows = readTotals().slice(1)
      return rows.map(([label, wins]) => `${label}: ${wins}`)
    }
    expect(await group('Model')).toEqual(['large: 2', 'small: 1'])
    expect(await group('Prompt')).toEqual(['p: 3', 'own: 0'])
  })
})
