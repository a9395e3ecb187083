import { randomUUID } from 'node:crypto'
import type { MethodInput } from '@shared/contract'
import {
  type ConversationSummary,
  type ConversationView,
  type OutlineItem,
  PlaygroundAnswer,
  type PlaygroundMessage,
  type PlaygroundRun,
  PlaygroundSetup,
} from '@shared/contract/playground'
import type { Row } from '../../core/sqlite/database'
import {
  allMessages,
  attachmentContent,
  attachments,
  insertAnswer,
  insertAttachment,
  insertConversation,
  insertQuestion,
  MessageBody,
  messageKey,
  messages,
  newestEnd,
  readBranch,
  readLine,
  show,
} from './messages'
import { isActive } from './runs'
import { extractSnippet, normalizeText, noteText, noteTitle, splitTerms, toMatchQuery } from './search'
import { createNotFoundError, parseStoredJson, requireRowKey, type Store, toIso, type WholeConversation } from './store'

const defaultLimit = 50
const resultColumns = 'key, id, title, is_pinned, created_at, updated_at, model'
const columns = `conversations.${resultColumns}`

/** Pinned conversations first, then by last question, then by age. A search returns only matches. */
export function conversations(
  store: Store,
  { search = '', limit = defaultLimit }: MethodInput<'playground.conversations'>,
): ConversationSummary[] {
  const terms = splitTerms(search)
  if (terms.length > 0)
    return queryMatches(store, toMatchQuery(terms), limit).map((row) => ({
      ...toSummary(row),
      found: toSearchMatch(store, row, terms),
    }))
  return search.trim() === '' ? list(store, limit).map(toSummary) : []
}

/** A conversation with the message ids of its shown branch. Fails with `playground.notFound`. */
export function conversation({ db }: Store, id: string): ConversationView {
  const sql = 'SELECT * FROM conversations WHERE id = ? AND removed_by IS NULL'
  const [row] = db.rows(`${resultColumns}, setup, shown`, sql, id)
  if (!row) throw createNotFoundError('conversation')
  return {
    ...toSummary(row),
    setup: parseStoredJson(PlaygroundSetup, row.text(7)),
    branch: readBranch(db, row.number(0), row.maybe(8)),
  }
}

const orderSql = 'removed_by IS NULL ORDER BY is_pinned DESC, updated_at DESC, conversations.key DESC LIMIT ?'

const list = ({ db }: Store, limit: number): readonly Row[] =>
  db.rows(resultColumns, `SELECT ${columns} FROM conversations WHERE ${orderSql}`, limit)

const queryMatches = ({ db }: Store, query: string, limit: number): readonly Row[] =>
  db.rows(
    `${resultColumns}, is_title, message`,
    `WITH hits AS (SELECT rowid AS hit FROM found WHERE found MATCH ?),
     matched AS (
       SELECT -hit AS conversation, NULL AS message FROM hits WHERE hit < 0
       UNION ALL SELECT conversation, hit FROM hits JOIN messages ON messages.key = hit WHERE hit > 0
     ),
     best AS (
       SELECT conversation, count(*) > count(message) AS is_title, max(message) AS message FROM matched GROUP BY conversation
     )
     SELECT ${columns}, is_title, message FROM best JOIN conversations ON conversations.key = best.conversation WHERE ${orderSql}`,
    ...[query, limit],
  )

const toSummary = (row: Row): ConversationSummary => ({
  id: row.text(1),
  title: row.text(2),
  isPinned: row.number(3) === 1,
  createdAt: toIso(row.number(4)),
  updatedAt: toIso(row.number(5)),
  modelCode: row.maybeText(6),
})

function toSearchMatch({ db }: Store, row: Row, terms: readonly string[]): ConversationSummary['found'] {
  const isTitle = row.number(7) === 1
  const sql = `SELECT messages.id AS id, body, answer
    FROM messages LEFT JOIN runs ON runs.key = messages.run WHERE messages.key = ?`
  const [message] = isTitle ? [] : db.rows('id, body, answer', sql, row.number(8))
  if (!message) return extractSnippet(row.text(2), terms)
  const answer = message.maybeText(2)
  const { text } =
    answer === undefined ? parseStoredJson(MessageBody, message.text(1)) : parseStoredJson(PlaygroundAnswer, answer)
  return { messageId: message.text(0), ...extractSnippet(text, terms) }
}

