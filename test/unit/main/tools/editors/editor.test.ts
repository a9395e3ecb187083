import { expect, test } from 'vitest'
import { memoizeBySubject, memoizeLatest } from '../../../../../src/main/tools/editors/editor'

test('the two latest texts are cached', () => {
  const asked: string[] = []
  const answer = memoizeLatest((text) => {
    asked.push(text)
    return { text }
  })
  expect(['a', 'b', 'a', 'b', 'c', 'b', 'a'].map((text) => answer(text).text).join('')).toBe('ababcba')
  expect(asked.join('')).toBe('abca')
  expect(answer('a')).toBe(answer('a'))
})

test('a text that fails to parse throws each time', () => {
  const answer = memoizeLatest((text): string => {
    throw new Error(text)
  })
  expect(() => answer('a')).toThrow('a')
  expect(() => answer('a')).toThrow('a')
})

test('each object is parsed once, whatever the result', () => {
  const asked: object[] = []
  const answer = memoizeBySubject((subject: object): number | undefined => {
    asked.push(subject)
    return undefined
  })
  const [a, b] = [{}, {}]
  expect([answer(a), answer(a), answer(b)]).toEqual([undefined, undefined, undefined])
  expect(asked).toEqual([a, b])
})
