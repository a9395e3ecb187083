import type { Memory, MemoryEvent, Session } from '../../../../../src/sandbox/state/world'
import { createRows, createWorldWith, describePages, rowTimestamps } from '../table-suite'

const nowIso = new Date().toISOString()

const memory = (n: number, sessions: readonly Session[] = []): Memory => ({
  id: `memory-${n}`,
  name: 'notes',
  eventExpiryDuration: 365,
  readyAt: rowTimestamps.createdAt,
  strategies: [],
  sessions,
  records: [],
  ...rowTimestamps,
})

const event = (n: number): MemoryEvent => ({ id: `event-${n}`, role: 'user', content: 'Hello', createdAt: nowIso })

const session = (actorId: string, count: number): Session => ({
  actorId,
  sessionId: 's1',
  events: createRows(count, event),
})

describePages({
  path: '/memory/memories',
  firstPage: 1,
  total: 123,
  key: 'id',
  begin: createWorldWith({ memory: { memories: createRows(123, (n) => memory(n)) } }),
})

describePages({
  path: '/memory/memories/memory-1/actors',
  firstPage: 1,
  total: 23,
  key: 'actorId',
  begin: createWorldWith({
    memory: {
      memories: [
        memory(
          1,
          createRows(23, (n) => session(`actor-${n}`, 1)),
        ),
      ],
    },
  }),
})

describePages({
  path: '/memory/memories/memory-1/actors/an/sessions/s1/events',
  firstPage: 1,
  total: 123,
  key: 'id',
  begin: createWorldWith({ memory: { memories: [memory(1, [session('an', 123)])] } }),
})
