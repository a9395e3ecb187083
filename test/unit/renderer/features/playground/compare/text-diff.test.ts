import { expect, it } from 'vitest'
import { diffLines, diffWords } from '../../../../../../src/renderer/features/playground/compare/text-diff'

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

it('compares by word without losing a letter', () => {
  const [oldText, newText] = ['The quick fox,\nhere', 'The slow fox\nhere!']
  const changes = diffWords(oldText, newText) ?? []
  const readDiffSide = (omittedKind: 'added' | 'removed') =>
    changes
      .filter(({ kind }) => kind !== omittedKind)
      .map(({ text }) => text)
      .join('')
  expect(readDiffSide('added')).toBe(oldText)
  expect(readDiffSide('removed')).toBe(newText)
})
