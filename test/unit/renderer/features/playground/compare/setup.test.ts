import { fillVariables, listVariables } from '@shared/playground'
import { describe, expect, it, test } from 'vitest'
import {
  arrangeRow,
  countRated,
  estimateByModel,
  listOpenCells,
  listRows,
  listRunnableCells,
  toCellMap,
  usedVariables,
  withColumn,
  withCopiedColumn,
  withNewCase,
  withPrompt,
  withRenamedVariable,
} from '../../../../../../src/renderer/features/playground/compare/setup'
import { cell, columnA, columnB, setup } from './comparison'

describe('the variables of a text', () => {
  test.each([
    ['Hello {{name}}', ['name']],
    ['{{ a }} and {{b}} and {{a}}', ['a', 'b']],
    ['{{tên khách}}', ['tên khách']],
    ['{{}} {{ }} {name} {{{x', []],
    [`{{${'x'.repeat(61)}}}`, []],
    ['{{{json}}}', ['json']],
  ])('in %j are %j', (text, names) => expect(listVariables(text)).toEqual(names))

  it('are replaced when known, and left otherwise', () => {
    expect(fillVariables('{{ a }}, {{b}}, {{a}}', { a: '$1{{b}}' })).toBe('$1{{b}}, {{b}}, $1{{b}}')
    expect(fillVariables('{{constructor}}', {})).toBe('{{constructor}}')
  })
})

describe('the table of cases', () => {
  it('gets a column for a new variable of the prompt, empty in every case', () => {
    const changedSetup = withPrompt(setup(), 'Greet {{name}} in {{language}}')
    expect(changedSetup.variables).toEqual(['name', 'language'])
    expect(changedSetup.cases.map(({ values }) => values)).toEqual(['An', 'Bình', 'Chi'].map((name) => [name, '']))
  })

  it('loses the columns of partially typed names', () => {
    const typedSetup = ['{{l}}', '{{la}}', '{{lang}}'].reduce(
      (currentSetup, end) => withPrompt(currentSetup, `Greet {{name}} ${end}`),
      setup(),
    )
    expect(typedSetup.variables).toEqual(['name', 'lang'])
  })

  it('keeps a column without a variable while it contains values', () => {
    const changedSetup = withPrompt(setup(), 'Hello')
    expect(changedSetup.variables).toEqual(['name'])
    expect(changedSetup.cases[0]?.values).toEqual(['An'])
  })

  it('includes variables of system texts and of columns’ own prompts', () => {
    const changedSetup = withColumn(setup(), { ...columnA, prompt: 'Only {{this}}', system: 'As {{role}}' })
    expect(usedVariables(changedSetup)).toEqual(['name', 'this', 'role'])
  })

  test.each(['', 'name'])('refuses %j as the name of another column', (name) => {
    const setupBefore = setup({ variables: ['name', 'other'] })
    expect(withRenamedVariable(setupBefore, 1, name)).toBe(setupBefore)
  })

  it('is limited to 200 cases', () => {
    const comparisonCases = Array.from({ length: 200 }, (_, index) => ({ id: `c${index}`, values: [''] }))
    expect(withNewCase(setup({ cases: comparisonCases })).cases).toHaveLength(200)
  })
})

it('the columns are copied to the right, with a new id', () => {
  const { columns } = withCopiedColumn(setup(), columnA)
  expect(columns).toHaveLength(3)
  expect(columns[1]).toMatchObject({ target: columnA.target })
  expect(new Set(columns.map(({ id }) => id)).size).toBe(3)
})

