import { describe, expect } from 'vitest'
import { dayMs, eventsPath, startMemoryHarness, test } from '../memory-bench'

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
      const { listData } = await get(eventsPath(session))
      expect(listData).toMatchObject([{ actorId: session.actorId, sessionId: session.sessionId }])
      const actors = await get(`/memories/${session.id}/actors`)
      expect(actors.listData).toMatchObject([
        { actorId: session.actorId, sessions: [{ sessionId: session.sessionId, eventCount: 1 }] },
      ])
    },
  )
})

describe('the events of a session', () => {
  test('are complete after concurrent writes', async ({ memory: { create, get, say } }) => {
    const { id } = await create()
    const sessions = ['an', 'binh'].map((actorId) => ({ id, actorId, sessionId: 's1' }))
    await Promise.all(
      sessions.flatMap((session) => Array.from({ length: 40 }, (_, index) => say(session, `Event ${index}`))),
    )
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

const hourMs = 3_600_000

test('an expired event is removed from lists and counts, with its session when that is empty', async ({
  memory: { advance, create, get, say },
}) => {
  const [shortMemory, longMemory] = [
    await create({ eventExpiryDuration: 1 }),
    await create({ eventExpiryDuration: 365 }),
  ]
  const sessions = [shortMemory, longMemory].map(({ id }) => ({ id, actorId: 'an', sessionId: 's1' }))
  for (const session of sessions) {
    await say(session, 'first')
    await say({ ...session, actorId: 'binh' }, 'only')
  }
  await advance(dayMs - hourMs)
  for (const session of sessions) await say(session, 'second')
  expect(await get(`/memories/${shortMemory.id}`)).toMatchObject({ actorCount: 2, sessionCount: 2, eventCount: 3 })
  await advance(hourMs)
  expect(await get(`/memories/${shortMemory.id}`)).toMatchObject({ actorCount: 1, sessionCount: 1, eventCount: 1 })
  expect((await get(`/memories/${shortMemory.id}/actors`)).listData).toMatchObject([{ actorId: 'an', eventCount: 1 }])
  for (const session of sessions.slice(0, 1)) {
    expect(await get(eventsPath(session))).toMatchObject({ listData: [{ content: 'second' }], totalItem: 1 })
    expect((await get(eventsPath({ ...session, actorId: 'binh' }))).totalItem).toBe(0)
  }
  expect(await get(`/memories/${longMemory.id}`)).toMatchObject({ actorCount: 2, sessionCount: 2, eventCount: 3 })
  await advance(365 * dayMs)
  expect(await get(`/memories/${longMemory.id}`)).toMatchObject({ actorCount: 0, sessionCount: 0, eventCount: 0 })
})
