import { join } from 'node:path'
import type { PlaygroundMessage } from '@shared/contract'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { Database } from '../../../../../src/main/core/sqlite/database'
import type { WholeConversation } from '../../../../../src/main/playground/ports'
import { type Ask, at, buildRun, buildTurn, buildWire, createAsk, removeFolder, setup, tempFolder } from './store-desk'

let folder = ''
let ask: Ask
const open = (instance = 'one') => createAsk(join(folder, 'playground.sqlite'), { instance })
/** Simulates closing and restarting the app. */
const reopen = async () => {
  await ask('close')
  ask = open('another')
}
beforeEach(async () => {
  folder = await tempFolder()
  ask = open()
})
afterEach(async () => {
  await ask('close')
  await removeFolder(folder)
})

const failsWith = (code: string) => ({ failure: { code } })
const listIds = async (search?: string) => (await ask('conversations', { search })).items.map(({ id }) => id)

/** A conversation with one question and its whole answer. */
async function talk(id: string, texts: { title?: string; text?: string; answer?: string; at?: number } = {}) {
  await ask('beginTurn', buildTurn(id, [`${id}-q`, `${id}-a`], { title: id, at, ...texts }))
  await ask('saveRun', { run: buildRun(`${id}-a`, 'done'), answer: { text: texts.answer ?? 'the answer' } })
}

