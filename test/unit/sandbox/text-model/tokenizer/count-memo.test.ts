import { describe, expect, test } from 'vitest'
import { rememberCounts } from '../../../../../src/sandbox/text-model/tokenizer'

function counting() {
  const asked: string[] = []
  const count = rememberCounts((text) => {
    asked.push(text)
    return text.length
  })
  return { asked, count }
}

describe('the memo of counts', () => {
  test('counts a repeated text once, also when it comes as another string', () => {
    const { asked, count } = counting()
    expect([count('ab c'), count(['ab', 'c'].join(' ')), count('')]).toEqual([4, 4, 0])
    expect(asked).toEqual(['ab c', ''])
  })

  test('remembers a count of zero', () => {
    const { asked, count } = counting()
    count('')
    count('')
    expect(asked).toEqual([''])
  })

  test('keeps a text that is asked for again while thousands of others pass, and forgets one that is not', () => {
    const { asked, count } = counting()
    count('seldom')
    for (let index = 0; index < 3_000; index += 1) {
      count('often')
      count(`${index} `.padEnd(1_000, 'x'))
    }
    count('seldom')
    expect(asked.filter((text) => text === 'often')).toHaveLength(1)
    expect(asked.filter((text) => text === 'seldom')).toHaveLength(2)
  })

  test('does not keep a text that is longer than 128 Ki characters', () => {
    const { asked, count } = counting()
    const [kept, tooLong] = ['x'.repeat(128 * 1024), 'x'.repeat(128 * 1024 + 1)]
    for (const text of [kept, kept, tooLong, tooLong]) count(text)
    expect(asked.map((text) => text.length)).toEqual([kept.length, tooLong.length, tooLong.length])
  })
})
