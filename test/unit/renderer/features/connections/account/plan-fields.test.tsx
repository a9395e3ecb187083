import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import {
  Corrections,
  mergeCodes,
  readCodes,
  readContext,
} from '../../../../../../src/renderer/features/connections/account/plan-fields'
import { installMain, renderInApp } from '../../../support/fake-main'

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

it.each([
  ['', undefined],
  ['128000', 128_000],
  ['128,000', 128_000],
  ['128.000', 128_000],
  ['200 000', 200_000],
  ['999', 'invalid'],
  ['10000001', 'invalid'],
  ['lots', 'invalid'],
])('the context window reads %j as %s', (text, expected) => {
  expect(readContext(text)).toBe(expected)
})

it.each([
  ['http://localhost:4860', 'http:// added'],
  ['https://gateway.example.com', 'https:// added'],
])('names the scheme added to %s', async (url, text) => {
  installMain({})
  const baseAddresses = { 'chat-completions': url, messages: url }
  await renderInApp(
    <Corrections address={{ url, corrections: ['schemeAdded'], bases: baseAddresses, requests: baseAddresses }} />,
  )
  expect(screen.getByText(new RegExp(text)).textContent).toContain(url)
})
