import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsoncEditor } from '../../../../src/main/tools/editors/json'
import { diffLines } from '../../../../src/main/tools/line-diff'

const summarizeDiff = (before: string | undefined, after: string | undefined, mask = jsoncEditor.mask): string[] =>
  diffLines(before, after, mask).map((line) => {
    if (line.kind === 'gap') return `… ${line.count}`
    return `${{ same: ' ', added: '+', removed: '-' }[line.kind]}${line.text}`
  })

const tenLines = (change: string): string =>
  Array.from({ length: 10 }, (_, index) => `"${index}"${index === 5 ? change : ''},\n`).join('')

test('shows three lines of context and counts the rest', () => {
  expect(summarizeDiff(tenLines(''), tenLines(' '), (text) => text)).toEqual([
    '… 2',
    ' "2",',
    ' "3",',
    ' "4",',
    '-"5",',
    '+"5" ,',
    ' "6",',
    ' "7",',
    ' "8",',
    '… 1',
  ])
})

test('shows that a secret changed, but neither value', () => {
  expect(summarizeDiff('{\n"token": "old-one"\n}', '{\n"token": "new-one"\n}')).toEqual([
    ' {',
    '-"token": "[secret]"',
    '+"token": "[secret]"',
    ' }',
  ])
})

test.each<[string, string | undefined, string | undefined, string[]]>([
  ['a new file', undefined, '{}\r\n', ['+{}']],
  ['a deleted file', '{}', undefined, ['-{}']],
  ['no difference', '{\n}\n', '{\n}\n', ['… 2']],
  ['a changed line end', '{}\n', '{}\r\n', ['-{}', '+{}']],
  ['a missing last line end', '{}', '{}\n', ['-{}', '+{}']],
  ['nothing at all', undefined, undefined, []],
])('shows %s', (_name, before, after, lines) => {
  expect(summarizeDiff(before, after)).toEqual(lines)
})

const arbitraryLines = fc.array(fc.constantFrom('a\n', 'b\n', '\r\n', '\r', '\n', 'a'), { maxLength: 24 })

test('accounts for every line of both texts in order', () => {
  fc.assert(
    fc.property(arbitraryLines, arbitraryLines, arbitraryLines, arbitraryLines, (start, oldLines, young, end) => {
      const [before, after] = [[...start, ...oldLines, ...end].join(''), [...start, ...young, ...end].join('')]
      for (const [text, skippedKind, number] of [
        [before, 'added', 'oldLine'],
        [after, 'removed', 'newLine'],
      ] as const) {
        const lines = text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []
        let lineIndex = 0
        for (const line of diffLines(before, after, (same) => same)) {
          if (line.kind === 'gap') lineIndex += line.count
          else if (line.kind !== skippedKind) {
            expect(line).toMatchObject({ text: lines[lineIndex]?.replace(/[\r\n]+$/, ''), [number]: lineIndex + 1 })
            lineIndex += 1
          }
        }
        expect(lineIndex).toBe(lines.length)
      }
    }),
    { numRuns: 1000 },
  )
})
