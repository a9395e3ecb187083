import type { ComparisonCase } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { checkAnswer } from '../../../../src/main/playground/answer-checks'

let runs = 0
const check = (kind: ComparisonCase['check'], expected: string, text: string) => {
  runs += 1
  return checkAnswer({ check: kind, expected }, `run-${runs}`, () => text)
}
const mismatch = { isPassed: false, reason: 'mismatch' }
const schema = '{"type":"object","required":["age"],"properties":{"name":{"pattern":"^(a+)+$"}}}'

describe('the check of an answer', () => {
  it.each([
    ['equals', ' 4 ', '\n4\r\n', { isPassed: true }],
    ['equals', '4', '4.', mismatch],
    ['contains', 'Hà Nội', 'Thủ đô là Hà Nội.', { isPassed: true }],
    ['contains', 'hà nội', 'Hà Nội', mismatch],
    ['regex', '^\\d+$', '42', { isPassed: true }],
    ['regex', '/hello/gi', 'HELLO', { isPassed: true }],
    ['regex', 'hello', 'HELLO', mismatch],
    ['json', '', '{"a":1}', { isPassed: true }],
    ['json', '', 'a', { isPassed: false, reason: 'notJson' }],
    ['schema', schema, '{"age":1}', { isPassed: true }],
    ['schema', schema, 'x', { isPassed: false, reason: 'notJson' }],
  ] as const)('%s %s of %s', (kind, expected, text, result) => {
    expect(check(kind, expected, text)).toEqual(result)
  })

  it('reports an invalid pattern or schema, and the first violation', () => {
    expect(check('regex', '(', 'x')).toMatchObject({
      reason: 'invalidPattern',
      violation: expect.stringContaining('('),
    })
    expect(check('schema', '{', 'x')).toMatchObject({ reason: 'invalidSchema' })
    expect(check('schema', schema, '{}')).toMatchObject({
      reason: 'mismatch',
      violation: expect.stringContaining('age'),
    })
  })

  it('is skipped without a kind or an expected value', () => {
    expect(check(undefined, 'x', 'x')).toBeUndefined()
    expect(check('equals', ' ', '')).toBeUndefined()
  })

  it('interrupts a pattern that takes exponential time, and does not run it again', () => {
    const slowText = `${'a'.repeat(60)}!`
    const timeout = { isPassed: false, reason: 'timeout' }
    expect(check('regex', '^(a+)+$', slowText)).toEqual(timeout)
    expect(check('regex', '^(a+)+$', 'aaa')).toEqual(timeout)
    expect(check('schema', schema, JSON.stringify({ age: 1, name: slowText }))).toMatchObject({ isPassed: false })
  })
})
