import { expect, it } from 'vitest'
import { cutBeginning } from '../../../../../../src/renderer/features/playground/compare/grid-cell'

it('truncates a long answer at the end of a line', () => {
  const text = `${'x'.repeat(2000)}\n${'y'.repeat(2000)}`
  expect(cutBeginning(text)).toBe('x'.repeat(2000))
  expect(cutBeginning('short')).toBe('short')
})
