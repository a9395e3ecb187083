import { describe, expect } from 'vitest'
import type { Json } from '../../../support'
import {
  dayMs,
  generate,
  type MemoryHarness,
  recordsPath,
  type SessionRef,
  startMemoryHarness,
  test,
} from '../memory-bench'

const buildFactsStrategy = (namespace: string) => ({
  longTermMemoryStrategies: [{ name: 'facts', type: 'SEMANTIC', namespace }],
})

async function addAndGenerateRecords(
  memory: MemoryHarness,
  session: SessionRef,
  sentences: readonly string[],
): Promise<Json> {
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
    const [{ id: longTermMemoryStrategyId }] = await memory.get(
      `/memories/${lanSession.id}/long-term-memory-strategies`,
    )
    const fullQuery: Readonly<Record<string, string>> = { actorId: 'lan', sessionId: 's1', longTermMemoryStrategyId }
    const attempt = async (query: Readonly<Record<string, string>>) => {
      const { status, body } = await memory.call('POST', recordsPath(lanSession.id, query, ':generate-from-session'))
      return [status, body.code, body.message]
    }
    for (const name of Object.keys(fullQuery)) {
      const { [name]: _, ...incompleteQuery } = fullQuery
      const invalidInput = (message: string) => [400, 'INVALID_INPUT', expect.stringContaining(message)]
      expect(await attempt(incompleteQuery)).toEqual(invalidInput(`"${name}" is required`))
      expect(await attempt({ ...incompleteQuery, [name]: '' })).toEqual(invalidInput(name))
      const notFound = [404, 'NOT_FOUND', expect.stringContaining('"x"')]
      expect(await attempt({ ...incompleteQuery, [name]: 'x' })).toEqual(notFound)
    }
    await memory.advance(dayMs)
    expect((await attempt(fullQuery))[0]).toBe(404)
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
    const longTermMemoryStrategies = Object.entries(spaces).map(([name, namespace]) => ({
      name,
      type: 'SUMMARY',
      namespace,
    }))
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
      expect([namespace, foundRecords.map((record) => record.namespace).toSorted()]).toEqual([
        namespace,
        [...expected].sort(),
      ])
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

  async function startFilledMemory(): Promise<{
    search: (body: object, namespace?: string) => Promise<Json>
    id: string
  }> {
    const memory = await startMemoryHarness()
    const { id } = await memory.create(buildFactsStrategy('/facts/{actorId}'))
    expect(await addAndGenerateRecords(memory, { id, actorId: 'an', sessionId: 's1' }, sentences)).toHaveLength(
      sentences.length,
    )
    await addAndGenerateRecords(memory, { id, actorId: 'binh', sessionId: 's1' }, ['I never eat peanuts.'])
    const search = async (body: object, namespace = '/facts/an') => {
      const response = await memory.call('POST', recordsPath(id, { namespace }, ':search'), body)
      expect(response.status).toBe(200)
      return response.body
    }
    return { search, id }
  }

  test.each([
    ['allergic to what', 'peanuts'],
    ['dị ứng hải sản', 'hải sản'],
    ['When is the flight?', 'Tokyo'],
    ['unpaid invoices', 'invoice'],
    ['con mèo', 'mèo'],
    ['deployment of the backend', 'deploy'],
  ])('finds for %j first a record with the same words', async (query, word) => {
    const { search } = await startFilledMemory()
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
    const { search } = await startFilledMemory()
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
