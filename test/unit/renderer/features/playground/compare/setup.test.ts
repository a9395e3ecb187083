import { fillVariables, listVariables } from '@shared/prompt-variables'
import { describe, expect, it, test } from 'vitest'
import {
  usedVariables,
  withColumn,
  withCopiedColumn,
  withNewCase,
  withPrompt,
  withRenamedVariable,
} from '../../../../../../src/renderer/features/playground/compare/setup'
import { columnA, setup } from './comparison'

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
    expect(changedSetup.cases.map(({ values }) => values)).toEqual([
      ['An', ''],
      ['Bình', ''],
      ['Chi', ''],
    ])
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

describe('the columns', () => {
  it('are copied to the right, with a new id', () => {
    const { columns } = withCopiedColumn(setup(), columnA)
    expect(columns).toHaveLength(3)
    expect(columns[1]).toMatchObject({ target: columnA.target })
    expect(new Set(columns.map(({ id }) => id)).size).toBe(3)
  })
})
