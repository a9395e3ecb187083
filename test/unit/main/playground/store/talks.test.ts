import type { PlaygroundMessage } from '@shared/contract'
import { describe, expect, it, test } from 'vitest'
import { Database } from '../../../../../src/main/core/sqlite/database'
import { expectFailure } from '../../../support/failures'
import { notFound, openStoreHere, setUpStore } from './current-store'
import { buildRun, buildTurn, buildWire, conversation, createdMs, setup } from './store-desk'

const { place, store, reopen } = setUpStore()
const listIds = async (search?: string) => (await store.conversations({ search })).map(({ id }) => id)

/** A conversation with one question and its whole answer. */
async function addConversation(
  id: string,
  texts: { title?: string; text?: string; answer?: string; at?: number } = {},
) {
  await store.beginTurn(buildTurn(id, [`${id}-q`, `${id}-a`], { title: id, at: createdMs, ...texts }))
  await store.saveRun({ run: buildRun(`${id}-a`, 'done'), answer: { text: texts.answer ?? 'the answer' } })
}

describe('a conversation', () => {
  it('keeps questions, answers, reasoning and runs, and returns them by id and as a path', async () => {
    await store.beginTurn(buildTurn('c', ['q1', 'a1'], { title: 'A title', text: 'one \u0000 two' }))
    const calls = [{ id: 'x', name: 'look', input: '{}' }]
    await store.saveRun({
      run: buildRun('a1', 'done'),
      answer: { text: 'yes', thinking: 'hm', toolCalls: calls },
    })
    await store.beginTurn(buildTurn('c', ['q2', 'a2'], { parentId: 'a1', at: createdMs + 5 }))
    expect(await store.readLine('c', 'q2')).toEqual([
      { id: 'q1', role: 'user', text: 'one \u0000 two', attachments: [] },
      { id: 'a1', role: 'assistant', text: 'yes', attachments: [], toolCalls: calls },
      { id: 'q2', role: 'user', text: 'text of q2', attachments: [] },
    ])
    expect(await store.messages('c', ['a1', 'q2'])).toMatchObject([
      { id: 'a1', parentId: 'q1', role: 'assistant', text: 'yes', answer: { thinking: 'hm', toolCalls: calls } },
      { id: 'q2', parentId: 'a1' },
    ])
    expect(await store.messages('c', ['a2', 'nowhere', 'q1'])).toMatchObject([{ id: 'q1' }, { run: { id: 'a2' } }])
    expect(await store.conversation('c')).toEqual({
      id: 'c',
      title: 'A title',
      isPinned: false,
      modelCode: 'model-a',
      setup,
      createdAt: new Date(createdMs).toISOString(),
      updatedAt: new Date(createdMs + 5).toISOString(),
      branch: [
        { id: 'q1', role: 'user', siblings: ['q1'] },
        { id: 'a1', role: 'assistant', siblings: ['a1'] },
        { id: 'q2', role: 'user', siblings: ['q2'] },
        { id: 'a2', role: 'assistant', siblings: ['a2'] },
      ],
    })
  })

  it.each(['no JSON', '{}', '{"text":"yes","attachments":[1]}'])(
    'fails to load when its stored body is %s',
    async (body) => {
      await addConversation('c')
      const db = new Database(place.file)
      db.run('UPDATE messages SET body = ? WHERE id = ?', body, 'c-q')
      db.close()
      await expectFailure(store.readLine('c', 'c-a'), 'playground.unavailable')
    },
  )

  it('saves nothing of a turn that it cannot save in full', async () => {
    await addConversation('c')
    const invalidTurn = buildTurn('new', ['q', 'a'], { title: 'New', parentId: 'c-a' })
    await expect(store.beginTurn(invalidTurn)).rejects.toMatchObject(notFound)
    await expect(store.beginTurn(buildTurn('c', ['q', 'a'], { files: ['none'] }))).rejects.toMatchObject(notFound)
    expect(await listIds()).toEqual(['c'])
    expect(await store.runs(['a'])).toEqual([])
    expect((await store.conversation('c')).branch).toHaveLength(2)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['opened', () => store.conversation('none')],
    ['read', () => store.messages('none', [])],
    ['chosen in', () => store.chooseBranch('none', 'm')],
    ['renamed', () => store.rename('none', 'x')],
    ['pinned', () => store.pin({ ...conversation('none'), isPinned: true })],
    ['set up', () => store.setUp('none', setup)],
    ['removed', () => store.remove(conversation('none'))],
    ['restored', () => store.restore(conversation('none'))],
    ['exported', () => store.whole('none')],
    ['gone on with', () => store.beginTurn(buildTurn('none', ['q', 'a']))],
  ])('cannot be %s when it does not exist', async (_, attempt) => {
    await expect(attempt()).rejects.toMatchObject(notFound)
  })

  it('is hidden when deleted, can be restored, and is gone after the next start', async () => {
    await addConversation('kept')
    await store.beginTurn(buildTurn('gone', ['q', 'a'], { title: 'Gone' }))
    expect(await store.remove(conversation('gone'))).toEqual(['a'])
    expect([await listIds(), await listIds('text')]).toEqual([['kept'], ['kept']])
    await expect(store.conversation('gone')).rejects.toMatchObject(notFound)
    await store.restore(conversation('gone'))
    expect(await listIds('text')).toEqual(['gone', 'kept'])
    await store.saveRun({ run: buildRun('a', 'done'), answer: { text: '' }, wire: buildWire('x') })
    await store.remove(conversation('gone'))
    await reopen()
    await expect(store.restore(conversation('gone'))).rejects.toMatchObject(notFound)
    expect([await store.runs(['a']), await listIds('text')]).toEqual([[], ['kept']])
  })

  it('marks an unfinished run as cut when its process is gone, keeps its text and makes it searchable', async () => {
    await store.beginTurn(buildTurn('c', ['q', 'a'], { title: 'T' }))
    await store.saveRun({ run: buildRun('a', 'running'), answer: { text: 'half of a wonderful thing' } })
    const secondStore = openStoreHere(place.file)
    expect(await secondStore.runs(['a'])).toMatchObject([{ run: { state: 'running' } }])
    await reopen()
    expect(await store.runs(['a'])).toEqual([
      { run: buildRun('a', 'cut'), answer: { text: 'half of a wonderful thing' } },
    ])
    expect(await listIds('wonder')).toEqual(['c'])
  })
})

