import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import { csvLine } from '../../../../src/main/core/csv'

/** Writes one line and parses it by RFC 4180. */
function readBack(cells: readonly string[]): string[] {
  const { data, errors } = Papa.parse<string[]>(csvLine(cells), { delimiter: ',', newline: '\r\n' })
  expect([errors, data.slice(1)]).toEqual([[], [['']]])
  return data[0] ?? []
}

it('is readable by the rules of CSV, whatever a cell contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (purpose, keyName) => {
      const cells = readBack(['team', purpose, keyName])
      expect([purpose, `'${purpose}`]).toContain(cells[1])
      expect([keyName, `'${keyName}`]).toContain(cells[2])
    }),
  )
})

it.each(['=1+1', '+84 90', '-1', '@SUM(A1)', ' =1', '\t=1', '\u200b=1', '＝1', '\rx', '\tx', '=HYPERLINK("x","y")'])(
  'keeps a spreadsheet from running %j',
  (purpose) => {
    expect(readBack(['team', purpose])[1]).toBe(`'${purpose}`)
  },
)

it.each(['An', 'a=b', '1-2', 'x@y.example', ''])('leaves %j unchanged', (purpose) => {
  expect(readBack(['team', purpose])[1]).toBe(purpose)
})
