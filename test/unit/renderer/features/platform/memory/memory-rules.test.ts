import { describe, expect, it } from 'vitest'
import { listSessions } from '../../../../../../src/renderer/features/platform/memory/actors-tab'
import { differences } from '../../../../../../src/renderer/features/platform/memory/generate-form'
import {
  namespaceFor,
  namespacePrefix,
  readContent,
  readSession,
  recordKey,
} from '../../../../../../src/renderer/features/platform/memory/names'
import {
  defaultSearch,
  foundRecords,
  readSearch,
} from '../../../../../../src/renderer/features/platform/memory/search-page'
import { newestEnd, nextPage } from '../../../../../../src/renderer/features/platform/memory/session-events'

const strategy = { id: 's1', namespace: '/strategies/{strategyId}/actors/{actorId}/sessions/{sessionId}' }
const session = { actorId: 'ada', sessionId: 'one' }

describe('parsing responses with undocumented field names', () => {
  it.each([
    [{ actorId: 'ada', sessionId: 'one' }, session],
    [{ user_id: 'ada', thread_id: 'one' }, session],
    [{ source: { actorId: 'ada', sessionId: 'one' } }, session],
    [{ actorId: 'ada' }, undefined],
    ['a text', undefined],
  ])('finds the session of %j', (row, expected) => {
    expect(readSession(row)).toEqual(expected)
  })

  it.each([
    [{ content: 'hello' }, 'hello'],
    [{ message: { text: 'hello' } }, 'hello'],
    [
      {
        content: [
          { type: 'text', text: 'hel' },
          { type: 'text', text: 'lo' },
        ],
      },
      'hel lo',
    ],
    [{ colour: 'red' }, '{"colour":"red"}'],
  ])('finds the text of %j', (row, text) => {
    expect(readContent(row)).toBe(text)
  })

  it('reads sessions of an actor as texts or objects, and adds those opened here once', () => {
    const seen = [session, { actorId: 'ada', sessionId: 'three' }, { actorId: 'bob', sessionId: 'four' }]
    const row = { sessions: ['one', { threadId: 'two', eventCount: 7 }] }
    expect(listSessions('ada', row, seen).map(({ sessionId, events }) => [sessionId, events])).toEqual([
      ['one', undefined],
      ['two', 7],
      ['three', undefined],
    ])
  })

  it('fills a strategy’s namespace for a session, and cuts it at other placeholders', () => {
    expect(namespaceFor(strategy, session)).toBe('/strategies/s1/actors/ada/sessions/one')
    expect(namespaceFor({ id: 's1', namespace: '/{colour}' }, session)).toBeUndefined()
    expect(namespacePrefix(strategy)).toBe('/strategies/s1/actors')
    expect(namespacePrefix({ id: 's1', namespaces: ['/facts'] })).toBe('/facts')
    expect(namespacePrefix({ id: 's1', namespace: '{actorId}/x' })).toBe('/')
    expect(namespacePrefix({ id: 's1' })).toBeUndefined()
  })

  it('detects at which end the newest event is, or that it is unknown', () => {
    const [early, late] = [{ timestamp: '2026-01-01T00:00:00Z' }, { timestamp: '2026-01-02T00:00:00Z' }]
    expect(newestEnd([late, early])).toBe('start')
    expect(newestEnd([early, late])).toBe('end')
    expect(newestEnd([{ text: 'x' }, { text: 'y' }])).toBeUndefined()
  })

  it.each([
    ['a page as large as asked for', { rows: 100, totalItems: 500 }, 2],
    ['a page that the server made shorter', { rows: 50, totalItems: 500 }, 2],
    ['the only page', { rows: 30, totalItems: 30 }, undefined],
    ['the last page by the number of pages', { rows: 30, totalPages: 1 }, undefined],
    ['a page without totals', { rows: 20 }, 2],
    ['an empty page', { rows: 0 }, undefined],
  ])('finds the page after %s', (_, { rows, ...totals }, expected) => {
    const page = { rows: Array(rows).fill(1), page: 1, firstPage: 1, secrets: [], ...totals }
    expect(nextPage(page, [page])).toBe(expected)
  })

  it('loads no more than 5,000 events', () => {
    const page = (number: number) => ({ rows: Array(100).fill(1), page: number, firstPage: 1, secrets: [] })
    const pages = Array.from({ length: 50 }, (_, at) => page(at + 1))
    expect(nextPage(page(49), pages.slice(0, 49))).toBe(50)
    expect(nextPage(page(50), pages)).toBeUndefined()
  })
})

describe('compared records', () => {
  it('are matched by identifier, or by all fields except the score', () => {
    expect(recordKey({ id: 7, content: 'x', score: 0.4 })).toBe('7')
    expect(recordKey({ content: 'x', score: 0.4 })).toBe(recordKey({ content: 'x', score: 0.9 }))
  })

  it('scale scores above one by the best, and have no bar without a score', () => {
    const found = foundRecords([{ id: 1, similarity: 4 }, { id: 2, similarity: '1' }, { id: 3 }])
    expect(found.map(({ share }) => share)).toEqual([1, 0.25, undefined])
  })

  it('mark new and missing records, new ones first', () => {
    const before = [{ id: 1 }, { id: 2 }, 'same words']
    const after = [{ id: 2 }, { id: 3 }, 'same words', 'same words']
    expect(differences(before, after).map(({ key, change }) => `${key} ${change}`)).toEqual([
      '3 new',
      'same words 1 new',
      '1 gone',
      '2 same',
      'same words same',
    ])
  })
})

describe('a search in the address', () => {
  it('is parsed', () => {
    const search = { text: 'mango & co', limit: 50, threshold: 0.35 }
    expect(readSearch(new URLSearchParams({ mode: 'search', q: search.text, limit: '50', min: '0.35' }))).toEqual(
      search,
    )
  })

  it.each(['limit=4', 'limit=201', 'limit=x', 'min=1.1', 'min=-0.1'])('ignores the invalid %s', (text) => {
    expect(readSearch(new URLSearchParams(text))).toEqual(defaultSearch)
  })
})
