import { randomBytes } from 'node:crypto'
import { createPlaygroundStore } from '../../../../../src/main/playground/store-client'
import { buildRun, buildTurn, buildWire, setup } from './store-desk'

/** Modes of this program. It writes until it is killed, leaves a run unfinished, or writes until the disk is full. */
export interface ChildOrders {
  readonly dataDir: string
  readonly workerPath: string
  readonly until: 'killed' | 'waits' | 'full'
  /** Prefix of the names that the program creates. */
  readonly name: string
}

/** Message to the parent: the length of an answer or draft after each save, or the result of writing to a full disk. */
export type Message =
  | { readonly conversation: string; readonly answer: number; readonly isDone: boolean }
  | { readonly draft: number }
  | { readonly ready: true }
  | { readonly full: string; readonly kept: boolean }

const sendMessage = (message: Message): void => {
  process.send?.(message)
}

async function run({ dataDir, workerPath, until, name }: ChildOrders): Promise<void> {
  const store = createPlaygroundStore({ dataDir, workerPath, retryMs: 0 })
  if (until === 'waits') {
    await store.beginTurn(buildTurn(name, [`${name}-q`, `${name}-a`], { title: name }))
    await store.saveRun({ run: buildRun(`${name}-a`, 'running'), answer: { text: 'so far' } })
    await store.beginTurn(buildTurn('hidden', ['hidden-q', 'hidden-a'], { title: 'hidden' }))
    await store.remove({ kind: 'conversation', id: 'hidden' })
    sendMessage({ ready: true })
    setInterval(() => {}, 1000)
    return
  }
  if (until === 'full') {
    await store.saveDraft('before', { text: 'kept', attachments: [] })
    await store.beginTurn(buildTurn(name, ['q', 'a'], { title: name }))
    const failure = await fillUntilError(store)
    const draft = await store.draft('before')
    const { branch } = await store.conversation(name)
    sendMessage({ full: failure, kept: draft.text === 'kept' && branch.length === 2 })
    process.exit(0)
  }
  for (let conversationIndex = 0; ; conversationIndex += 1)
    await Promise.all([streamConversation(store, `${name}-${conversationIndex}`), type(store, conversationIndex)])
}

async function fillUntilError(store: ReturnType<typeof createPlaygroundStore>): Promise<string> {
  for (let index = 0; ; index += 1) {
    const file = { id: `f${index}`, kind: 'image', name: 'f', mediaType: 'image/png', bytes: 500_000 } as const
    const attachFailure = await store.attach(file, randomBytes(500_000)).then(
      () => undefined,
      (error: { failure: { code: string } }) => error.failure.code,
    )
    if (attachFailure !== undefined) return attachFailure
  }
}

async function streamConversation(
  store: ReturnType<typeof createPlaygroundStore>,
  conversation: string,
): Promise<void> {
  const [question, answer] = [`${conversation}-q`, `${conversation}-a`]
  await store.beginTurn(buildTurn(conversation, [question, answer], { title: conversation }))
  sendMessage({ conversation, answer: 0, isDone: false })
  for (const length of [100, 20_000, 90_000]) {
    await store.saveRun({ run: buildRun(answer, 'running'), answer: { text: 'word '.repeat(length / 5) } })
    sendMessage({ conversation, answer: length, isDone: false })
  }
  const recordedExchange = buildWire(randomBytes(20_000).toString('base64'))
  await store.saveRun({
    run: buildRun(answer, 'done'),
    answer: { text: 'word '.repeat(20_000) },
    wire: recordedExchange,
  })
  sendMessage({ conversation, answer: 100_000, isDone: true })
  await store.setUp(conversation, setup)
}

async function type(store: ReturnType<typeof createPlaygroundStore>, talk: number): Promise<void> {
  await store.saveDraft('new', { text: 'x'.repeat(talk + 1), attachments: [] })
  sendMessage({ draft: talk + 1 })
}

process.once('message', (orders: ChildOrders) => void run(orders))
