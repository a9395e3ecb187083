import { describe, expect } from 'vitest'
import { memory as service } from '../../../../../src/sandbox/platform/memory/service'
import { startMemoryHarness, test } from './memory-bench'

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const paths = service.operations.map(({ id, method, path }) => ({ id, method, path: path.replace(/\{\w+\}/g, 'x') }))

test.each(paths.filter(({ path }) => path !== '/memories'))(
  'every operation on a memory: $id returns 404 for a missing one, before other errors',
  async ({ method, path }) => {
    const { call } = await startMemoryHarness()
    const { status, body } = await call(method, path, method === 'POST' ? {} : undefined)
    expect([status, body]).toEqual([404, { code: 'NOT_FOUND', message: expect.stringContaining('"x"') }])
  },
)

describe('a new memory', () => {
  test('is returned with its status and counts, and is the same when read again', async ({
    memory: { harness, create, get, advance, say },
  }) => {
    const createdMemory = await create({
      name: 'support.chat_1-a',
      description: 'What customers say',
      eventExpiryDuration: 30,
    })
    expect(createdMemory).toEqual({
      id: expect.stringMatching(/^memory-/),
      name: 'support.chat_1-a',
      description: 'What customers say',
      eventExpiryDuration: 30,
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
    const strategyInput = {
      id: 'mine',
      name: 'tastes',
      type: 'USER_PREFERENCE',
      namespace: '/tastes/{actorId}',
      model: 'small',
    }
    const { id } = await create({ longTermMemoryStrategies: [strategyInput, { name: 'gist', type: 'SUMMARY' }] })
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
