import type { PlaygroundMessage, PlaygroundSetup } from '@shared/contract/playground'
import type { NewTurn } from '../ports'
import { attachmentKeys } from './attachments'
import { messageKey, show } from './messages'
import { insertRun } from './runs'
import { noteText, noteTitle } from './search'
import { keyOf, type Store } from './store'

/** Keeps what a request begins with, and shows the branch it is in. The answer's message has the run's id. */
export function beginTurn(store: Store, turn: NewTurn): void {
  const { db } = store
  const { at, run, setup } = turn
  db.transaction('IMMEDIATE', () => {
    const conversation = conversationOf(store, turn)
    if (turn.user) insertQuestion(store, conversation, { ...turn.user, at })
    const question = messageKey(store, conversation, turn.userMessageId)
    const place = { conversation, parent: question, id: run.id, at }
    const answer = insertMessage(store, place, insertRun(store, { run, answer: { text: '' } }, 'named'))
    show(db, conversation, answer)
    db.run(
      'UPDATE conversations SET updated_at = max(updated_at, ?), setup = ?, model = ? WHERE key = ?',
      ...[at, JSON.stringify(setup), run.target.modelCode, conversation],
    )
  })
}

function conversationOf(store: Store, { title, conversationId: id, setup, at }: NewTurn): number {
  if (title === undefined) return keyOf(store, 'conversations', id)
  return insertConversation(store, { id, title, isPinned: false, setup, createdAt: at, updatedAt: at })
}

interface NewConversation {
  readonly id: string
  readonly title: string
  readonly isPinned: boolean
  readonly setup: PlaygroundSetup
  /** In ms. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** Makes a conversation without messages; gives its key. */
export function insertConversation({ db }: Store, one: NewConversation): number {
  db.run(
    `INSERT INTO conversations (id, is_pinned, created_at, updated_at, messages, title, setup) VALUES (?, ?, ?, ?, 0, ?, ?)`,
    ...[one.id, one.isPinned ? 1 : 0, one.createdAt, one.updatedAt, one.title, JSON.stringify(one.setup)],
  )
  const key = inserted({ db })
  noteTitle(db, key, one.title)
  return key
}

type NewQuestion = Pick<PlaygroundMessage, 'id' | 'parentId' | 'text' | 'attachments'> & { readonly at: number }

/** Keeps a person's message; gives its key. Fails with `playground.notFound` for a parent or an attachment that is not there. */
export function insertQuestion(store: Store, conversation: number, question: NewQuestion): number {
  const { db } = store
  const { id, parentId, text, attachments, at } = question
  const parent = parentId === undefined ? null : messageKey(store, conversation, parentId)
  const files = attachmentKeys(store, attachments)
  const key = insertMessage(store, { conversation, parent, id, at }, { text, attachments })
  for (const file of files) db.run('INSERT INTO named_attachments (message, attachment) VALUES (?, ?)', key, file)
  noteText(db, key, text)
  return key
}

interface Place {
  readonly conversation: number
  readonly parent: number | null
  readonly id: string
  readonly at: number
}

/** Keeps a message: a person's by what it holds, an answer by the key of its run. */
export function insertMessage(
  { db }: Store,
  { conversation, parent, id, at }: Place,
  content: number | Pick<PlaygroundMessage, 'text' | 'attachments'>,
): number {
  const [run, body] = typeof content === 'number' ? [content, ''] : [null, JSON.stringify(content)]
  db.run(
    'INSERT INTO messages (id, conversation, parent, run, at, body) VALUES (?, ?, ?, ?, ?, ?)',
    ...[id, conversation, parent, run, at, body],
  )
  const key = inserted({ db })
  db.run('UPDATE conversations SET messages = messages + 1 WHERE key = ?', conversation)
  return key
}

const inserted = ({ db }: Pick<Store, 'db'>): number => db.row('SELECT last_insert_rowid()')?.number(0) ?? 0
