import { expect } from 'vitest'
import { type Bench, type Json, startBench } from '../../support'

export const dayMs = 86_400_000

/** The memory service over HTTP. Every helper expects success. */
export interface MemoryBench {
  readonly bench: Bench
  readonly create: (body?: object) => Promise<Json>
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Json }>
  readonly get: (path: string) => Promise<Json>
  /** Advances the sandbox's clock and renews the token, which may have expired. */
  readonly advance: (advanceMs: number) => Promise<void>
  /** Adds an event to an actor's session. Ids are encoded here. */
  readonly say: (place: Place, content: string, rest?: object) => Promise<Json>
}

export interface Place {
  readonly id: string
  readonly actorId: string
  readonly sessionId: string
}

export const eventsPath = ({ id, actorId, sessionId }: Place): string =>
  `/memories/${id}/actors/${encodeURIComponent(actorId)}/sessions/${encodeURIComponent(sessionId)}/events`

/** A path of the records with a query. Undefined omits a parameter. */
export const recordsPath = (id: string, query: Readonly<Record<string, string>>, verb = ''): string =>
  `/memories/${id}/memory-records${verb}?${new URLSearchParams(query)}`

export async function startMemoryBench(options: Parameters<typeof startBench>[0] = {}): Promise<MemoryBench> {
  const bench = await startBench(options)
  let renewed: string | undefined
  const call: MemoryBench['call'] = (method, path, body) =>
    bench.api(method, `/memory${path}`, {
      ...(renewed === undefined ? {} : { token: renewed }),
      ...(body === undefined ? {} : { body }),
    })
  const expecting = async (status: number, answer: Promise<{ status: number; body: Json }>) => {
    const { status: actual, body } = await answer
    expect(actual, JSON.stringify(body)).toBe(status)
    return body
  }
  return {
    bench,
    call,
    create: (body = {}) => expecting(201, call('POST', '/memories', { name: 'notes', ...body })),
    get: (path) => expecting(200, call('GET', path)),
    advance: async (advanceMs) => {
      expect((await bench.control('clock', { advanceMs })).status).toBe(200)
      renewed = await bench.token()
    },
    say: (place, content, rest = {}) => expecting(201, call('POST', eventsPath(place), { content, ...rest })),
  }
}

/** Generates records of a session and returns the new ones. */
export async function generate({ call, get }: MemoryBench, place: Place, type: string): Promise<Json> {
  const strategies: Json[] = await get(`/memories/${place.id}/long-term-memory-strategies`)
  const { actorId, sessionId } = place
  const longTermMemoryStrategyId = strategies.find((strategy) => strategy.type === type).id
  const query = { actorId, sessionId, longTermMemoryStrategyId }
  const { status, body } = await call('POST', recordsPath(place.id, query, ':generate-from-session'))
  expect(status).toBe(body.length === 0 ? 200 : 201)
  return body
}
