import { expect, it } from 'vitest'
import { beginningOf, recentFrom } from '../../../../../src/renderer/features/compare/excerpt'

it('cuts a long answer at the end of a line', () => {
  const text = `${'x'.repeat(2000)}\n${'y'.repeat(2000)}`
  expect(beginningOf(text)).toBe('x'.repeat(2000))
  expect(beginningOf('short')).toBe('short')
})

it('draws a bounded part of a growing answer, from a paragraph that is not within code', () => {
  const block = 'A paragraph.\n\n```js\nconst a = 1\n\nconst b = 2\n```\n\n'
  let text = ''
  while (text.length < 60_000) {
    text += block
    const from = recentFrom(text)
    expect(text.length - from).toBeLessThan(18_000)
    expect(from === 0 || /^(A paragraph|```js)/.test(text.slice(from))).toBe(true)
  }
  expect(recentFrom(text)).toBeGreaterThan(40_000)
})
