import { test as base, expect } from 'vitest'
import { type Json, startHarness } from '../../support'

export const dayMs = 86_400_000

/** The memory service over HTTP. Every helper expects success. */
export type MemoryHarness = Awaited<ReturnType<typeof startMemoryHarness>>

export interface SessionRef {
  readonly id: string
  readonly actorId: string
  readonly sessionId: string
}

export const eventsPath = ({ id, actorId, sessionId }: SessionRef): string =>
  `/memories/${id}/actors/${encodeURIComponent(actorId)}/sessions/${encodeURIComponent(sessionId)}/events`

/** Path of the records of a memory, with a query. */
export const recordsPath = (id: string, query: Readonly<Record<string, string>>, verb = ''): string =>
  `/memories/${id}/memory-records${verb}?${new URLSearchParams(query)}`

export async function startMemoryHarness() {
  const harness = await startHarness()
  const call = (method: string, path: string, body?: unknown) => harness.api(method, `/memory${path}`, { body })
  const expectStatus = async (status: number, answer: Promise<{ status: number; body: Json }>) => {
    const { status: actual, body } = await answer
    expect(actual, JSON.stringify(body)).toBe(status)
    return body
  }
  return {
    harness,
    call,
    create: (body: object = {}) => expectStatus(201, call('POST', '/memories', { name: 'notes', ...body })),
    get: (path: string) => expectStatus(200, call('GET', path)),
    /** Advances the sandbox's clock. */
    advance: async (advanceMs: number) => {
      expect((await harness.control('clock', { advanceMs })).status).toBe(200)
    },
    /** Adds an event to an actor's session. Ids are encoded here. */
    say: (session: SessionRef, content: string, extraFields: object = {}) =>
      expectStatus(201, call('POST', eventsPath(session), { content, ...extraFields })),
  }
}

/** A test that gets a memory service. */
export const test = base.extend('memory', () => startMemoryHarness())

/** Generates records of a session and returns the new ones. */
export async function generate({ call, get }: MemoryHarness, session: SessionRef, type: string): Promise<Json> {
  const strategies: Json[] = await get(`/memories/${session.id}/long-term-memory-strategies`)
  const { actorId, sessionId } = session
  const longTermMemoryStrategyId = strategies.find((strategy) => strategy.type === type).id
  const query = { actorId, sessionId, longTermMemoryStrategyId }
  const { status, body } = await call('POST', recordsPath(session.id, query, ':generate-from-session'))
  expect(status).toBe(body.length === 0 ? 200 : 201)
  return body
}
