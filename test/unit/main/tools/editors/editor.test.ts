import { expect, test } from 'vitest'
import { memoizeBySubject, memoizeLatest } from '../../../../../src/main/tools/editors/editor'

test('the two latest texts are cached', () => {
  const parsedTexts: string[] = []
  const answer = memoizeLatest((text) => {
    parsedTexts.push(text)
    return { text }
  })
  expect(['a', 'b', 'a', 'b', 'c', 'b', 'a'].map((text) => answer(text).text).join('')).toBe('ababcba')
  expect(parsedTexts.join('')).toBe('abca')
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
  const parsedSubjects: object[] = []
  const answer = memoizeBySubject((subject: object): number | undefined => {
    parsedSubjects.push(subject)
    return undefined
  })
  const [a, b] = [{}, {}]
  expect([answer(a), answer(a), answer(b)]).toEqual([undefined, undefined, undefined])
  expect(parsedSubjects).toEqual([a, b])
})