describe('a run', () => {
  it('omits columns without a model or a prompt', () => {
    const { target: _, ...noTarget } = columnB
    expect(listRunnableCells(setup({ columns: [columnA, noTarget], cases: [] }))).toEqual([{ columnId: 'a' }])
    const columns = [columnA, { ...columnB, prompt: 'Own' }]
    expect(listRunnableCells(setup({ prompt: ' ', columns, cases: [] }))).toEqual([{ columnId: 'b' }])
  })

  it('includes only missing, outdated, failed and aborted cells on request', () => {
    const cells = toCellMap([
      cell({ columnId: 'a', caseId: '1' }),
      cell({ columnId: 'a', caseId: '2' }, {}, true),
      cell({ columnId: 'a', caseId: '3' }, { state: 'failed' }),
      cell({ columnId: 'b', caseId: '1' }, { state: 'running' }, true),
      cell({ columnId: 'b', caseId: '2' }, { state: 'cut' }),
    ])
    expect(listOpenCells(setup(), cells)).toEqual([
      { columnId: 'a', caseId: '2' },
      { columnId: 'b', caseId: '2' },
      { columnId: 'a', caseId: '3' },
      { columnId: 'b', caseId: '3' },
    ])
  })

  it('is estimated by model, from texts and earlier answers', () => {
    const setupWithColumn = setup({ columns: [columnA, columnB, { ...columnA, id: 'c' }] })
    const places = listRunnableCells(setupWithColumn)
    expect(estimateByModel(setupWithColumn, places, new Map())).toMatchObject([
      { target: { planId: 'p1' }, requests: 6, outputTokens: undefined },
      { target: { planId: 'p2' }, requests: 3, outputTokens: undefined },
    ])
    const cells = toCellMap([
      cell({ columnId: 'a', caseId: '1' }, { inputTokens: 100, cacheReadTokens: 20, outputTokens: 40 }),
      cell({ columnId: 'a', caseId: '2' }, { inputTokens: 100, outputTokens: 60 }),
    ])
    const [share] = estimateByModel(setup(), listRunnableCells(setup({ columns: [columnA] })), cells)
    const lastInput = Math.ceil('Greet {{name}}Chi'.length / 3.5)
    expect(share).toMatchObject({ requests: 3, inputTokens: 220 + lastInput, outputTokens: 150 })
  })

  it('repeats each case, up to the maximum number of rows', () => {
    const rows = listRows(setup({ repeats: 2 })).map(({ number, repeat = 1 }) => `${number}-${repeat}`)
    expect(rows).toEqual(['1-1', '1-2', '2-1', '2-2', '3-1', '3-2'])
    expect(listRunnableCells(setup({ cases: [], repeats: 3 }))).toContainEqual({ columnId: 'b', repeat: 3 })
    const cases = Array.from({ length: 90 }, (_, index) => ({ id: `${index}`, values: ['x'] }))
    expect(listRows(setup({ cases, repeats: 10 }))).toHaveLength(180)
  })
})

describe('a blind row', () => {
  const blindSetup = setup({ isBlind: true })
  const rowCells = (rating?: number) =>
    toCellMap([
      { ...cell({ columnId: 'a', caseId: '1' }), rating: 3 },
      { ...cell({ columnId: 'b', caseId: '1' }), ...(rating !== undefined && { rating }) },
    ])

  it('hides its columns until all answers are rated', () => {
    expect(arrangeRow(setup(), { caseId: '1' }, rowCells()).isHidden).toBe(false)
    expect(arrangeRow(blindSetup, { caseId: '1' }, rowCells()).isHidden).toBe(true)
    expect(arrangeRow(blindSetup, { caseId: '2' }, rowCells()).isHidden).toBe(true)
    expect(arrangeRow(blindSetup, { caseId: '1' }, rowCells(5)).isHidden).toBe(false)
    expect(countRated(rowCells().values())).toEqual({ rated: 1, total: 2 })
  })

  it('has a stable order of columns that differs from other rows', () => {
    const getOrder = (caseId: string, cells: Parameters<typeof arrangeRow>[2]): string =>
      arrangeRow(blindSetup, { caseId }, cells)
        .columns.map(({ id }) => id)
        .join('')
    const orders = Array.from({ length: 60 }, (_, index) => getOrder(`${index}`, new Map()))
    const swapped = orders.filter((order) => order === 'ba').length
    expect(swapped).toBeGreaterThan(15)
    expect(swapped).toBeLessThan(45)
    expect(getOrder('7', rowCells(5))).toBe(orders[7])
  })
})
