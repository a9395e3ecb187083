import { test as base, describe, expect } from 'vitest'
import { type Json, refusal, startHarness } from '../support'

const dayMs = 86_400_000
const hourMs = 3_600_000

/** The memory service over HTTP. Every helper expects success. */
type MemoryHarness = Awaited<ReturnType<typeof startMemoryHarness>>

interface SessionRef {
  readonly id: string
  readonly actorId: string
  readonly sessionId: string
}

const eventsPath = ({ id, actorId, sessionId }: SessionRef): string =>
  `/memories/${id}/actors/${encodeURIComponent(actorId)}/sessions/${encodeURIComponent(sessionId)}/events`

/** Path of the records of a memory, with a query. */
const recordsPath = (id: string, query: Readonly<Record<string, string>>, verb = ''): string =>
  `/memories/${id}/memory-records${verb}?${new URLSearchParams(query)}`

async function startMemoryHarness() {
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
const test = base.extend('memory', () => startMemoryHarness())

/** Generates records of a session and returns the new ones. */
async function generate({ call, get }: MemoryHarness, session: SessionRef, type: string): Promise<Json> {
  const strategies: Json[] = await get(`/memories/${session.id}/long-term-memory-strategies`)
  const { actorId, sessionId } = session
  const longTermMemoryStrategyId = strategies.find((strategy) => strategy.type === type).id
  const query = { actorId, sessionId, longTermMemoryStrategyId }
  const { status, body } = await call('POST', recordsPath(session.id, query, ':generate-from-session'))
  expect(status).toBe(body.length === 0 ? 200 : 201)
  return body
}

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('a new memory', () => {
  test('is returned with its status and counts, and is the same when read again', async ({
    memory: { harness, create, get, advance, say },
  }) => {
    const input = { name: 'support.chat_1-a', description: 'What customers say', eventExpiryDuration: 30 }
    const createdMemory = await create(input)
    expect(createdMemory).toEqual({
      ...input,
      id: expect.stringMatching(/^memory-/),
      status: 'CREATING',
      actorCount: 0,
      sessionCount: 0,
      eventCount: 0,
      recordCount: 0,
      createdAt: expect.stringMatching(timestampPattern),
      updatedAt: createdMemory.createdAt,
    })
    expect(await get(`/memories/${createdMemory.id}`)).toEqual(createdMemory)
    await say({ id: createdMemory.id, actorId: 'an', sessionId: 's1' }, 'usable at once')
    const { timing } = await harness.state()
    await advance(timing.asyncMs)
    expect(await get(`/memories/${createdMemory.id}`)).toMatchObject({ status: 'ACTIVE', eventCount: 1 })
  })

  test('keeps events for 90 days and has a strategy of each type by default', async ({ memory: { create, get } }) => {
    const { id, eventExpiryDuration } = await create()
    expect(eventExpiryDuration).toBe(90)
    const strategies = await get(`/memories/${id}/long-term-memory-strategies`)
    const actorNamespace = '/strategies/{strategyId}/actors/{actorId}'
    expect(strategies).toEqual([
      { id: expect.any(String), name: 'semantic', type: 'SEMANTIC', namespace: actorNamespace },
      { id: expect.any(String), name: 'summary', type: 'SUMMARY', namespace: `${actorNamespace}/sessions/{sessionId}` },
      { id: expect.any(String), name: 'user-preference', type: 'USER_PREFERENCE', namespace: actorNamespace },
    ])
    expect(new Set(strategies.map((strategy: { id: string }) => strategy.id)).size).toBe(3)
  })

  test('has the given strategies, none for an empty list', async ({ memory: { create, get } }) => {
    const strategyInput = { name: 'tastes', type: 'USER_PREFERENCE', namespace: '/tastes/{actorId}', model: 'small' }
    const longTermMemoryStrategies = [
      { ...strategyInput, id: 'mine' },
      { name: 'gist', type: 'SUMMARY' },
    ]
    const { id } = await create({ longTermMemoryStrategies })
    const [tastes, gist, ...rest] = await get(`/memories/${id}/long-term-memory-strategies`)
    expect(tastes).toEqual({ ...strategyInput, id: expect.stringMatching(/^strategy-/) })
    expect(gist.namespace).toBe('/strategies/{strategyId}/actors/{actorId}/sessions/{sessionId}')
    expect(rest).toEqual([])
    const memoryWithoutStrategies = await create({ longTermMemoryStrategies: [] })
    expect(await get(`/memories/${memoryWithoutStrategies.id}/long-term-memory-strategies`)).toEqual([])
  })
})

test('a deleted memory is gone with all its content, without affecting others', async ({
  memory: { call, create, get, say },
}) => {
  const [a, b] = [await create({ name: 'one' }), await create({ name: 'other' })]
  for (const { id } of [a, b]) await say({ id, actorId: 'an', sessionId: 's1' }, 'Hello')
  expect(await call('DELETE', `/memories/${a.id}`)).toEqual({ status: 204, body: undefined })
  expect((await call('GET', `/memories/${a.id}`)).status).toBe(404)
  expect((await call('GET', `/memories/${a.id}/actors`)).status).toBe(404)
  expect((await call('DELETE', `/memories/${a.id}`)).status).toBe(404)
  expect((await get('/memories')).listData).toMatchObject([{ id: b.id, eventCount: 1 }])
})

describe('a new event', () => {
  test('creates its actor and session and returns the caller’s fields', async ({ memory: { create, get, say } }) => {
    const session = { id: (await create()).id, actorId: 'an', sessionId: 's1' }
    const extraFields = { toolCallId: 'call-1', metadata: { lang: 'vi' } }
    const serverFields = { id: 'mine', actorId: 'other', sessionId: 'other', createdAt: 'now' }
    const event = await say(session, 'Xin chào', { ...extraFields, ...serverFields })
    expect(event).toEqual({
      ...extraFields,
      id: expect.stringMatching(/^event-/),
      actorId: 'an',
      sessionId: 's1',
      role: 'user',
      content: 'Xin chào',
      createdAt: expect.stringMatching(/Z$/),
    })
    expect((await get(eventsPath(session))).listData).toEqual([event])
    expect(await get(`/memories/${session.id}`)).toMatchObject({ actorCount: 1, sessionCount: 1, eventCount: 1 })
  })

  test.each(['a/b', '100%', '%2F', 'two words', 'Nguyễn Văn Ân', 'a:b', '+', '?#&=', '😀', '..x', 'x'.repeat(200)])(
    'may belong to actor and session %j, which are returned unchanged',
    async (name) => {
      const { create, get, say } = await startMemoryHarness()
      const session = { id: (await create()).id, actorId: name, sessionId: `${name.slice(0, 199)}1` }
      await say(session, 'Hello')
      const { id, actorId, sessionId } = session
      expect((await get(eventsPath(session))).listData).toMatchObject([{ actorId, sessionId }])
      const actors = await get(`/memories/${id}/actors`)
      expect(actors.listData).toMatchObject([{ actorId, sessions: [{ sessionId, eventCount: 1 }] }])
    },
  )
})

describe('the events of a session', () => {
  test('are complete after concurrent writes', async ({ memory: { create, get, say } }) => {
    const { id } = await create()
    const sessions = ['an', 'binh'].map((actorId) => ({ id, actorId, sessionId: 's1' }))
    const contents = Array.from({ length: 40 }, (_, index) => `Event ${index}`)
    await Promise.all(sessions.flatMap((session) => contents.map((content) => say(session, content))))
    for (const session of sessions) expect((await get(eventsPath(session))).totalItem).toBe(40)
    expect(await get(`/memories/${id}`)).toMatchObject({ actorCount: 2, eventCount: 80 })
  })

  test('are listed newest first, in pages from 1, only for this actor and session', async ({
    memory: { create, get, say },
  }) => {
    const session = { id: (await create()).id, actorId: 'an', sessionId: 's1' }
    for (const content of ['one', 'two', 'three']) await say(session, content)
    await say({ ...session, actorId: 'binh' }, 'the same session id of another actor')
    await say({ ...session, sessionId: 's2' }, 'another session')
    const page = await get(`${eventsPath(session)}?page=1&size=2`)
    expect(page).toMatchObject({ totalItem: 3, totalPage: 2, page: 1, size: 2 })
    expect(page.listData.map(({ content }: { content: string }) => content)).toEqual(['three', 'two'])
    expect((await get(`${eventsPath(session)}?page=2&size=2`)).listData).toMatchObject([{ content: 'one' }])
  })
})

test('an expired event is removed from lists and counts, with its session when that is empty', async ({
  memory: { advance, create, get, say },
}) => {
  const shortMemory = await create({ eventExpiryDuration: 1 })
  const longMemory = await create({ eventExpiryDuration: 365 })
  const sessions = [shortMemory, longMemory].map(({ id }) => ({ id, actorId: 'an', sessionId: 's1' }))
  const expectCounts = async (memory: Json, [actorCount, sessionCount, eventCount]: readonly number[]) =>
    expect(await get(`/memories/${memory.id}`)).toMatchObject({ actorCount, sessionCount, eventCount })
  for (const session of sessions) {
    await say(session, 'first')
    await say({ ...session, actorId: 'binh' }, 'only')
  }
  await advance(dayMs - hourMs)
  for (const session of sessions) await say(session, 'second')
  await expectCounts(shortMemory, [2, 2, 3])
  await advance(hourMs)
  await expectCounts(shortMemory, [1, 1, 1])
  const { id } = shortMemory
  expect((await get(`/memories/${id}/actors`)).listData).toMatchObject([{ actorId: 'an', eventCount: 1 }])
  const readEvents = (actorId: string) => get(eventsPath({ id, actorId, sessionId: 's1' }))
  expect(await readEvents('an')).toMatchObject({ listData: [{ content: 'second' }], totalItem: 1 })
  expect((await readEvents('binh')).totalItem).toBe(0)
  await expectCounts(longMemory, [2, 2, 3])
  await advance(365 * dayMs)
  await expectCounts(longMemory, [0, 0, 0])
})

const buildFactsStrategy = (namespace: string) => ({
  longTermMemoryStrategies: [{ name: 'facts', type: 'SEMANTIC', namespace }],
})

async function addAndGenerateRecords(memory: MemoryHarness, session: SessionRef, sentences: readonly string[]) {
  for (const sentence of sentences) await memory.say(session, sentence)
  return generate(memory, session, 'SEMANTIC')
}

describe('records generated from a session', () => {
  const createSession = async (memory: MemoryHarness, memoryFields: object = {}): Promise<SessionRef> => ({
    id: (await memory.create(memoryFields)).id,
    actorId: 'lan',
    sessionId: 's1',
  })

  test('contain the facts of the user, with their source', async ({ memory }) => {
    const lanSession = await createSession(memory)
    await memory.say(lanSession, 'Hello! I live in Da Nang with two cats. Can you recommend a vet?')
    await memory.say(lanSession, 'There are three clinics in your district.', { role: 'assistant' })
    const newRecords = await generate(memory, lanSession, 'SEMANTIC')
    const [strategy] = await memory.get(`/memories/${lanSession.id}/long-term-memory-strategies`)
    expect(newRecords).toEqual([
      {
        id: expect.stringMatching(/^record-/),
        namespace: `/strategies/${strategy.id}/actors/lan`,
        content: 'I live in Da Nang with two cats.',
        longTermMemoryStrategyId: strategy.id,
        actorId: 'lan',
        sessionId: 's1',
        createdAt: expect.stringMatching(/Z$/),
      },
    ])
    expect(await memory.get(recordsPath(lanSession.id, { namespace: '/' }))).toEqual(newRecords)
    expect((await memory.get(`/memories/${lanSession.id}`)).recordCount).toBe(1)
  })

  test.each(['SEMANTIC', 'SUMMARY', 'USER_PREFERENCE'])('of type %s are not duplicated', async (type) => {
    const memory = await startMemoryHarness()
    const lanSession = await createSession(memory)
    await memory.say(lanSession, 'I prefer green tea. I prefer green tea.')
    const firstRecords = await generate(memory, lanSession, type)
    expect(firstRecords).toHaveLength(1)
    expect(await generate(memory, lanSession, type)).toEqual([])
    await memory.say(lanSession, 'I prefer quiet rooms.')
    expect(await generate(memory, lanSession, type)).toHaveLength(1)
    expect((await memory.get(`/memories/${lanSession.id}`)).recordCount).toBe(2)
    const otherSession = { ...lanSession, sessionId: 's2' }
    await memory.say(otherSession, 'I prefer green tea.')
    expect(await generate(memory, otherSession, type)).toHaveLength(1)
  })

  test('require the three parameters, an existing strategy and an existing session', async ({ memory }) => {
    const lanSession = await createSession(memory, { eventExpiryDuration: 1 })
    await memory.say(lanSession, 'I live in Hue now.')
    const [strategy] = await memory.get(`/memories/${lanSession.id}/long-term-memory-strategies`)
    const fullQuery: Record<string, string> = { actorId: 'lan', sessionId: 's1', longTermMemoryStrategyId: strategy.id }
    const attempt = (query: Readonly<Record<string, string>>) =>
      memory.call('POST', recordsPath(lanSession.id, query, ':generate-from-session'))
    for (const name of Object.keys(fullQuery)) {
      const { [name]: _, ...incompleteQuery } = fullQuery
      expect(await attempt(incompleteQuery)).toEqual(refusal(400, 'INVALID_INPUT', `"${name}" is required`))
      expect(await attempt({ ...incompleteQuery, [name]: '' })).toEqual(refusal(400, 'INVALID_INPUT', name))
      expect(await attempt({ ...incompleteQuery, [name]: 'x' })).toEqual(refusal(404, 'NOT_FOUND', '"x"'))
    }
    await memory.advance(dayMs)
    expect((await attempt(fullQuery)).status).toBe(404)
  })
})

describe('browsing records', () => {
  const spaces = {
    org: '/org',
    sales: '/org/sales',
    trailing: '/org/sales/north/',
    similar: '/org/sales-east',
    bare: 'loose',
    encoded: '/100%/a b/Hà Nội',
  }

  async function startFilledMemory(): Promise<{ memory: MemoryHarness; id: string }> {
    const memory = await startMemoryHarness()
    const type = 'SUMMARY'
    const longTermMemoryStrategies = Object.entries(spaces).map(([name, namespace]) => ({ name, type, namespace }))
    const { id } = await memory.create({ longTermMemoryStrategies })
    await memory.say({ id, actorId: 'an', sessionId: 's1' }, 'Hello there')
    for (const strategy of await memory.get(`/memories/${id}/long-term-memory-strategies`)) {
      const query = { actorId: 'an', sessionId: 's1', longTermMemoryStrategyId: strategy.id }
      await memory.call('POST', recordsPath(id, query, ':generate-from-session'))
    }
    return { memory, id }
  }

  test('finds those of a namespace and its children', async () => {
    const { memory, id } = await startFilledMemory()
    const { org, sales, trailing, similar, bare, encoded } = spaces
    const namespaceCases: readonly (readonly [string, readonly string[]])[] = [
      ['/', Object.values(spaces)],
      ['/org', [org, sales, trailing, similar]],
      ['/org/', [org, sales, trailing, similar]],
      ['/org/sales', [sales, trailing]],
      ['/org/sales//', [sales, trailing]],
      ['/org/sales/north', [trailing]],
      ['/org/sal', []],
      ['org', []],
      ['loose', [bare]],
      ['/100%', [encoded]],
      ['/100%/a b', [encoded]],
      ['/100%/a b/Hà Nội', [encoded]],
      ['/100%/a+b', []],
      ['/100%25', []],
    ]
    for (const [namespace, expected] of namespaceCases) {
      const path = `/memories/${id}/memory-records?namespace=${encodeURIComponent(namespace)}`
      const foundRecords: { namespace: string }[] = await memory.get(path)
      expect(foundRecords.map((record) => record.namespace).toSorted(), namespace).toEqual(expected.toSorted())
    }
  })

  test('returns actors and sessions with a /, a %, spaces and Vietnamese unchanged', async ({ memory }) => {
    const { id } = await memory.create(buildFactsStrategy('/{actorId}/{sessionId}/{other}'))
    const session = { id, actorId: 'Nguyễn Ân/100%', sessionId: '{actorId} $& b' }
    const newRecords = await addAndGenerateRecords(memory, session, ['I work from home.'])
    const namespace = '/Nguyễn Ân/100%/{actorId} $& b/{other}'
    expect(newRecords).toMatchObject([{ namespace, actorId: session.actorId, sessionId: session.sessionId }])
    for (const namespacePrefix of [namespace, '/Nguyễn Ân', '/Nguyễn Ân/100%/']) {
      expect(await memory.get(recordsPath(id, { namespace: namespacePrefix }))).toEqual(newRecords)
    }
  })
})

describe('semantic search', () => {
  const sentences = [
    'I am allergic to peanuts and shrimp.',
    'My flight to Tokyo leaves on Friday morning.',
    'The invoice for March is still unpaid.',
    'Our database runs on a server in Singapore.',
    'My daughter turns seven in June.',
    'I play the guitar in a jazz band.',
    'We deploy the backend every Tuesday.',
    'Tôi bị dị ứng với hải sản.',
    'Chuyến bay của tôi đi Đà Nẵng lúc 8 giờ sáng.',
    'Hóa đơn tháng ba chưa được thanh toán.',
    'Con mèo của tôi tên là Mướp.',
    'Gia đình tôi chuyển nhà đến Huế vào tháng sau.',
  ]

  async function startFilledMemory() {
    const memory = await startMemoryHarness()
    const { id } = await memory.create(buildFactsStrategy('/facts/{actorId}'))
    const records = await addAndGenerateRecords(memory, { id, actorId: 'an', sessionId: 's1' }, sentences)
    expect(records).toHaveLength(sentences.length)
    await addAndGenerateRecords(memory, { id, actorId: 'binh', sessionId: 's1' }, ['I never eat peanuts.'])
    return async (body: object, namespace = '/facts/an'): Promise<Json> => {
      const response = await memory.call('POST', recordsPath(id, { namespace }, ':search'), body)
      expect(response.status).toBe(200)
      return response.body
    }
  }

  test.each([
    ['allergic to what', 'peanuts'],
    ['dị ứng hải sản', 'hải sản'],
    ['When is the flight?', 'Tokyo'],
    ['unpaid invoices', 'invoice'],
    ['con mèo', 'mèo'],
    ['deployment of the backend', 'deploy'],
  ])('finds for %j first a record with the same words', async (query, word) => {
    const search = await startFilledMemory()
    const matches: { content: string; score: number }[] = await search({ query })
    expect(matches[0]?.content).toContain(word)
    const scores = matches.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    for (const score of scores) {
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
      expect(Number(score.toFixed(4))).toBe(score)
    }
  })

  test('returns complete records with their score, 1 for the same words, ten by default', async () => {
    const search = await startFilledMemory()
    const matches = await search({ query: sentences[0] })
    expect(matches).toHaveLength(10)
    expect(matches[0]).toEqual({
      id: expect.stringMatching(/^record-/),
      namespace: '/facts/an',
      content: sentences[0],
      longTermMemoryStrategyId: expect.any(String),
      actorId: 'an',
      sessionId: 's1',
      createdAt: expect.any(String),
      score: 1,
    })
    expect(await search({ query: 'x', limit: 5 })).toHaveLength(5)
    expect(await search({ query: 'x', limit: 200 })).toHaveLength(sentences.length)
    expect(await search({ query: 'peanuts', limit: 200 }, '/facts')).toHaveLength(sentences.length + 1)
    expect(await search({ query: 'peanuts' }, '/facts/binh/')).toHaveLength(1)
    expect(await search({ query: 'peanuts' }, '/elsewhere')).toEqual([])
  })
})
