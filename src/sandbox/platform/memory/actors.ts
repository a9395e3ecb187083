import type { Session } from '../../state/memory-state'
import type { Call, Reply } from '../operation'
import { listPaging, pageOf } from '../paging'
import { liveSessions } from './contents'
import { memoryOf } from './memories'

interface SessionView {
  readonly sessionId: string
  readonly eventCount: number
  readonly lastEventAt: string
}

const viewSession = ({ sessionId, events }: Session): SessionView => ({
  sessionId,
  eventCount: events.length,
  lastEventAt: events.at(-1)?.createdAt ?? '',
})

const newestFirst = (a: { lastEventAt: string }, b: { lastEventAt: string }): number =>
  Date.parse(b.lastEventAt) - Date.parse(a.lastEventAt)

function viewActor([actorId, own]: readonly [string, readonly Session[]]) {
  const sessions = own.map(viewSession).toSorted(newestFirst)
  return {
    actorId,
    sessionCount: sessions.length,
    eventCount: sessions.reduce((sum, { eventCount }) => sum + eventCount, 0),
    lastEventAt: sessions[0]?.lastEventAt ?? '',
    sessions,
  }
}

function byActor(sessions: readonly Session[]): ReadonlyMap<string, readonly Session[]> {
  const actors = new Map<string, Session[]>()
  for (const session of sessions) {
    const own = actors.get(session.actorId)
    if (own) own.push(session)
    else actors.set(session.actorId, [session])
  }
  return actors
}

/** A page of the actors with their sessions, the most recent first (ours: no other operation lists sessions). */
export function listActors(call: Call): Reply {
  const actors = [...byActor(liveSessions(memoryOf(call), call.store.nowMs()))].map(viewActor).toSorted(newestFirst)
  return pageOf({ query: call.query, paging: listPaging }, actors, (actor) => actor)
}
