import type { ResourcePage } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { findLastPage } from '../../../../../../src/renderer/features/platform/resources/list-controls'

const answer = (overrides: Partial<ResourcePage>): ResourcePage => ({
  rows: Array.from({ length: 20 }, () => 'x'),
  page: 1,
  firstPage: 1,
  secrets: [],
  ...overrides,
})

describe('the position of a page', () => {
  it('is computed from the number of rows when the pages are missing', () => {
    expect(findLastPage(answer({ firstPage: 0, totalItems: 41 }), 20)).toBe(2)
    expect(findLastPage(answer({ totalItems: 0 }), 20)).toBe(1)
  })
})
