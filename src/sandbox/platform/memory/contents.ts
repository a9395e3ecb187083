import type { Memory, MemoryEvent, MemoryRecord, Session } from '../../state/memory-state'
import type { World } from '../../state/world'

const dayMs = 86_400_000

/** Names one session: its id counts within its actor only. */
export interface SessionKey {
  readonly actorId: string
  readonly sessionId: string
}

/** How much a memory holds. */
export interface Counts {
  readonly actorCount: number
  readonly sessionCount: number
  readonly eventCount: number
  readonly recordCount: number
}

const isSession =
  ({ actorId, sessionId }: SessionKey) =>
  (session: Session): boolean =>
    session.sessionId === sessionId && session.actorId === actorId

function withoutExpired(session: Session, sinceMs: number): Session {
  const firstLive = session.events.findIndex(({ createdAt }) => Date.parse(createdAt) >= sinceMs)
  return firstLive === 0 ? session : { ...session, events: firstLive < 0 ? [] : session.events.slice(firstLive) }
}

/** The sessions without their expired events (spec, "Limits"); one that has no event left is gone. */
export function liveSessions({ sessions, eventExpiryDuration }: Memory, nowMs: number): readonly Session[] {
  const sinceMs = nowMs - eventExpiryDuration * dayMs
  return sessions.map((session) => withoutExpired(session, sinceMs)).filter(({ events }) => events.length > 0)
}

/** One session with its live events, or `undefined`. */
export const findSession = (memory: Memory, key: SessionKey, nowMs: number): Session | undefined =>
  liveSessions(memory, nowMs).find(isSession(key))

/** How much is there at this moment. */
export function countContents(memory: Memory, nowMs: number): Counts {
  const sessions = liveSessions(memory, nowMs)
  return {
    actorCount: new Set(sessions.map(({ actorId }) => actorId)).size,
    sessionCount: sessions.length,
    eventCount: sessions.reduce((sum, { events }) => sum + events.length, 0),
    recordCount: memory.records.length,
  }
}

const changed = (memory: Memory, change: Partial<Pick<Memory, 'sessions' | 'records'>>, nowMs: number): Memory => ({
  ...memory,
  sessions: liveSessions(memory, nowMs),
  ...change,
  updatedAt: new Date(nowMs).toISOString(),
})

/** Adds an event to a session, which comes into being with its first. All other sessions stay the same objects. */
export function appendEvent(memory: Memory, key: SessionKey, event: MemoryEvent): Memory {
  const nowMs = Date.parse(event.createdAt)
  const sessions = liveSessions(memory, nowMs)
  const index = sessions.findIndex(isSession(key))
  const session: Session = { ...key, events: [...(sessions[index]?.events ?? []), event] }
  return changed(memory, { sessions: index < 0 ? [...sessions, session] : sessions.with(index, session) }, nowMs)
}

/** Adds records, which are newer than those that are there. */
export const appendRecords = (memory: Memory, records: readonly MemoryRecord[], nowMs: number): Memory =>
  changed(memory, { records: [...memory.records, ...records] }, nowMs)

/** The world with another list of memories. */
export const withMemories = (world: World, memories: readonly Memory[]): World => ({ ...world, memory: { memories } })

/** The world with one memory replaced by its next state. */
export const withMemory = (world: World, next: Memory): World =>
  withMemories(
    world,
    world.memory.memories.map((memory) => (memory.id === next.id ? next : memory)),
  )
