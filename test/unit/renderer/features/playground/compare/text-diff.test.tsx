import { expect, it } from 'vitest'
import { diffLines } from '../../../../../../src/renderer/features/playground/compare/text-diff'

it('numbers the lines of both sides and folds unchanged regions', () => {
  const oldText = ['1', '2', '3', '4', '5', '6', 'x', '8'].join('\n')
  expect(diffLines(oldText, oldText.replace('x', 'y'))).toEqual([
    { kind: 'gap', count: 3 },
    { kind: 'same', text: '4', oldLine: 4, newLine: 4 },
    { kind: 'same', text: '5', oldLine: 5, newLine: 5 },
    { kind: 'same', text: '6', oldLine: 6, newLine: 6 },
    { kind: 'removed', text: 'x', oldLine: 7 },
    { kind: 'added', text: 'y', newLine: 7 },
    { kind: 'same', text: '8', oldLine: 8, newLine: 8 },
  ])
})