it('the list shows pinned conversations first, then the newest, up to a limit', async () => {
  const ids = Array.from({ length: 130 }, (_, n) => `c${n}`)
  for (const [n, id] of ids.entries()) {
    await store.beginTurn(buildTurn(id, [`${id}-q`, `${id}-a`], { title: id, at: createdMs + (n % 7) }))
  }
  for (const id of ['c5', 'c9']) await store.pin({ ...conversation(id), isPinned: true })
  expect((await listIds()).length).toBe(50)
  const allIds = (await store.conversations({ limit: 200 })).map(({ id }) => id)
  expect(allIds.slice(0, 3)).toEqual(['c5', 'c9', 'c125'])
  expect([...allIds].sort()).toEqual([...ids].sort())
})

describe('the search', () => {
  const getMatchText = (match: { snippet: string; matchStart: number; matchEnd: number } | undefined) =>
    match?.snippet.slice(match.matchStart, match.matchEnd)

  test.each([
    ['duong', 'Đường phố Đà Nẵng', 'Đường'],
    ['đường', 'Duong pho', 'Duong'],
    ['nang', 'Đà Na\u0306\u0303ng', 'Na\u0306\u0303ng'],
    ['PHO da', 'Đà Nẵng có nhiều phố', 'Đà'],
    ['wor', 'hello world', 'wor'],
    ['"quoted" OR', 'an oral, quoted thing', 'or'],
    ['naïve*', 'A NAIVE one', 'NAIVE'],
    ['😀 smile', '😀😀 smiles 😀', 'smile'],
  ])('finds %j in %j', async (search, text, match) => {
    await addConversation('c', { text })
    await addConversation('other', { text: 'elsewhere' })
    const items = await store.conversations({ search })
    expect(items.map(({ id, found }) => [id, found?.messageId, getMatchText(found)])).toEqual([['c', 'c-q', match]])
  })

  test.each(['orld', 'hello moon', '!!!', '" OR 1', 'NEAR('])('does not find %j', async (search) => {
    await addConversation('c', { text: 'hello world' })
    expect(await listIds(search)).toEqual([])
  })

  it('searches titles first, then answers and all branches, and forgets old titles', async () => {
    await addConversation('c', { title: 'Weather report', text: 'weather?', answer: 'sunny' })
    expect(await store.conversations({ search: 'weath' })).toMatchObject([
      { found: { snippet: 'Weather report', matchStart: 0, matchEnd: 5 } },
    ])
    expect(await store.conversations({ search: 'sun' })).toMatchObject([{ found: { messageId: 'c-a' } }])
    await store.rename('c', 'Something')
    expect(await store.conversations({ search: 'weather' })).toMatchObject([{ found: { messageId: 'c-q' } }])
    expect([await listIds('report'), await listIds('some')]).toEqual([[], ['c']])
  })

  it('returns a snippet of a long text', async () => {
    await addConversation('c', { text: `${'alpha\n'.repeat(5000)}needle${' omega'.repeat(5000)}` })
    const [found] = await store.conversations({ search: 'needle' })
    expect(found?.found?.snippet).toMatch(/^…(?:alpha |lpha )+needle(?: omega)+…$|^…[alph ]+needle[ omega]+…$/)
    expect([getMatchText(found?.found), (found?.found?.snippet.length ?? 0) < 220]).toEqual(['needle', true])
  })
})

it('opens, searches and switches branches in a conversation of 5,000 messages', async () => {
  const count = 5000
  const messages = Array.from({ length: count }, (_, n): PlaygroundMessage => {
    const body = { id: `m${n}`, parentId: n === 0 ? undefined : `m${n - 1}`, attachments: [] }
    const text = `${n} ${'some text of a message '.repeat(40)}`
    const messageFields = { ...body, createdAt: new Date(createdMs + n).toISOString(), text }
    return n % 2 === 0
      ? { ...messageFields, role: 'user' }
      : { ...messageFields, role: 'assistant', answer: {}, run: buildRun(`m${n}`, 'done') }
  })
  const [createdAt, updatedAt] = [new Date(createdMs).toISOString(), new Date(createdMs).toISOString()]
  const id = await store.add({
    title: 'Long',
    isPinned: false,
    createdAt,
    updatedAt,
    setup,
    messages,
    attachments: [],
  })
  const { branch } = await store.conversation(id)
  expect(branch).toHaveLength(count)
  const lastIds = branch.slice(-100).map((step) => step.id)
  expect(await store.messages(id, lastIds)).toHaveLength(100)
  expect(await listIds('mess 49')).toEqual([id])
  expect((await store.chooseBranch(id, branch[2]?.id ?? '')).branch).toHaveLength(count)
})
