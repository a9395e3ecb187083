import { createHash } from 'node:crypto'
import {
  type BranchStep,
  PlaygroundAnswer,
  PlaygroundAttachment,
  PlaygroundDraft,
  PlaygroundMessage,
  PlaygroundRun,
} from '@shared/contract/playground'
import type { Database, Parameter, Row } from '../../core/sqlite/database'
import { writeRun } from './runs'
import { noteText, noteTitle } from './search'
import {
  createNotFoundError,
  type KeptRun,
  type NewTurn,
  type PromptMessage,
  parseStoredJson,
  readInsertedKey,
  requireRowKey,
  type Store,
  toIso,
  type WholeConversation,
} from './store'

/** Stored content of a user message. */
export const MessageBody = PlaygroundMessage.pick({ text: true, attachments: true, toolResults: true })

/** Messages in creation order, with answers and runs. Omits ids of other conversations. */
export function messages(store: Store, conversationId: string, ids: readonly string[]): readonly PlaygroundMessage[] {
  const conversation = requireRowKey(store, 'conversations', conversationId)
  const whereClause = 'm.conversation = ? AND m.id IN (SELECT value FROM json_each(?))'
  return select(store, whereClause, [conversation, JSON.stringify(ids)])
}

/** Messages from the first to the given one, for a model. */
export function readLine(store: Store, conversationId: string, messageId: string): readonly PromptMessage[] {
  const message = messageKey(store, requireRowKey(store, 'conversations', conversationId), messageId)
  const whereClause = `m.key IN (WITH RECURSIVE ${ancestorsSql} SELECT key FROM line)`
  return select(store, whereClause, [message]).map(({ id, role, text, attachments, toolResults, answer }) => ({
    id,
    role,
    text,
    attachments,
    ...(toolResults && { toolResults }),
    ...(answer?.toolCalls && { toolCalls: answer.toolCalls }),
  }))
}

/** All messages of a conversation in creation order. */
export const allMessages = (store: Store, conversation: number): readonly PlaygroundMessage[] =>
  select(store, 'm.conversation = ?', [conversation])

/** Row key of a message. Fails with `playground.notFound` if it is not in the conversation. */
export function messageKey({ db }: Store, conversation: number, id: string): number {
  const key = db.row('SELECT key FROM messages WHERE id = ? AND conversation = ?', id, conversation)?.number(0)
  if (key === undefined) throw createNotFoundError('message')
  return key
}

const select = ({ db }: Store, whereClause: string, parameters: readonly Parameter[]): readonly PlaygroundMessage[] =>
  db
    .rows(
      'id, parent, at, body, record, answer',
      `SELECT m.id AS id, p.id AS parent, m.at AS at, m.body AS body, r.record AS record, r.answer AS answer
       FROM messages AS m LEFT JOIN messages AS p ON p.key = m.parent LEFT JOIN runs AS r ON r.key = m.run
       WHERE ${whereClause} ORDER BY m.key`,
      ...parameters,
    )
    .map(toMessage)

function toMessage(row: Row): PlaygroundMessage {
  const messageFields = { id: row.text(0), parentId: row.maybeText(1), createdAt: toIso(row.number(2)) }
  const record = row.maybeText(4)
  if (record === undefined) return { ...messageFields, role: 'user', ...parseStoredJson(MessageBody, row.text(3)) }
  const { text, ...answer } = parseStoredJson(PlaygroundAnswer, row.text(5))
  const run = parseStoredJson(PlaygroundRun, record)
  return { ...messageFields, role: 'assistant', text, attachments: [], answer, run }
}

/** Message ids of the shown branch. `shownRootKey` is the shown root, or the newest root if undefined. */
export function readBranch(db: Database, conversation: number, shownRootKey: number | undefined): BranchStep[] {
  const children = readChildren(db, conversation)
  const branch: BranchStep[] = []
  let siblings = children.get(0)
  let shownKey = shownRootKey
  while (siblings !== undefined) {
    const node = siblings.find(({ key }) => key === shownKey) ?? siblings.at(-1)
    if (!node) break
    branch.push({ id: node.id, role: node.role, siblings: siblings.map(({ id }) => id) })
    siblings = children.get(node.key)
    shownKey = node.shown
  }
  return branch
}

