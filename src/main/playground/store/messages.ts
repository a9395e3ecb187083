import { PlaygroundAnswer, PlaygroundMessage, PlaygroundRun } from '@shared/contract/playground'
import type { Parameter, Row } from '../../sqlite'
import type { Said } from '../ports'
import { dated, keyOf, notFound, parsed, type Store, unreadable } from './store'
import { lineUp } from './tree'

/** What a person's message holds. */
export const MessageBody = PlaygroundMessage.pick({ text: true, attachments: true })

/** Messages with their answers and runs, in the order that was asked for; those that are not in the conversation are left out. */
export function messages(store: Store, conversationId: string, ids: readonly string[]): readonly PlaygroundMessage[] {
  const conversation = keyOf(store, 'conversations', conversationId)
  const found = select(store, 'm.conversation = ? AND m.id IN (SELECT value FROM json_each(?))', [
    conversation,
    JSON.stringify(ids),
  ])
  const byId = new Map(found.map((message) => [message.id, message]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** What is told of the messages from the first down to this one; runs and thoughts are most of what is kept of them, and stay here. */
export function lineOf(store: Store, conversationId: string, messageId: string): readonly Said[] {
  const message = messageKey(store, keyOf(store, 'conversations', conversationId), messageId)
  return store.db
    .rows(
      'is_answer, json(text), files',
      `SELECT m.run IS NOT NULL AS is_answer, ${member('iif(m.run IS NULL, m.body, r.answer)', 'text')} AS text,
         iif(m.run IS NULL, nullif(${member('m.body', 'attachments')}, '[]'), NULL) AS files
       FROM messages AS m LEFT JOIN runs AS r ON r.key = m.run
       WHERE m.key IN (WITH RECURSIVE ${lineUp} SELECT key FROM line) ORDER BY m.key`,
      message,
    )
    .map(saidOf)
}

/** Every message of a conversation, in the order in which they were made. */
export const allMessages = (store: Store, conversation: number): readonly PlaygroundMessage[] =>
  select(store, 'm.conversation = ?', [conversation])

/** The key of a message. Fails with `playground.notFound` when it is not one of the conversation's. */
export function messageKey({ db }: Store, conversation: number, id: string): number {
  const key = db.row('SELECT key FROM messages WHERE id = ? AND conversation = ?', id, conversation)?.number(0)
  if (key === undefined) throw notFound('message')
  return key
}

/** The JSON of one member of a column; NULL where it is not there or the column is no JSON. */
const member = (column: string, name: 'text' | 'attachments'): string =>
  `iif(json_valid(${column}), ${column} -> '$.${name}', NULL)`

function saidOf(row: Row): Said {
  const [text, files] = [row.maybeText(1), row.maybeText(2)]
  if (text === undefined) throw unreadable()
  const attachments = files === undefined ? [] : parsed(MessageBody.shape.attachments, files)
  return { role: row.number(0) === 1 ? 'assistant' : 'user', text, attachments }
}

const select = ({ db }: Store, where: string, parameters: readonly Parameter[]): readonly PlaygroundMessage[] =>
  db
    .rows(
      'id, parent, at, body, record, answer',
      `SELECT m.id AS id, p.id AS parent, m.at AS at, m.body AS body, r.record AS record, r.answer AS answer
       FROM messages AS m LEFT JOIN messages AS p ON p.key = m.parent LEFT JOIN runs AS r ON r.key = m.run
       WHERE ${where} ORDER BY m.key`,
      ...parameters,
    )
    .map(messageOf)

function messageOf(row: Row): PlaygroundMessage {
  const shared = { id: row.text(0), parentId: row.maybeText(1), createdAt: dated(row.number(2)) }
  const record = row.maybeText(4)
  if (record === undefined) return { ...shared, role: 'user', ...parsed(MessageBody, row.text(3)) }
  const { text, ...answer } = parsed(PlaygroundAnswer, row.text(5))
  return { ...shared, role: 'assistant', text, attachments: [], answer, run: parsed(PlaygroundRun, record) }
}
