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
const toIso = (day: number): string => new Date(startMs + day * dayMs).toISOString()

const event = (day: number): MemoryEvent => ({ id: `event-${day}`, role: 'user', content: 'x', createdAt: toIso(day) })
const session = (sessionId: string, days: readonly number[]): Session => ({
  actorId: 'an',
  sessionId,
  events: days.map(event),
})

const memory = (sessions: readonly Session[]): Memory => ({
  id: 'memory-1',
  name: 'notes',
  eventExpiryDuration: 10,
  readyAt: toIso(0),
  createdAt: toIso(0),
  updatedAt: toIso(0),
  strategies: [],
  records: [],
  sessions,
})

describe('appending an event', () => {
  test('replaces only its session and shares the rest', () => {
    const memoryBefore = memory([session('s1', [1, 2]), session('s2', [3]), session('s3', [4])])
    const memoryAfter = appendEvent(memoryBefore, { actorId: 'an', sessionId: 's2' }, event(5))
    expect(memoryAfter.sessions.map((item, index) => item === memoryBefore.sessions[index])).toEqual([
      true,
      false,
      true,
    ])
    expect(memoryAfter.sessions[1]?.events.map(({ id }) => id)).toEqual(['event-3', 'event-5'])
    expect(memoryAfter.records).toBe(memoryBefore.records)
    expect(memoryAfter.strategies).toBe(memoryBefore.strategies)
    expect(memoryAfter.updatedAt).toBe(toIso(5))
    expect(memoryBefore.sessions[1]?.events).toHaveLength(1)
  })

  test('drops expired events of the whole memory', () => {
    const memoryBefore = memory([session('s1', [0]), session('s2', [0, 8]), session('s3', [9])])
    const memoryAfter = appendEvent(memoryBefore, { actorId: 'an', sessionId: 's4' }, event(12))
    expect(memoryAfter.sessions.map(({ sessionId, events }) => [sessionId, events.length])).toEqual([
      ['s2', 1],
      ['s3', 1],
      ['s4', 1],
    ])
    expect(memoryAfter.sessions[1]).toBe(memoryBefore.sessions[2])
    expect(appendRecords(memoryBefore, [], startMs + 12 * dayMs).sessions).toHaveLength(2)
  })
})

test('an event lives for its memory’s retention period', () => {
  const sessions = [session('s1', [0])]
  const key = { actorId: 'an', sessionId: 's1' }
  expect(findSession(memory(sessions), key, startMs + 10 * dayMs)).toBe(sessions[0])
  expect(findSession(memory(sessions), key, startMs + 10 * dayMs + 1)).toBeUndefined()
  expect(liveSessions(memory(sessions), startMs + 10 * dayMs + 1)).toEqual([])
})