/** Groups messages by parent (0: none), oldest first. */
function readChildren(db: Database, conversation: number) {
  const rows = db.rows(
    'parent, key, id, shown, is_answer',
    `SELECT coalesce(parent, 0) AS parent, key, id, shown, run IS NOT NULL AS is_answer FROM messages
     WHERE conversation = ? ORDER BY key`,
    conversation,
  )
  const nodes = rows.map((row) => ({
    parent: row.number(0),
    key: row.number(1),
    id: row.text(2),
    shown: row.maybe(3),
    role: row.number(4) === 1 ? ('assistant' as const) : ('user' as const),
  }))
  const children = new Map<number, typeof nodes>(nodes.map(({ parent }) => [parent, []]))
  for (const node of nodes) children.get(node.parent)?.push(node)
  return children
}

/** A message and its ancestors as the table `line (key, parent)`. Its parameter is the message's key. */
const ancestorsSql = `line (key, parent) AS (
  SELECT key, parent FROM messages WHERE key = ?
  UNION ALL SELECT messages.key, messages.parent FROM line JOIN messages ON messages.key = line.parent
)`

export function show(db: Database, conversation: number, message: number): void {
  db.run(
    `WITH RECURSIVE ${ancestorsSql} UPDATE messages SET shown = line.key FROM line
     WHERE messages.key = line.parent AND messages.shown IS NOT line.key`,
    message,
  )
  db.run(
    `WITH RECURSIVE ${ancestorsSql} UPDATE conversations SET shown = (SELECT key FROM line WHERE parent IS NULL) WHERE key = ?`,
    ...[message, conversation],
  )
}

/** Key of the newest message below a message, or of the message itself. */
export function newestEnd(db: Database, conversation: number, message: number): number {
  const newestLeaf = db.row(
    `WITH RECURSIVE below (key) AS (
       SELECT ? UNION ALL
       SELECT messages.key FROM below CROSS JOIN messages ON conversation = ? AND messages.parent = below.key
     ) SELECT max(key) FROM below`,
    ...[message, conversation],
  )
  return newestLeaf?.number(0) ?? message
}

/** Saves the messages of a new request and shows their branch. The answer message has the run's id. */
export function beginTurn(store: Store, turn: NewTurn): void {
  const { db } = store
  const { title, conversationId: id, run, setup } = turn
  const at = Date.parse(run.startedAt)
  db.transaction('IMMEDIATE', () => {
    const conversation =
      title === undefined
        ? requireRowKey(store, 'conversations', id)
        : insertConversation(store, { id, title, isPinned: false, setup, createdAt: at, updatedAt: at })
    if (turn.user) insertQuestion(store, conversation, { ...turn.user, at })
    const answer = { parentId: turn.userMessageId, at, run, answer: { text: '' } }
    show(db, conversation, insertAnswer(store, conversation, answer))
    db.run(
      'UPDATE conversations SET updated_at = max(updated_at, ?), setup = ?, model = ? WHERE key = ?',
      ...[at, JSON.stringify(setup), run.target.modelCode, conversation],
    )
  })
}

