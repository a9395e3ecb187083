import { expect, test } from 'vitest'
import { diffLines } from '../../../../src/main/tools/diff'

const brief = (before: string | undefined, after: string | undefined): string[] =>
  diffLines(before, after).map((line) => {
    if (line.kind === 'gap') return `… ${line.count}`
    return `${{ same: ' ', added: '+', removed: '-' }[line.kind]}${line.text}`
  })

const tenLines = (change: string): string =>
  Array.from({ length: 10 }, (_, at) => `"${at}"${at === 5 ? change : ''},\n`).join('')

test('shows three lines around a change and counts the rest', () => {
  expect(brief(tenLines(''), tenLines(' '))).toEqual([
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

test('numbers the lines of both sides', () => {
  expect(diffLines('{\n  "a": 1\n}\n', '{\n  "b": 0,\n  "a": 1\n}\n')).toEqual([
    { kind: 'same', text: '{', oldLine: 1, newLine: 1 },
    { kind: 'added', text: '  "b": 0,', newLine: 2 },
    { kind: 'same', text: '  "a": 1', oldLine: 2, newLine: 3 },
    { kind: 'same', text: '}', oldLine: 3, newLine: 4 },
  ])
})

test('shows a changed secret as changed, and neither of them', () => {
  expect(brief('{\n"token": "old-one"\n}', '{\n"token": "new-one"\n}')).toEqual([
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
  expect(brief(before, after)).toEqual(lines)
})
