import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PlaygroundFiles } from '../../../../src/main/playground/playground-dialogs'
import { expectFailure } from '../../support/failures'
import { chatReply, type PlaygroundHarness, startLocalModel, toReplyPlace } from './play-desk'

const pngBase64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const png = Buffer.from(pngBase64, 'base64')

/** A local model whose answer contains the number of messages that it received. */
const harness = () => startLocalModel(({ length }) => chatReply(`=Answer ${length}`), { system: 'Be kind.' })

function listFiles(play: PlaygroundHarness, openedPaths: readonly string[] = []) {
  const receivedPrompts: string[] = []
  const save = async (name: string) => {
    receivedPrompts.push(name)
    return join(play.folder, name)
  }
  const dialogs = { save, openMany: async () => openedPaths }
  const files = new PlaygroundFiles({ store: play.store, onChanged: () => undefined, dialogs })
  const readExportedFile = (): string => readFileSync(join(play.folder, receivedPrompts.at(-1) ?? ''), 'utf8')
  return { files, asked: receivedPrompts, written: readExportedFile }
}

describe('a conversation', () => {
  it('takes its title from the first line, sends only its own branch to the model and keeps the others', async () => {
    const { play, send, setup, chats, requests } = await harness()
    const firstMessage = await send('\n  What is   the sea?\nTell me.')
    const { conversationId } = firstMessage
    await send('And deeper?', toReplyPlace(firstMessage))
    const regeneratedRun = await chats.regenerate({ conversationId, userMessageId: firstMessage.userMessageId, setup })
    await play.over(regeneratedRun.runId)
    const view = await play.store.conversation(conversationId)
    expect(view.title).toBe('What is the sea?')
    expect(view.branch.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(view.branch.map(({ siblings }) => siblings.length)).toEqual([1, 2])
    expect(requests().map(({ messages }) => messages.map(({ role }: { role: string }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'user'],
      ['system', 'user'],
    ])
    const messages = await chats.messages({ conversationId, ids: [view.branch[1]?.id ?? ''] })
    expect(messages).toMatchObject([{ role: 'assistant', text: '=Answer 2', run: { state: 'done' } }])
  })

  it('sends files before the prompt, with texts in a fence that their content cannot close and images as parts', async () => {
    const { chats, send, requests } = await harness()
    const notes = '# Notes\n```js\nx\n```\n'
    const file = { name: 'notes.md', mediaType: 'text/markdown', base64: Buffer.from(notes).toString('base64') }
    const text = await chats.attach(file)
    const image = await chats.attach({ name: 'dot.jpg', mediaType: 'image/jpeg', base64: png.toString('base64') })
    expect([text.kind, text.mediaType, text.tokens]).toEqual(['text', 'text/markdown', 6])
    expect([image.kind, image.mediaType, image.tokens]).toEqual(['image', 'image/png', undefined])
    expect(await chats.attachmentContent(text)).toEqual({ content: notes })
    expect(await chats.attachmentContent(image)).toEqual({ content: png.toString('base64') })
    await send('', {}, { attachments: [text.id] })
    await send('What is it?', {}, { attachments: [text.id, image.id] })
    expect(requests()[0].messages.at(-1)).toEqual({ role: 'user', content: `notes.md\n\`\`\`\`\n${notes}\`\`\`\`` })
    expect(requests()[1].messages.at(-1).content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^notes\.md/) },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
      { type: 'text', text: 'What is it?' },
    ])
  })

  it.each([
    ['an empty file', ''],
    ['bytes of no kind', Buffer.from([0xff, 0xfe, 0x41]).toString('base64')],
    ['a text with a NUL', Buffer.from('a\0b').toString('base64')],
    ['a text that is too long', Buffer.alloc(1_000_001, 'a').toString('base64')],
    ['an image that is too big', Buffer.concat([png, Buffer.alloc(5_000_001)]).toString('base64')],
    ['what is no base64', '%%%%'],
  ])('refuses %s', async (_, base64) => {
    const { chats } = await harness()
    const file = { name: 'x.png', mediaType: 'image/png', base64 }
    await expectFailure(chats.attach(file), 'input.invalid')
  })

  it('is exported in full and imported with new ids, and as Markdown with the shown branch and its figures', async () => {
    const { play, chats, send } = await harness()
    const image = await chats.attach({ name: 'dot.png', mediaType: 'image/png', base64: png.toString('base64') })
    const firstMessage = await send('One?', {}, { attachments: [image.id] })
    await send('Two?', toReplyPlace(firstMessage))
    await send('Other one?', { conversationId: firstMessage.conversationId })
    const { files, asked, written } = listFiles(play, [join(play.folder, 'One-.json')])
    await files.export({ id: firstMessage.conversationId, format: 'markdown' })
    expect(written()).toMatch(/^# One\?\n\nSystem\n```\nBe kind\.\n```\n\n## User\n\nOther one\?\n\n## Assistant \(m\)/)
    expect(written()).toContain('=Answer 2\n\n*done, ')
    expect(written()).not.toContain('Two?')
    await files.export({ id: firstMessage.conversationId, format: 'json' })
    expect(statSync(join(play.folder, asked.at(-1) ?? '')).mode & 0o777).toBe(0o600)
    const importedFiles = listFiles(play, [join(play.folder, asked.at(-1) ?? '')]).files
    const [id = ''] = (await importedFiles.import({ kind: 'conversation' })).ids
    expect(id).not.toBe(firstMessage.conversationId)
    const [original, importedCopy] = [await play.store.whole(firstMessage.conversationId), await play.store.whole(id)]
    expect(importedCopy.messages.map(({ text }) => text)).toEqual(original.messages.map(({ text }) => text))
    expect(importedCopy.messages.map(({ run }) => run?.state)).toEqual(original.messages.map(({ run }) => run?.state))
    expect(importedCopy.attachments.map(({ base64 }) => base64)).toEqual([png.toString('base64')])
  })

  const onMessages =
    (spoil: (messages: readonly { readonly id: string }[]) => unknown) => (file: Record<string, unknown>) => ({
      ...file,
      messages: spoil(file.messages as { id: string }[]),
    })

  const wrongBytes = { base64: Buffer.from([0, 1, 2]).toString('base64'), bytes: 3 }
  const wrongImage = { id: 'a', kind: 'image', name: 'a', mediaType: 'image/png', ...wrongBytes }
  const onEachMessage = (changes: object) =>
    onMessages((messages) => messages.map((message) => ({ ...message, ...changes })))

  it.each<[string, (file: Record<string, unknown>) => unknown]>([
    ['of another format', (file) => ({ ...file, format: 'x' })],
    ['of a later version', (file) => ({ ...file, version: 2 })],
    ['with more than belongs there', (file) => ({ ...file, more: 1 })],
    ['with a message that follows itself', onMessages(([message]) => [{ ...message, parentId: message?.id }])],
    ['with a child before its parent', onMessages((messages) => messages.toReversed())],
    ['with a parent that is not there', onMessages((messages) => messages.slice(1))],
    ['with a message twice', onMessages(([message]) => [message, message])],
    ['with an answer without a run', onEachMessage({ run: undefined })],
    ['with a time that is none', onEachMessage({ createdAt: 'soon' })],
    ['with a file that is not there', onMessages(([message]) => [{ ...message, attachments: ['gone'] }])],
    ['with a script for an image', (file) => ({ ...file, attachments: [wrongImage] })],
    ['that is no JSON', () => undefined],
  ])('cannot be imported from a file %s', async (_, spoil) => {
    const { play, send } = await harness()
    const { conversationId } = await send('One?')
    const { files, written } = listFiles(play)
    await files.export({ id: conversationId, format: 'json' })
    const path = join(play.folder, 'spoiled.json')
    writeFileSync(path, JSON.stringify(spoil(JSON.parse(written()))) ?? '{')
    const importFiles = listFiles(play, [path]).files
    await expectFailure(importFiles.import({ kind: 'conversation' }), 'playground.unreadable')
    expect(await play.store.conversations({})).toHaveLength(1)
  })
})

