import { describe, expect, test } from 'vitest'
import { memory as service } from '../../../../../src/sandbox/platform/memory/service'
import { describeTable } from '../table-suite'
import { startMemoryHarness } from './memory-bench'

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describeTable('memory', service)

describe('every operation on a memory', () => {
  const paths = service.operations.map(({ id, method, path }) => ({ id, method, path: path.replace(/\{\w+\}/g, 'x') }))

  test.each(paths.filter(({ path }) => path !== '/memories'))(
    '$id returns 404 for a missing one, before other errors',
    async ({ method, path }) => {
      const { call } = await startMemoryHarness()
      const { status, body } = await call(method, path, method === 'POST' ? {} : undefined)
      expect([status, body]).toEqual([404, { code: 'NOT_FOUND', message: expect.stringContaining('"x"') }])
    },
  )
})

describe('a new memory', () => {
  test('is returned with its status and counts, and is the same when read again', async () => {
    const { harness, create, get, advance, say } = await startMemoryHarness()
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

  test('keeps events for 90 days and has a strategy of each type by default', async () => {
    const { create, get } = await startMemoryHarness()
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

  test('has the given strategies, none for an empty list', async () => {
    const { create, get } = await startMemoryHarness()
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

  test('returns the caller’s fields, and ignores server-owned ones', async () => {
    const { create, get } = await startMemoryHarness()
    const extraFields = { owner: 'team-a', labels: { tier: ['gold'] }, maxItems: 5 }
    const serverFields = { id: 'mine', status: 'GONE', readyAt: 1, createdAt: 'now', updatedAt: 'now', eventCount: 7 }
    const createdMemory = await create({
      ...extraFields,
      ...serverFields,
      sessions: 'x',
      records: [1],
      strategies: {},
      recordCount: 1,
    })
    expect(createdMemory).toMatchObject({ ...extraFields, status: 'CREATING', eventCount: 0, recordCount: 0 })
    for (const name of ['sessions', 'records', 'strategies', 'readyAt', 'longTermMemoryStrategies']) {
      expect(createdMemory).not.toHaveProperty(name)
    }
    expect(createdMemory.id).not.toBe('mine')
    expect(createdMemory.createdAt).toMatch(timestampPattern)
    expect(await get(`/memories/${createdMemory.id}`)).toEqual(createdMemory)
  })

  test.each(['', 'a', 'A-Z_0.9', '.', 'x'.repeat(50)])('accepts the name %j', async (name) => {
    const { create } = await startMemoryHarness()
    expect((await create({ name })).name).toBe(name)
  })

  test.each(['x'.repeat(51), 'a b', 'a/b', 'tên', 'a\n', '😀'])('refuses the name %j', async (name) => {
    const { call, get } = await startMemoryHarness()
    const { status, body } = await call('POST', '/memories', { name })
    expect([status, body]).toEqual([400, { code: 'INVALID_NAME', message: expect.stringMatching(/^name: .*50/) }])
    expect((await get('/memories')).totalItem).toBe(0)
  })

  test.each([1, 365])('accepts a retention of %d days', async (eventExpiryDuration) => {
    const { create } = await startMemoryHarness()
    expect((await create({ eventExpiryDuration })).eventExpiryDuration).toBe(eventExpiryDuration)
  })

  const strategy = { name: 'facts', type: 'SEMANTIC' }
  test.each([
    [{ eventExpiryDuration: 0 }, /^eventExpiryDuration: .*1 to 365/],
    [{ eventExpiryDuration: 366 }, /^eventExpiryDuration: .*1 to 365/],
    [{ eventExpiryDuration: 1.5 }, /^eventExpiryDuration: .*1 to 365/],
    [{ eventExpiryDuration: '30' }, /^eventExpiryDuration: .*1 to 365/],
    [{ eventExpiryDuration: null }, /^eventExpiryDuration: .*1 to 365/],
    [{ name: undefined }, /^name: must be a text/],
    [{ name: 5 }, /^name: must be a text/],
    [{ description: {} }, /^description: must be a text/],
    [{ longTermMemoryStrategies: {} }, /^longTermMemoryStrategies: must be a list/],
    [{ longTermMemoryStrategies: ['SUMMARY'] }, /^longTermMemoryStrategies\.0: must be a JSON object/],
    [{ longTermMemoryStrategies: [{ ...strategy, name: '' }] }, /^longTermMemoryStrategies\.0\.name: .*1 to 100/],
    [{ longTermMemoryStrategies: [{ ...strategy, type: 'OTHER' }] }, /\.type: .*SEMANTIC, SUMMARY, USER_PREFERENCE/],
    [{ longTermMemoryStrategies: [{ ...strategy, namespace: '' }] }, /\.namespace: .*1 to 500/],
    [{ longTermMemoryStrategies: [{ ...strategy, namespace: 'n'.repeat(501) }] }, /\.namespace: .*1 to 500/],
  ])('is refused with %j', async (invalidFields, message) => {
    const { call, get } = await startMemoryHarness()
    const { status, body } = await call('POST', '/memories', { name: 'notes', ...invalidFields })
    expect([status, body]).toEqual([400, { code: 'INVALID_INPUT', message: expect.stringMatching(message) }])
    expect((await get('/memories')).totalItem).toBe(0)
  })

  test.each([[[]], ['text'], [null]])('is refused when the body is %j', async (body) => {
    const { call } = await startMemoryHarness()
    expect(await call('POST', '/memories', body)).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
  })
})

describe('the list of memories', () => {
  test('has pages from 1 in the envelope of the spec', async () => {
    const { create, get } = await startMemoryHarness()
    expect(await get('/memories')).toEqual({ listData: [], totalItem: 0, totalPage: 0, page: 1, size: 20 })
    for (const name of ['a', 'b', 'c']) await create({ name })
    const firstPage = await get('/memories?page=1&size=2')
    expect(firstPage).toMatchObject({ listData: [{ name: 'a' }, { name: 'b' }], totalItem: 3, totalPage: 2 })
    expect(await get('/memories?page=2&size=2')).toMatchObject({ listData: [{ name: 'c' }], totalItem: 3 })
    expect((await get('/memories?page=3&size=2')).listData).toEqual([])
    expect(firstPage.listData[0]).toEqual(await get(`/memories/${firstPage.listData[0].id}`))
  })
})

test('a deleted memory is gone with all its content, without affecting others', async () => {
  const { call, create, get, say } = await startMemoryHarness()
  const [a, b] = [await create({ name: 'one' }), await create({ name: 'other' })]
  for (const { id } of [a, b]) await say({ id, actorId: 'an', sessionId: 's1' }, 'Hello')
  expect(await call('DELETE', `/memories/${a.id}`)).toEqual({ status: 204, body: undefined })
  expect((await call('GET', `/memories/${a.id}`)).status).toBe(404)
  expect((await call('GET', `/memories/${a.id}/actors`)).status).toBe(404)
  expect((await call('DELETE', `/memories/${a.id}`)).status).toBe(404)
  expect((await get('/memories')).listData).toMatchObject([{ id: b.id, eventCount: 1 }])
})

test.each([
  ['GET', 'memory-records:search'],
  ['POST', 'memory-records'],
  ['GET', 'memory-records:generate-from-session'],
])('%s on %s is not served', async (method, path) => {
  const { call, create } = await startMemoryHarness()
  const { id } = await create()
  const { status } = await call(method, `/memories/${id}/${path}?namespace=/`, method === 'POST' ? {} : undefined)
  expect(status).toBe(405)
})
