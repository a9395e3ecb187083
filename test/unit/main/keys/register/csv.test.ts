import type { RegisterEntry } from '@shared/contract'
import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import { formatCsv } from '../../../../../src/main/keys/register/csv'

const entry: RegisterEntry = {
  planId: 'p',
  planName: 'team',
  keyId: 'k',
  keyName: 'An',
  status: 'ACTIVE',
  isKeptHere: true,
  tools: ['opencode', 'aider'],
  alsoServes: [],
}

/** Parses CSV by RFC 4180. */
function readCsv(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n', skipEmptyLines: true })
  expect(errors).toEqual([])
  return data
}

it('writes a heading and one row for each key', () => {
  const [heading, row] = readCsv(
    formatCsv([{ ...entry, holder: { kind: 'person', name: 'An' }, masked: 'sk-...cdef' }]),
  )
  expect(heading?.slice(0, 6)).toEqual(['Plan', 'Key', 'Ends with', 'Status', 'Holder', 'Kind of holder'])
  expect(row?.slice(0, 6)).toEqual(['team', 'An', 'sk-...cdef', 'ACTIVE', 'An', 'person'])
  expect(row).toContain('opencode; aider')
})

it('is readable by the rules of CSV, whatever a cell contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (purpose, keyName) => {
      const rows = readCsv(formatCsv([{ ...entry, purpose, keyName }]))
      expect(rows).toHaveLength(2)
      const cells = rows[1] ?? []
      expect([purpose, `'${purpose}`]).toContain(cells[6])
      expect([keyName, `'${keyName}`]).toContain(cells[1])
    }),
  )
})

it.each(['=1+1', '+84 90', '-1', '@SUM(A1)', ' =1', '\t=1', '\u200b=1', '＝1', '\rx', '\tx', '=HYPERLINK("x","y")'])(
  'keeps a spreadsheet from running %j',
  (purpose) => {
    expect(readCsv(formatCsv([{ ...entry, purpose }]))[1]?.[6]).toBe(`'${purpose}`)
  },
)

it.each(['An', 'a=b', '1-2', 'x@y.example', ''])('leaves %j unchanged', (purpose) => {
  expect(readCsv(formatCsv([{ ...entry, purpose }]))[1]?.[6]).toBe(purpose)
})
