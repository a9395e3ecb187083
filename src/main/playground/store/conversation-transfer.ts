import { randomUUID } from 'node:crypto'
import { type PlaygroundMessage, PlaygroundSetup } from '@shared/contract/playground'
import { AppError } from '@shared/failure'
import type { WholeConversation } from '../ports'
import { insertConversation, insertMessage, insertQuestion } from './append-messages'
import { attachmentContent, attachments, insertAttachment } from './attachments'
import { allMessages, show } from './messages'
import { insertRun, isUnderWay } from './runs'
import { noteText } from './search'
import { dated, keyOf, parsed, type Store } from './store'

/** A conversation with all its branches and files. */
export function whole(store: Store, id: string): WholeConversation {
  const key = keyOf(store, 'conversations', id)
  const [row] = store.db.rows(
    'title, is_pinned, created_at, updated_at, setup',
    'SELECT * FROM conversations WHERE key = ?',
    key,
  )
  if (!row) throw unreadable('It is not there.')
  const messages = allMessages(store, key)
  const names = [...new Set(messages.flatMap((message) => message.attachments))]
  return {
    title: row.text(0),
    isPinned: row.number(1) === 1,
    createdAt: dated(row.number(2)),
    updatedAt: dated(row.number(3)),
    setup: parsed(PlaygroundSetup, row.text(4)),
    messages,
    attachments: attachments(store, names).map((one) => ({
      ...one,
      base64: Buffer.from(attachmentContent(store, one.id)).toString('base64'),
    })),
  }
}

/** Keeps a conversation under new ids; gives that of the conversation. Fails with `playground.unreadable` before anything is kept. */
export function add(store: Store, conversation: WholeConversation): string {
  const id = randomUUID()
  const { title, isPinned, setup, messages } = checked(conversation)
  const files = new Map(conversation.attachments.map((one) => [one.id, randomUUID()]))
  const ids = new Map(messages.map((message) => [message.id, randomUUID()]))
  store.db.transaction('IMMEDIATE', () => {
    for (const { base64, ...facts } of conversation.attachments) {
      insertAttachment(store, { ...facts, id: renamed(files, facts.id) }, Buffer.from(base64, 'base64'))
    }
    const [createdAt, updatedAt] = [momentOf(conversation.createdAt), momentOf(conversation.updatedAt)]
    const key = insertConversation(store, { id, title, isPinned, setup, createdAt, updatedAt })
    for (const message of messages) {
      addMessage(store, key, {
        ...message,
        id: renamed(ids, message.id),
        parentId: message.parentId && renamed(ids, message.parentId),
        attachments: message.attachments.map((one) => renamed(files, one)),
      })
    }
    showNewest(store, key)
  })
  return id
}

function addMessage(store: Store, conversation: number, message: PlaygroundMessage): void {
  const { db } = store
  const { id, run, text, answer, parentId } = message
  const at = momentOf(message.createdAt)
  if (!run) {
    insertQuestion(store, conversation, { ...message, at })
    return
  }
  const kept = { run: { ...run, id, ...(isUnderWay(run) && { state: 'cut' as const }) }, answer: { ...answer, text } }
  const parent = db.row('SELECT key FROM messages WHERE id = ?', parentId ?? '')?.number(0) ?? null
  const key = insertMessage(store, { conversation, parent, id, at }, insertRun(store, kept, 'named'))
  noteText(db, key, text)
  db.run('UPDATE conversations SET model = ? WHERE key = ?', run.target.modelCode, conversation)
}

function showNewest({ db }: Store, conversation: number): void {
  const newest = db.row('SELECT max(key) FROM messages WHERE conversation = ?', conversation)?.maybe(0)
  if (newest !== undefined) show(db, conversation, newest)
}

/** Each message follows one that came before, an answer a question and the other way round; each file is there. */
function checked(conversation: WholeConversation): WholeConversation {
  const roles = new Map<string, PlaygroundMessage['role']>()
  const files = new Set(conversation.attachments.map(({ id }) => id))
  if (files.size < conversation.attachments.length) throw unreadable('Two files have the same id.')
  for (const { id, parentId, role, run, attachments: names } of conversation.messages) {
    if (roles.has(id)) throw unreadable('Two messages have the same id.')
    const before = parentId && roles.get(parentId)
    if (parentId && !before) throw unreadable('A message follows one that does not come before it.')
    if (before !== (role === 'assistant' ? 'user' : parentId && 'assistant')) {
      throw unreadable('A question must follow an answer, and an answer a question.')
    }
    if ((role === 'assistant') !== (run !== undefined)) throw unreadable('Each answer needs its run.')
    if (names.some((name) => !files.has(name))) throw unreadable('A file is missing.')
    roles.set(id, role)
  }
  return conversation
}

function momentOf(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw unreadable('A time cannot be read.')
  return ms
}

function renamed(names: ReadonlyMap<string, string>, id: string): string {
  const name = names.get(id)
  if (name === undefined) throw unreadable('An id is not there.')
  return name
}

const unreadable = (why: string): AppError =>
  new AppError('playground.unreadable', `The conversation cannot be read. ${why}`)