/** Changes a conversation in a transaction, and returns its new state. `work` gets the row key. */
function change(store: Store, id: string, work: (key: number) => void): ConversationView {
  store.db.transaction('IMMEDIATE', () => work(requireRowKey(store, 'conversations', id)))
  return conversation(store, id)
}

/** Makes the branch of a message the shown one, down to its newest leaf. */
export const chooseBranch = (store: Store, conversationId: string, messageId: string): ConversationView =>
  change(store, conversationId, (key) =>
    show(store.db, key, newestEnd(store.db, key, messageKey(store, key, messageId))),
  )

/** Deletes one message for good; the messages after it follow its parent. */
export const removeMessage = (store: Store, conversationId: string, messageId: string): ConversationView =>
  change(store, conversationId, (conversation) => {
    const { db } = store
    const key = messageKey(store, conversation, messageId)
    const row = db.row('SELECT parent, shown, run FROM messages WHERE key = ?', key)
    const [parent, shownChild, run] = [row?.maybe(0) ?? null, row?.maybe(1) ?? null, row?.maybe(2)]
    db.run('UPDATE messages SET parent = ? WHERE conversation = ? AND parent = ?', parent, conversation, key)
    db.run('UPDATE messages SET shown = ? WHERE conversation = ? AND shown = ?', shownChild, conversation, key)
    db.run('UPDATE conversations SET shown = ? WHERE key = ? AND shown = ?', shownChild, conversation, key)
    noteText(db, key, '')
    db.run('DELETE FROM messages WHERE key = ?', key)
    if (run !== undefined) db.run('DELETE FROM runs WHERE key = ?', run)
  })

/** Adds a changed copy of an answer as its sibling, and shows it. Fails with `playground.notFound` for a message that is no answer. */
export const editAnswer = (store: Store, conversationId: string, messageId: string, text: string): ConversationView =>
  change(store, conversationId, (conversation) => {
    const [message] = messages(store, conversationId, [messageId])
    if (!message?.run || isActive(message.run)) throw createNotFoundError('answer')
    const { toolCalls } = message.answer ?? {}
    const answer = {
      text,
      isEdited: true,
      ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, at: Math.min(call.at ?? 0, text.length) })) }),
    }
    const { parentId } = message
    const run = { ...message.run, id: randomUUID() }
    show(store.db, conversation, insertAnswer(store, conversation, { parentId, at: Date.now(), run, answer }))
  })

const maxPreviewLength = 120

/** Messages that have siblings, in tree order: each is followed by the next such messages below it. */
export function outline(store: Store, id: string): OutlineItem[] {
  const conversation = requireRowKey(store, 'conversations', id)
  const allIds = allMessages(store, conversation)
  const shownRootKey = store.db.row('SELECT shown FROM conversations WHERE key = ?', conversation)?.maybe(0)
  const shownIds = new Set(readBranch(store.db, conversation, shownRootKey).map((step) => step.id))
  const children = new Map<string | undefined, PlaygroundMessage[]>()
  for (const message of allIds) children.set(message.parentId, [...(children.get(message.parentId) ?? []), message])
  const items: OutlineItem[] = []
  // Use a stack instead of recursion, because a conversation may be thousands of messages deep.
  const pendingNodes = (children.get(undefined) ?? []).toReversed().map((message) => ({ message, depth: 0 }))
  for (let pendingNode = pendingNodes.pop(); pendingNode; pendingNode = pendingNodes.pop()) {
    const { message, depth } = pendingNode
    const isBranch = (children.get(message.parentId)?.length ?? 0) > 1
    if (isBranch) {
      items.push({
        id: message.id,
        role: message.role,
        depth,
        isShown: shownIds.has(message.id),
        preview: message.text.slice(0, maxPreviewLength).replaceAll(/\s+/g, ' ').trim(),
        ...(message.run && { modelCode: message.run.target.modelCode }),
      })
    }
    const childDepth = depth + (isBranch ? 1 : 0)
    pendingNodes.push(
      ...(children.get(message.id) ?? []).toReversed().map((child) => ({ message: child, depth: childDepth })),
    )
  }
  return items
}

