import type { ResourcePage } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import {
  findLastPage,
  pagePlace,
  readPlace,
  writePlace,
} from '../../../../../../src/renderer/features/platform/resources/list-controls'

describe('the address of a list', () => {
  it.each([
    ['', { page: undefined, size: undefined, filter: '', find: '' }],
    ['page=0&size=50&filter=1.0&find=a%20b', { page: 0, size: 50, filter: '1.0', find: 'a b' }],
    ['page=-1&size=7', { page: undefined, size: undefined, filter: '', find: '' }],
    ['page=2x&size=1e2', { page: undefined, size: undefined, filter: '', find: '' }],
  ])('"%s" contains the list’s state', (query, place) => {
    expect(readPlace(new URLSearchParams(query))).toEqual(place)
  })

  it('returns to the first page with another size or filter, and keeps foreign parameters', () => {
    const at = new URLSearchParams('page=3&size=20&new=1')
    expect(writePlace(at, { size: 50 }).toString()).toBe('size=50&new=1')
    expect(writePlace(at, { filter: 'x' }).toString()).toBe('size=20&new=1&filter=x')
    expect(writePlace(at, { page: 4 }).toString()).toBe('page=4&size=20&new=1')
    expect(writePlace(at, { find: 'y' }).toString()).toBe('page=3&size=20&new=1&find=y')
    expect(writePlace(at, { page: undefined }).toString()).toBe('size=20&new=1')
  })
})

const answer = (over: Partial<ResourcePage>): ResourcePage => ({
  rows: Array.from({ length: 20 }, () => 'x'),
  page: 1,
  firstPage: 1,
  secrets: [],
  ...over,
})

describe('the position of a page', () => {
  it('is counted from 1, whether the service counts from 0 or 1', () => {
    const place = { number: 2, count: 3, hasPrevious: true, hasNext: true, from: 21, to: 40 }
    expect(pagePlace(answer({ page: 2, totalItems: 50, totalPages: 3 }), 20)).toEqual(place)
    expect(pagePlace(answer({ page: 1, firstPage: 0, totalItems: 50, totalPages: 3 }), 20)).toEqual(place)
  })

  it('is computed from the number of rows when the pages are missing', () => {
    expect(findLastPage(answer({ firstPage: 0, totalItems: 41 }), 20)).toBe(2)
    expect(findLastPage(answer({ totalItems: 0 }), 20)).toBe(1)
  })

  it('offers another page without totals only while this one is full', () => {
    expect(pagePlace(answer({}), 20)).toMatchObject({ count: undefined, hasNext: true })
    expect(pagePlace(answer({ rows: ['x'] }), 20)).toMatchObject({ hasNext: false, from: 1, to: 1 })
  })

  it('shows no row numbers for a page beyond the last', () => {
    expect(pagePlace(answer({ rows: [], page: 9, totalItems: 50, totalPages: 3 }), 20)).toMatchObject({
      from: 0,
      to: 0,
      hasNext: false,
      hasPrevious: true,
    })
  })
})
