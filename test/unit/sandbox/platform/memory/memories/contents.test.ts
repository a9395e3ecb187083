import { describe, expect, test } from 'vitest'
import {
  appendEvent,
  appendRecords,
  findSession,
  liveSessions,
} from '../../../../../../src/sandbox/platform/memory/memories'
import type { Memory, MemoryEvent, Session } from '../../../../../../src/sandbox/state/world'

const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)
const at = (day: number): string => new Date(startMs + day * dayMs).toISOString()

const event = (day: number): MemoryEvent => ({ id: `event-${day}`, role: 'user', content: 'x', createdAt: at(day) })
const session = (sessionId: string, days: readonly number[]): Session => ({
  actorId: 'an',
  sessionId,
  events: days.map(event),
})

const memory = (sessions: readonly Session[]): Memory => ({
  id: 'memory-1',
  name: 'notes',
  eventExpiryDuration: 10,
  readyAt: at(0),
  createdAt: at(0),
  updatedAt: at(0),
  strategies: [],
  records: [],
  sessions,
})

describe('appending an event', () => {
  test('replaces only its session and shares the rest', () => {
    const before = memory([session('s1', [1, 2]), session('s2', [3]), session('s3', [4])])
    const after = appendEvent(before, { actorId: 'an', sessionId: 's2' }, event(5))
    expect(after.sessions.map((item, index) => item === before.sessions[index])).toEqual([true, false, true])
    expect(after.sessions[1]?.events.map(({ id }) => id)).toEqual(['event-3', 'event-5'])
    expect(after.records).toBe(before.records)
    expect(after.strategies).toBe(before.strategies)
    expect(after.updatedAt).toBe(at(5))
    expect(before.sessions[1]?.events).toHaveLength(1)
  })

  test('drops expired events of the whole memory', () => {
    const before = memory([session('s1', [0]), session('s2', [0, 8]), session('s3', [9])])
    const after = appendEvent(before, { actorId: 'an', sessionId: 's4' }, event(12))
    expect(after.sessions.map(({ sessionId, events }) => [sessionId, events.length])).toEqual([
      ['s2', 1],
      ['s3', 1],
      ['s4', 1],
    ])
    expect(after.sessions[1]).toBe(before.sessions[2])
    expect(appendRecords(before, [], startMs + 12 * dayMs).sessions).toHaveLength(2)
  })
})

test('an event lives for its memory’s retention period', () => {
  const sessions = [session('s1', [0])]
  const key = { actorId: 'an', sessionId: 's1' }
  expect(findSession(memory(sessions), key, startMs + 10 * dayMs)).toBe(sessions[0])
  expect(findSession(memory(sessions), key, startMs + 10 * dayMs + 1)).toBeUndefined()
  expect(liveSessions(memory(sessions), startMs + 10 * dayMs + 1)).toEqual([])
})
