import { describe, expect, it } from 'vitest'
import {
  mergeCodes,
  readCodes,
  readContext,
} from '../../../../../../src/renderer/features/connections/account/plan-fields'

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