describe('a conversation', () => {
  it('keeps questions, answers, reasoning and runs, and returns them by id and as a path', async () => {
    await ask('beginTurn', buildTurn('c', ['q1', 'a1'], { title: 'A title', text: 'one \u0000 two' }))
    const calls = [{ id: 'x', name: 'look', input: '{}' }]
    await ask('saveRun', { run: buildRun('a1', 'done'), answer: { text: 'yes', thinking: 'hm', toolCalls: calls } })
    await ask('beginTurn', buildTurn('c', ['q2', 'a2'], { parentId: 'a1', at: at + 5 }))
    expect(await ask('readLine', 'c', 'q2')).toEqual([
      { id: 'q1', role: 'user', text: 'one \u0000 two', attachments: [] },
      { id: 'a1', role: 'assistant', text: 'yes', attachments: [], toolCalls: calls },
      { id: 'q2', role: 'user', text: 'text of q2', attachments: [] },
    ])
    expect(await ask('messages', 'c', ['a1', 'q2'])).toMatchObject([
      { id: 'a1', parentId: 'q1', role: 'assistant', text: 'yes', answer: { thinking: 'hm', toolCalls: calls } },
      { id: 'q2', parentId: 'a1' },
    ])
    expect(await ask('messages', 'c', ['a2', 'nowhere', 'q1'])).toMatchObject([{ run: buildRun('a2') }, { id: 'q1' }])
    expect(await ask('conversation', 'c')).toEqual({
      ...{ id: 'c', title: 'A title', isPinned: false, messages: 4, modelCode: 'model-a', setup },
      createdAt: new Date(at).toISOString(),
      updatedAt: new Date(at + 5).toISOString(),
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
      await talk('c')
      const db = new Database(join(folder, 'playground.sqlite'))
      db.run('UPDATE messages SET body = ? WHERE id = ?', body, 'c-q')
      db.close()
      await expect(ask('readLine', 'c', 'c-a')).rejects.toMatchObject(failsWith('playground.unavailable'))
    },
  )

  it('saves nothing of a turn that it cannot save in full', async () => {
    await talk('c')
    const bad = buildTurn('new', ['q', 'a'], { title: 'New', parentId: 'c-a' })
    await expect(ask('beginTurn', bad)).rejects.toMatchObject(failsWith('playground.notFound'))
    await expect(ask('beginTurn', buildTurn('c', ['q', 'a'], { files: ['none'] }))).rejects.toMatchObject(
      failsWith('playground.notFound'),
    )
    expect(await listIds()).toEqual(['c'])
    expect(await ask('runs', ['a'])).toEqual([])
    expect(await ask('conversation', 'c')).toMatchObject({ messages: 2 })
  })

  test.each<[string, () => Promise<unknown>]>([
    ['opened', () => ask('conversation', 'none')],
    ['read', () => ask('messages', 'none', [])],
    ['chosen in', () => ask('choose', 'none', 'm')],
    ['renamed', () => ask('rename', 'none', 'x')],
    ['pinned', () => ask('pin', 'none', true)],
    ['set up', () => ask('setUp', 'none', setup)],
    ['removed', () => ask('remove', 'none')],
    ['restored', () => ask('restore', 'none')],
    ['exported', () => ask('whole', 'none')],
    ['gone on with', () => ask('beginTurn', buildTurn('none', ['q', 'a']))],
  ])('cannot be %s when it does not exist', async (_, asked) => {
    await expect(asked()).rejects.toMatchObject(failsWith('playground.notFound'))
  })

  it('is hidden when deleted, can be restored, and is gone after the next start', async () => {
    await talk('kept')
    await ask('beginTurn', buildTurn('gone', ['q', 'a'], { title: 'Gone' }))
    expect(await ask('remove', 'gone')).toEqual(['a'])
    expect([await listIds(), await listIds('text')]).toEqual([['kept'], ['kept']])
    await expect(ask('conversation', 'gone')).rejects.toMatchObject(failsWith('playground.notFound'))
    await ask('restore', 'gone')
    expect(await listIds('text')).toEqual(['gone', 'kept'])
    await ask('saveRun', { run: buildRun('a', 'done'), answer: { text: '' }, wire: buildWire('x') })
    await ask('remove', 'gone')
    await reopen()
    await expect(ask('restore', 'gone')).rejects.toMatchObject(failsWith('playground.notFound'))
    expect([await ask('runs', ['a']), await listIds('text')]).toEqual([[], ['kept']])
  })

  it('marks an unfinished run as cut when its process is gone, keeps its text and makes it searchable', async () => {
    await ask('beginTurn', buildTurn('c', ['q', 'a'], { title: 'T' }))
    await ask('saveRun', { run: buildRun('a', 'running'), answer: { text: 'half of a wonderful thing' } })
    const same = open()
    expect(await same('runs', ['a'])).toMatchObject([{ run: { state: 'running' } }])
    await reopen()
    expect(await ask('runs', ['a'])).toEqual([
      { run: buildRun('a', 'cut'), answer: { text: 'half of a wonderful thing' } },
    ])
    expect(await listIds('wonder')).toEqual(['c'])
  })
})

describe('the list', () => {
  it('shows pinned conversations first, then the newest, page by page and each once', async () => {
    const ids = Array.from({ length: 130 }, (_, n) => `c${n}`)
    for (const [n, id] of ids.entries()) {
      await ask('beginTurn', buildTurn(id, [`${id}-q`, `${id}-a`], { title: id, at: at + (n % 7) }))
    }
    for (const id of ['c5', 'c9']) await ask('pin', id, true)
    const sizes: number[] = []
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await ask('conversations', { after })
      sizes.push(page.items.length)
      seen.push(...page.items.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    expect(sizes).toEqual([50, 50, 30])
    expect(seen.slice(0, 3)).toEqual(['c5', 'c9', 'c125'])
    expect([...seen].sort()).toEqual([...ids].sort())
  })

  test.each(['x', '1.2', '1.2.3.4', '1.-2.3'])('refuses the page %j', async (after) => {
    await expect(ask('conversations', { after })).rejects.toMatchObject(failsWith('input.invalid'))
  })
})

describe('the search', () => {
  const marked = (found: { snippet: string; matchStart: number; matchEnd: number } | undefined) =>
    found?.snippet.slice(found.matchStart, found.matchEnd)

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
    await talk('c', { text })
    await talk('other', { text: 'elsewhere' })
    const { items } = await ask('conversations', { search })
    expect(items.map(({ id, found }) => [id, found?.messageId, marked(found)])).toEqual([['c', 'c-q', match]])
  })

  test.each(['orld', 'hello moon', '!!!', '" OR 1', 'NEAR('])('does not find %j', async (search) => {
    await talk('c', { text: 'hello world' })
    expect(await listIds(search)).toEqual([])
  })

  it('searches titles first, then answers and all branches, and forgets old titles', async () => {
    await talk('c', { title: 'Weather report', text: 'weather?', answer: 'sunny' })
    expect((await ask('conversations', { search: 'weath' })).items).toMatchObject([
      { found: { snippet: 'Weather report', matchStart: 0, matchEnd: 5 } },
    ])
    expect((await ask('conversations', { search: 'sun' })).items).toMatchObject([{ found: { messageId: 'c-a' } }])
    await ask('rename', 'c', 'Something')
    expect((await ask('conversations', { search: 'weather' })).items).toMatchObject([{ found: { messageId: 'c-q' } }])
    expect([await listIds('report'), await listIds('some')]).toEqual([[], ['c']])
  })

  it('returns a snippet of a long text', async () => {
    await talk('c', { text: `${'alpha\n'.repeat(5000)}needle${' omega'.repeat(5000)}` })
    const [one] = (await ask('conversations', { search: 'needle' })).items
    expect(one?.found?.snippet).toMatch(/^…(?:alpha |lpha )+needle(?: omega)+…$|^…[alph ]+needle[ omega]+…$/)
    expect([marked(one?.found), (one?.found?.snippet.length ?? 0) < 220]).toEqual(['needle', true])
  })
})

describe('export and import', () => {
  const withoutIds = (whole: WholeConversation) => {
    const places = new Map(whole.messages.map(({ id }, place) => [id, place]))
    return {
      ...whole,
      messages: whole.messages.map(({ id, parentId, run, attachments, ...rest }) => ({
        ...rest,
        parent: parentId && places.get(parentId),
        run: run && { ...run, id: places.get(run.id) },
        files: attachments.length,
      })),
      attachments: whole.attachments.map(({ id, ...rest }) => rest),
    }
  }

  it('exports a conversation with its branches and files, and imports it as a copy with new ids', async () => {
    const file = { id: 'file', kind: 'text', name: 'a.txt', mediaType: 'text/plain', bytes: 3, tokens: 1 } as const
    await ask('attach', file, new Uint8Array([1, 2, 255]))
    await ask('beginTurn', buildTurn('c', ['q1', 'a1'], { title: 'T', files: ['file'], text: 'Tiếng Việt' }))
    await ask('saveRun', { run: buildRun('a1', 'done'), answer: { text: 'yes', thinking: 'hm' } })
    await ask('beginTurn', buildTurn('c', ['q2', 'a2'], { parentId: 'a1' }))
    await ask('beginTurn', buildTurn('c', ['q1b', 'a1b']))
    for (const id of ['a2', 'a1b']) await ask('saveRun', { run: buildRun(id, 'stopped'), answer: { text: id } })
    await ask('choose', 'c', 'q2')
    const whole = await ask('whole', 'c')
    const id = await ask('add', whole)
    const copy = await ask('whole', id)
    expect(withoutIds(copy)).toEqual(withoutIds(whole))
    const all = [...whole.messages, ...copy.messages, ...whole.attachments, ...copy.attachments].map((one) => one.id)
    expect(new Set(all).size).toBe(all.length)
    expect((await ask('conversation', id)).branch.map(({ siblings }) => siblings.length)).toEqual([2, 1])
    expect((await listIds('tieng')).length).toBe(2)
    await ask('remove', 'c')
    await reopen()
    expect(await ask('whole', id)).toEqual(copy)
  })

  const message = (id: string, parentId?: string, more: Partial<PlaygroundMessage> = {}): PlaygroundMessage => {
    const isAnswer = id.startsWith('a')
    const kind = isAnswer
      ? { role: 'assistant' as const, run: buildRun(id, 'running'), answer: {} }
      : { role: 'user' as const }
    return { id, parentId, createdAt: new Date(at).toISOString(), text: id, attachments: [], ...kind, ...more }
  }
  const moment = new Date(at).toISOString()
  const toWholeConversation = (...messages: PlaygroundMessage[]): WholeConversation => ({
    ...{ title: 'T', isPinned: true, createdAt: moment, updatedAt: moment, setup, messages, attachments: [] },
  })

  it('exports an unfinished run as cut', async () => {
    const id = await ask('add', toWholeConversation(message('q'), message('a', 'q')))
    expect((await ask('whole', id)).messages[1]?.run?.state).toBe('cut')
  })

  test.each<[string, WholeConversation]>([
    ['a message follows itself', toWholeConversation(message('q', 'q'))],
    ['two messages follow each other', toWholeConversation(message('q', 'a'), message('a', 'q'))],
    ['a child comes before its parent', toWholeConversation(message('q'), message('q2', 'a'), message('a', 'q'))],
    ['a parent is missing', toWholeConversation(message('q'), message('a', 'x'))],
    ['an id comes twice', toWholeConversation(message('q'), message('q'))],
    ['an answer has no run', toWholeConversation(message('q'), message('a', 'q', { run: undefined }))],
    ['a file is missing', toWholeConversation(message('q', undefined, { attachments: ['x'] }))],
    ['a time is none', toWholeConversation(message('q', undefined, { createdAt: 'soon' }))],
  ])('refuses a conversation when %s, and saves nothing', async (_, whole) => {
    await expect(ask('add', whole)).rejects.toMatchObject(failsWith('playground.unreadable'))
    expect(await listIds()).toEqual([])
  })
})

it('opens, searches and switches branches in a conversation of 5,000 messages', async () => {
  const count = 5000
  const messages = Array.from({ length: count }, (_, n): PlaygroundMessage => {
    const body = { id: `m${n}`, parentId: n === 0 ? undefined : `m${n - 1}`, attachments: [] }
    const text = `${n} ${'some text of a message '.repeat(40)}`
    const shared = { ...body, createdAt: new Date(at + n).toISOString(), text }
    return n % 2 === 0
      ? { ...shared, role: 'user' }
      : { ...shared, role: 'assistant', answer: {}, run: buildRun(`m${n}`, 'done') }
  })
  const [createdAt, updatedAt] = [new Date(at).toISOString(), new Date(at).toISOString()]
  const id = await ask('add', {
    title: 'Long',
    isPinned: false,
    createdAt,
    updatedAt,
    setup,
    messages,
    attachments: [],
  })
  const { branch } = await ask('conversation', id)
  const timed = async (work: () => Promise<unknown>) => {
    const times: number[] = []
    for (const _ of Array.from({ length: 5 })) {
      const start = performance.now()
      await work()
      times.push(performance.now() - start)
    }
    return Math.min(...times)
  }
  const last = branch.slice(-100).map((step) => step.id)
  const ms = {
    open: await timed(() => ask('conversation', id)),
    bodies: await timed(() => ask('messages', id, last)),
    search: await timed(() => ask('conversations', { search: 'mess 49' })),
    choose: await timed(() => ask('choose', id, branch[2]?.id ?? '')),
  }
  expect(branch.length).toBe(count)
  for (const [what, took] of Object.entries(ms)) expect(took, what).toBeLessThan(100)
})
