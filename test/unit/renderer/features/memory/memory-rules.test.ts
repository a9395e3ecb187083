import { describe, expect, it } from 'vitest'
import { listSessions } from '../../../../../src/renderer/features/memory/actors-tab'
import { differences } from '../../../../../src/renderer/features/memory/generate-form'
import {
  namespaceFor,
  namespacePrefix,
  readContent,
  readSession,
  recordKey,
} from '../../../../../src/renderer/features/memory/names'
import { noneTicked, tickedWith } from '../../../../../src/renderer/features/memory/record-list'
import {
  compareRanks,
  defaultSearch,
  foundRecords,
  readSearch,
  writeSearch,
} from '../../../../../src/renderer/features/memory/search-page'
import { newestEnd, sizeOfPages } from '../../../../../src/renderer/features/memory/session-events'

const strategy = { id: 's1', namespace: '/strategies/{strategyId}/actors/{actorId}/sessions/{sessionId}' }
const session = { actorId: 'ada', sessionId: 'one' }

describe('what is read of answers whose fields the platform’s description does not name', () => {
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
  ])('finds the words of %j', (row, words) => {
    expect(readContent(row)).toBe(words)
  })

  it('knows sessions as an actor tells of them, as texts or with more, and adds those opened here once', () => {
    const seen = [session, { actorId: 'ada', sessionId: 'three' }, { actorId: 'bob', sessionId: 'four' }]
    const row = { sessions: ['one', { threadId: 'two', eventCount: 7 }] }
    expect(listSessions('ada', row, seen).map(({ sessionId, events }) => [sessionId, events])).toEqual([
      ['one', undefined],
      ['two', 7],
      ['three', undefined],
    ])
  })

  it('fills a strategy’s namespace for a session, and cuts it where something else stands', () => {
    expect(namespaceFor(strategy, session)).toBe('/strategies/s1/actors/ada/sessions/one')
    expect(namespaceFor({ id: 's1', namespace: '/{colour}' }, session)).toBeUndefined()
    expect(namespacePrefix(strategy)).toBe('/strategies/s1/actors')
    expect(namespacePrefix({ id: 's1', namespaces: ['/facts'] })).toBe('/facts')
    expect(namespacePrefix({ id: 's1', namespace: '{actorId}/x' })).toBe('/')
    expect(namespacePrefix({ id: 's1' })).toBeUndefined()
  })

  it('tells the end at which the newest event is, or that the rows do not say', () => {
    const [early, late] = [{ timestamp: '2026-01-01T00:00:00Z' }, { timestamp: '2026-01-02T00:00:00Z' }]
    expect(newestEnd([late, early])).toBe('start')
    expect(newestEnd([early, late])).toBe('end')
    expect(newestEnd([{ text: 'x' }, { text: 'y' }])).toBeUndefined()
  })

  it.each([
    ['a page as it was asked for', { rows: Array(100).fill(1), totalItems: 500 }, 100],
    ['pages that the server cuts', { rows: Array(50).fill(1), totalItems: 500 }, 50],
    ['the only page', { rows: Array(30).fill(1), totalItems: 30 }, 100],
    ['a page without totals, which may be cut', { rows: Array(20).fill(1) }, 20],
    ['no rows at all', { rows: [] }, 100],
  ])('follows the size of %s', (_, page, size) => {
    expect(sizeOfPages(page)).toBe(size)
  })
})

describe('records that are compared', () => {
  it('tells a record by its identifier, or by all it says but its score', () => {
    expect(recordKey({ id: 7, content: 'x', score: 0.4 })).toBe('7')
    expect(recordKey({ content: 'x', score: 0.4 })).toBe(recordKey({ content: 'x', score: 0.9 }))
  })

  it('says what two searches have in common, and how far ranks differ', () => {
    const a = foundRecords([
      { id: 1, score: 0.9 },
      { id: 2, score: 0.5 },
      { id: 3, score: 0.1 },
    ])
    const b = foundRecords([
      { id: 3, score: 0.8 },
      { id: 1, score: 0.7 },
    ])
    expect([...compareRanks(a, b)]).toEqual([
      ['1', { kind: 'both', better: 1 }],
      ['2', { kind: 'only' }],
      ['3', { kind: 'both', better: -2 }],
    ])
  })

  it('measures scores beyond one by the best, and has no bar without a score', () => {
    const found = foundRecords([{ id: 1, similarity: 4 }, { id: 2, similarity: '1' }, { id: 3 }])
    expect(found.map(({ share }) => share)).toEqual([1, 0.25, undefined])
  })

  it('marks what is new and what is gone, new ones first', () => {
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
  it('comes back as it was written', () => {
    const wish = { text: 'mango & co', limit: 50, threshold: 0.35 }
    expect(readSearch(writeSearch(new URLSearchParams('mode=search'), 'b', wish), 'b')).toEqual(wish)
  })

  it.each(['limit-a=4', 'limit-a=201', 'limit-a=x', 'min-a=1.1', 'min-a=-0.1'])(
    'leaves out %s, which breaks a rule',
    (text) => {
      expect(readSearch(new URLSearchParams(text), 'a')).toEqual(defaultSearch)
    },
  )
})

describe('ticking records', () => {
  const placeAt = (index: number) => [40, 41, 45, 49][index]

  it('takes with it all that is between two presses, by their places in the list and not on the screen', () => {
    const one = tickedWith(noneTicked, { index: 1, isRange: false }, placeAt)
    const range = tickedWith(one, { index: 3, isRange: true }, placeAt)
    expect([...range.places]).toEqual([41, 45, 49])
    expect([...tickedWith(range, { index: 2, isRange: true }, placeAt).places]).toEqual([41])
  })
})