it('exports a comparison with its answers and scores for spreadsheets, which execute none of them, and imports it', async () => {
  const { play, setup } = await harness()
  const { comparisons } = play.playground
  const columns = ['a', 'b'].map((id) => ({ id, name: id, ...setup }))
  const cases = [{ id: 'x', values: ['one'], check: 'contains' as const, expected: 'Answer' }]
  await comparisons.save('cmp', { title: 'Two models', prompt: 'Hi {{n}}', variables: ['n'], columns, cases })
  const cells = columns.map(({ id }) => ({ columnId: id, caseId: 'x' }))
  for (const { run } of (await comparisons.run({ id: 'cmp', cells })).cells) await play.over(run.id)
  const [, secondCell] = (await comparisons.get('cmp')).cells
  await comparisons.rate({ id: 'cmp', runId: secondCell?.run.id ?? '', rating: 4 })
  const { files, asked, written } = listFiles(play)
  await files.exportComparison({ id: 'cmp', format: 'csv' })
  expect(asked).toEqual(['Two models.csv'])
  const [head, row, totals] = written().split('\r\n')
  const firstColumns =
    /^\uFEFFcase,run,n,check,expected,a,a check,a rating,a model,a state,.*,b,b check,b rating,b model,/
  expect(head).toMatch(firstColumns)
  expect(row).toMatch(/^1,1,one,contains,Answer,"'=Answer 2",passed,,[\w-]+,done,\d+,.*,"'=Answer 2",passed,4,[\w-]+,/)
  expect(totals).toMatch(/^total,,,,,,1\/1,,.*,,1\/1,4,/)
  await files.exportComparison({ id: 'cmp', format: 'json' })
  const exportedCells = [
    { column: 'a', case: 1 },
    { column: 'b', answer: {}, rating: 4 },
  ]
  const format = 'platform-companion-comparison'
  expect(JSON.parse(written())).toMatchObject({ format, cells: exportedCells })
  const path = join(play.folder, 'Two models.json')
  const [copy = ''] = (await listFiles(play, [path]).files.import({ kind: 'comparison' })).ids
  const check = { isPassed: true }
  const importedCells = [{ check }, { check, rating: 4 }]
  expect(await comparisons.get(copy)).toMatchObject({ setup: { title: 'Two models', cases }, cells: importedCells })
  writeFileSync(path, written().replace('"version": 1', '"version": 2'))
  await expectFailure(listFiles(play, [path]).files.import({ kind: 'comparison' }), 'playground.unreadable')
})