interface NewConversation extends Pick<WholeConversation, 'title' | 'isPinned' | 'setup'> {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Inserts a conversation and returns its row key. */
export function insertConversation(store: Store, conversation: NewConversation): number {
  const { id, title, isPinned, setup, createdAt, updatedAt } = conversation
  store.db.run(
    `INSERT INTO conversations (id, is_pinned, created_at, updated_at, messages, title, setup) VALUES (?, ?, ?, ?, 0, ?, ?)`,
    ...[id, isPinned ? 1 : 0, createdAt, updatedAt, title, JSON.stringify(setup)],
  )
  const key = readInsertedKey(store)
  noteTitle(store.db, key, title)
  return key
}

type NewQuestion = Pick<PlaygroundMessage, 'id' | 'parentId' | 'text' | 'attachments' | 'toolResults'> & {
  readonly at: number
}

/** Inserts a question. Fails with `playground.notFound` for a missing parent or file. */
export function insertQuestion(store: Store, conversation: number, question: NewQuestion): void {
  const { db } = store
  const { id, parentId, text, attachments, toolResults, at } = question
  const body = JSON.stringify({ text, attachments, toolResults })
  const key = insertMessage(store, { conversation, parentId, id, at, body })
  for (const attachment of new Set(attachments)) {
    const file = db.row('SELECT key FROM attachments WHERE id = ?', attachment)?.number(0)
    if (file === undefined) throw createNotFoundError('attachment')
    db.run('INSERT INTO named_attachments (message, attachment) VALUES (?, ?)', key, file)
  }
  noteText(db, key, text)
}

interface NewAnswer extends Pick<PlaygroundMessage, 'parentId'>, KeptRun {
  readonly at: number
}

/** Inserts an answer with the id of its run. Returns its row key. Fails with `playground.notFound` for a missing parent. */
export function insertAnswer(store: Store, conversation: number, { parentId, at, ...storedRun }: NewAnswer): number {
  const { run, answer } = storedRun
  const key = insertMessage(store, { conversation, parentId, id: run.id, at, run: writeRun(store, storedRun) })
  noteText(store.db, key, answer.text)
  return key
}

interface NewMessage extends Pick<PlaygroundMessage, 'id' | 'parentId'> {
  readonly conversation: number
  readonly at: number
  /** Key of the run of an answer. */
  readonly run?: number
  /** Content of a question. */
  readonly body?: string
}

function insertMessage(store: Store, { conversation, parentId, id, at, run, body = '' }: NewMessage): number {
  const parent = parentId === undefined ? null : messageKey(store, conversation, parentId)
  store.db.run(
    'INSERT INTO messages (id, conversation, parent, run, at, body) VALUES (?, ?, ?, ?, ?, ?)',
    ...[id, conversation, parent, run ?? null, at, body],
  )
  return readInsertedKey(store)
}

/** Stores an attachment. Equal content is stored once. */
export const attach = (store: Store, attachment: PlaygroundAttachment, content: Uint8Array): void =>
  store.db.transaction('IMMEDIATE', () => insertAttachment(store, attachment, content))

/** Inserts an attachment within a transaction. Keeps an existing row of the same id. */
export function insertAttachment({ db, owner }: Store, attachment: PlaygroundAttachment, content: Uint8Array): void {
  const hash = createHash('sha256').update(content).digest('hex')
  db.run('INSERT OR IGNORE INTO contents (hash, content) VALUES (?, ?)', hash, content)
  db.run(
    `INSERT INTO attachments (id, content, owner, facts) VALUES (?, (SELECT key FROM contents WHERE hash = ?), ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner`,
    ...[attachment.id, hash, owner, JSON.stringify(attachment)],
  )
}

/** Attachments in creation order, without unknown ones. */
export function attachments({ db }: Store, ids: readonly string[]): PlaygroundAttachment[] {
  const sql = 'SELECT facts FROM attachments WHERE id IN (SELECT value FROM json_each(?)) ORDER BY key'
  return db.rows('facts', sql, JSON.stringify(ids)).map((row) => parseStoredJson(PlaygroundAttachment, row.text(0)))
}

/** Content of an attachment. Fails with `playground.notFound`. */
export function attachmentContent({ db }: Store, id: string): Uint8Array {
  const content = db.bytes(
    'SELECT CAST(c.content AS BLOB) FROM attachments AS a JOIN contents AS c ON c.key = a.content WHERE id = ?',
    id,
  )
  if (!content) throw createNotFoundError('attachment')
  return content
}

/** Deletes files without a message or draft, except those added by a running process that may still send them. */
export function sweepAttachments({ db }: Store): void {
  db.run(
    `DELETE FROM attachments WHERE owner NOT IN (SELECT key FROM owners)
     AND key NOT IN (SELECT attachment FROM named_attachments)
     AND id NOT IN (SELECT value FROM drafts, json_each(draft, '$.attachments'))`,
  )
  db.run('DELETE FROM contents WHERE key NOT IN (SELECT content FROM attachments)')
}

/** Reads the unsent input of a chat, or an empty draft. */
export function draft({ db }: Store, key: string): PlaygroundDraft {
  const storedDraft = db.row('SELECT draft FROM drafts WHERE key = ?', key)?.text(0)
  return storedDraft === undefined ? { text: '', attachments: [] } : parseStoredJson(PlaygroundDraft, storedDraft)
}

export function saveDraft({ db }: Store, key: string, newDraft: PlaygroundDraft): void {
  if (newDraft.text === '' && newDraft.attachments.length === 0) db.run('DELETE FROM drafts WHERE key = ?', key)
  else db.run('INSERT OR REPLACE INTO drafts (key, draft) VALUES (?, ?)', key, JSON.stringify(newDraft))
}
