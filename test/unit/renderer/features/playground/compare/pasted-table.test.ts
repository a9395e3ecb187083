import { describe, expect, it, test } from 'vitest'
import {
  applyPastedTable,
  parsePastedTable,
} from '../../../../../../src/renderer/features/playground/compare/pasted-table'
import { setup } from './comparison'

describe('a pasted table', () => {
  test.each([
    ['CSV', 'name,city\nAn,Huế\nBình,Hà Nội\n'],
    ['cells of a spreadsheet', 'name\tcity\r\nAn\tHuế\r\nBình\tHà Nội\r\n'],
    ['CSV with semicolons', 'name;city\nAn;Huế\nBình;Hà Nội'],
    [
      'CSV with a byte order mark, blank lines and an empty column',
      '\uFEFFname,city,\n\nAn,Huế,\n,,\nBình,Hà Nội,\n\n',
    ],
  ])('is read as %s', (_, text) => {
    const cases = [{ values: ['An', 'Huế'] }, { values: ['Bình', 'Hà Nội'] }]
    expect(parsePastedTable(text)).toEqual({ variables: ['name', 'city'], cases, problems: [] })
  })

  it('keeps commas, quotes and line ends within quotes', () => {
    const { cases, problems } = parsePastedTable('q,a\n"one, ""two""\nthree",x\n')
    expect(cases).toEqual([{ values: ['one, "two"\nthree', 'x'] }])
    expect(problems).toEqual([])
  })

  it('accepts a single column with sentences that start without quotes', () => {
    const questions = ['What is a token?', 'How long is it?']
    const { cases } = parsePastedTable(`question\n${questions.join('\n')}`)
    expect(cases).toEqual(questions.map((question) => ({ values: [question] })))
  })

  it('pads short rows', () => {
    expect(parsePastedTable('a,b\n1\n').cases).toEqual([{ values: ['1', ''] }])
  })

  it('uses every row as a case when the columns already have names', () => {
    const cases = [{ values: ['An'] }, { values: ['Bình'] }]
    expect(parsePastedTable('An\nBình', ['name'])).toMatchObject({ variables: ['name'], cases })
  })

  test.each([
    ['nothing', '  \n \n', { kind: 'noRows' }],
    ['names alone', 'a,b\n', { kind: 'noRows' }],
    ['a row with more values than columns', 'a,b\n1,2\n1,2,3\n', { kind: 'row', row: 3 }],
    ['a quote that is not closed', 'a,b\n1,"2\n', { kind: 'row', row: 2 }],
    ['a column without a name', 'a,,c\n1,2,3', { kind: 'names' }],
    ['two columns of one name', 'a, a\n1,2', { kind: 'names' }],
    ['too many columns', `${Array.from({ length: 21 }, (_, index) => `c${index}`).join()}\n1`, { kind: 'limits' }],
    ['too many rows', `a\n${'1\n'.repeat(201)}`, { kind: 'limits' }],
    ['a value that is too long', `a\n${'x'.repeat(100_001)}`, { kind: 'limits' }],
  ])('with %s is reported', (_, text, problem) => expect(parsePastedTable(text).problems).toEqual([problem]))
})

describe('importing a pasted table', () => {
  const table = parsePastedTable('city,name\nHuế,Dũng')

  it('adds values to columns of the same name, and creates missing columns', () => {
    const pastedSetup = applyPastedTable(setup(), table, 'replace')
    expect(pastedSetup.variables).toEqual(['name', 'city'])
    expect(pastedSetup.cases.map(({ values }) => values)).toEqual([['Dũng', 'Huế']])
  })

  it('appends to the existing cases, which keep their ids', () => {
    const pastedSetup = applyPastedTable(setup(), table, 'append')
    expect(pastedSetup.cases.map(({ values }) => values.join())).toEqual(['An,', 'Bình,', 'Chi,', 'Dũng,Huế'])
    expect(pastedSetup.cases[0]?.id).toBe('1')
  })
})

describe('checks in a pasted table', () => {
  it('are read from the columns expected and check', () => {
    expect(parsePastedTable('name,check,expected\nAn,Regex,^Hi\nBình,,Xin chào\nChi,,')).toMatchObject({
      variables: ['name'],
      cases: [
        { values: ['An'], check: 'regex', expected: '^Hi' },
        { values: ['Bình'], check: 'contains', expected: 'Xin chào' },
        { values: ['Chi'] },
      ],
      problems: [],
    })
    const withColumn = parsePastedTable('name,expected\nAn,Hi', undefined, ['expected'])
    expect(withColumn).toMatchObject({ variables: ['name', 'expected'], cases: [{ values: ['An', 'Hi'] }] })
  })

  it('are read from an exported comparison, without answers, further runs and totals', () => {
    const table = [
      'case,run,name,check,expected,large,large check',
      '1,1,\'=An,equals,4,"x, y",passed',
      "1,2,'=An,equals,4,z,passed",
      'total,,,,,,2/2',
    ].join('\r\n')
    const cases = [{ values: ['=An'], check: 'equals', expected: '4' }]
    expect(parsePastedTable(`\uFEFF${table}\r\n`)).toMatchObject({ variables: ['name'], cases, problems: [] })
  })
})
