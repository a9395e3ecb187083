import { z } from 'zod'
import { amount, instant, row } from './parts'

/** What a strategy makes of a session: facts, one summary, or what the user prefers. */
export const StrategyType = z.enum(['SEMANTIC', 'SUMMARY', 'USER_PREFERENCE'])
export type StrategyType = z.infer<typeof StrategyType>

/** How records are made from a session. `namespace` may hold `{strategyId}`, `{actorId}` and `{sessionId}`. */
export const Strategy = z
  .looseObject({ id: z.string(), name: z.string(), type: StrategyType, namespace: z.string() })
  .readonly()
export type Strategy = z.infer<typeof Strategy>

/** A stored record of a session ("Memory events are stored records of a session, not notifications"). */
export const MemoryEvent = z
  .looseObject({ id: z.string(), role: z.string(), content: z.string(), createdAt: instant })
  .readonly()
export type MemoryEvent = z.infer<typeof MemoryEvent>

/** The events of one session of one actor, oldest first. The same session id of another actor is another session. */
export const Session = z
  .strictObject({ actorId: z.string(), sessionId: z.string(), events: z.array(MemoryEvent).readonly() })
  .readonly()
export type Session = z.infer<typeof Session>

/** A long-term memory record, made by a strategy from a session. */
export const MemoryRecord = z
  .strictObject({
    id: z.string(),
    namespace: z.string(),
    content: z.string(),
    longTermMemoryStrategyId: z.string(),
    actorId: z.string(),
    sessionId: z.string(),
    createdAt: instant,
  })
  .readonly()
export type MemoryRecord = z.infer<typeof MemoryRecord>

/** A memory, `CREATING` until `readyAt`; events older than `eventExpiryDuration` days are gone. */
export const Memory = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    eventExpiryDuration: amount,
    readyAt: instant,
    strategies: z.array(Strategy).readonly(),
    sessions: z.array(Session).readonly(),
    records: z.array(MemoryRecord).readonly(),
    ...row,
  })
  .readonly()
export type Memory = z.infer<typeof Memory>

/** The memory service's part of the world. */
export const MemoryState = z.strictObject({ memories: z.array(Memory).readonly() }).readonly()
export type MemoryState = z.infer<typeof MemoryState>
