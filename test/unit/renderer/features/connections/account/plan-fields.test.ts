import { describe, expect, it } from 'vitest'
import {
  mergeCodes,
  nameProblem,
  readCodes,
  readContext,
  suggestName,
} from '../../../../../../src/renderer/features/connections/account/plan-fields'

describe('plan names', () => {
  it.each([
    ['', undefined],
    ['team_1.a-B', undefined],
    ['my plan', 'rule'],
    ['gói', 'rule'],
    ['a/b', 'rule'],
    ['a'.repeat(50), undefined],
    ['a'.repeat(51), 'tooLong'],
  ])('finds in %j the problem %s', (name, problem) => {
    expect(nameProblem(name)).toBe(problem)
  })

  it.each([
    ['https://gateway.example.com', 'gateway.example.com'],
    ['http://127.0.0.1:4860', '127.0.0.1-4860'],
    ['http://[::1]:80', '1'],
    ['nothing', ''],
  ])('suggests for %s a valid name', (url, name) => {
    expect(suggestName(url)).toBe(name)
    expect(nameProblem(suggestName(url))).toBeUndefined()
  })
})

describe('model codes', () => {
  it('are parsed from lines and commas unchanged, without invalid ones', () => {
    expect(readCodes(' Large-2, fast\n\nvendor/Model:1 ;two words\r\nfast')).toEqual({
      codes: ['Large-2', 'fast', 'vendor/Model:1', 'fast'],
      invalid: ['two words'],
    })
  })

  it('are added once, and the first stays first', () => {
    expect(mergeCodes(['a', 'b'], ['b', 'c'])).toEqual(['a', 'b', 'c'])
  })
})

describe('the context window', () => {
  it.each([
    ['', undefined],
    ['128000', 128_000],
    ['128,000', 128_000],
    ['128.000', 128_000],
    ['200 000', 200_000],
    ['999', 'invalid'],
    ['10000001', 'invalid'],
    ['lots', 'invalid'],
  ])('reads %j as %s', (text, expected) => {
    expect(readContext(text)).toBe(expected)
  })
})