/** Ids of the messages from the first to the given one whose text contains the search words. Ignores case and accents. */
export function findMessages(store: Store, conversationId: string, messageId: string, text: string): string[] {
  const searchText = normalizeText(text.trim())
  if (searchText === '') return []
  return readLine(store, conversationId, messageId)
    .filter((message) => normalizeText(message.text).includes(searchText))
    .map(({ id }) => id)
}

export const setUp = (store: Store, id: string, setup: PlaygroundSetup): void =>
  store.db.run(
    'UPDATE conversations SET setup = ? WHERE key = ?',
    ...[JSON.stringify(setup), requireRowKey(store, 'conversations', id)],
  )

export const rename = (store: Store, id: string, title: string): void =>
  store.db.transaction('IMMEDIATE', () => {
    const key = requireRowKey(store, 'conversations', id)
    store.db.run('UPDATE conversations SET title = ? WHERE key = ?', title, key)
    noteTitle(store.db, key, title)
  })

/** A conversation with all its branches. */
export function whole(store: Store, id: string): WholeConversation {
  const { id: _, modelCode: __, branch: ___, ...facts } = conversation(store, id)
  const messages = allMessages(store, requireRowKey(store, 'conversations', id))
  const names = [...new Set(messages.flatMap((message) => message.attachments))]
  return {
    ...facts,
    messages,
    attachments: attachments(store, names).map((attachment) => ({
      ...attachment,
      base64: Buffer.from(attachmentContent(store, attachment.id)).toString('base64'),
    })),
  }
}

/** Adds a conversation under new ids and returns its id. Parents come before their children. */
export function add(store: Store, conversation: WholeConversation): string {
  const id = randomUUID()
  const { title, isPinned, setup, messages, attachments } = conversation
  const newIds = new Map([...attachments, ...messages].map(({ id: oldId }) => [oldId, randomUUID()]))
  const toNewId = (oldId: string): string => newIds.get(oldId) ?? oldId
  store.db.transaction('IMMEDIATE', () => {
    for (const { base64, ...facts } of attachments) {
      insertAttachment(store, { ...facts, id: toNewId(facts.id) }, Buffer.from(base64, 'base64'))
    }
    const [createdAt, updatedAt] = [Date.parse(conversation.createdAt), Date.parse(conversation.updatedAt)]
    const key = insertConversation(store, { id, title, isPinned, setup, createdAt, updatedAt })
    for (const { parentId, ...oldMessage } of messages) {
      const message = {
        ...oldMessage,
        id: toNewId(oldMessage.id),
        parentId: parentId && toNewId(parentId),
        attachments: oldMessage.attachments.map(toNewId),
      }
      if (message.run) addAnswer(store, key, message, message.run)
      else insertQuestion(store, key, { ...message, at: Date.parse(message.createdAt) })
    }
    const newestKey = store.db.row('SELECT max(key) FROM messages WHERE conversation = ?', key)?.maybe(0)
    if (newestKey !== undefined) show(store.db, key, newestKey)
  })
  return id
}

function addAnswer(store: Store, conversation: number, message: PlaygroundMessage, run: PlaygroundRun): void {
  const { id, text, answer, parentId, createdAt } = message
  const importedRun = { ...run, id, ...(isActive(run) && { state: 'cut' as const }) }
  const newAnswer = { parentId, at: Date.parse(createdAt), run: importedRun, answer: { ...answer, text } }
  insertAnswer(store, conversation, newAnswer)
  store.db.run('UPDATE conversations SET model = ? WHERE key = ?', run.target.modelCode, conversation)
}
