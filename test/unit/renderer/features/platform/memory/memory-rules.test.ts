import { describe, expect, it } from 'vitest'
import {
  namespacePrefix,
  readSession,
  recordKey,
  resolveNamespace,
} from '../../../../../../src/renderer/features/platform/memory/tab-parts'

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

  it('fills a strategy’s namespace for a session, and cuts it at other placeholders', () => {
    expect(resolveNamespace(strategy, session)).toBe('/strategies/s1/actors/ada/sessions/one')
    expect(resolveNamespace({ id: 's1', namespace: '/{colour}' }, session)).toBeUndefined()
    expect(namespacePrefix(strategy)).toBe('/strategies/s1/actors')
    expect(namespacePrefix({ id: 's1', namespaces: ['/facts'] })).toBe('/facts')
    expect(namespacePrefix({ id: 's1', namespace: '{actorId}/x' })).toBe('/')
    expect(namespacePrefix({ id: 's1' })).toBeUndefined()
  })
})

it('compared records are matched by identifier, or by all fields except the score', () => {
  expect(recordKey({ id: 7, content: 'x', score: 0.4 })).toBe('7')
  expect(recordKey({ content: 'x', score: 0.4 })).toBe(recordKey({ content: 'x', score: 0.9 }))
})
