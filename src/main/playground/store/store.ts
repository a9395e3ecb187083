import type { MethodInput, PlaygroundAnswer, PlaygroundRun, PlaygroundSetup, PlaygroundWire } from '@shared/contract'
import { CleanName } from '@shared/contract/common'
import { ConversationView, PlaygroundAttachment, PlaygroundId, PlaygroundMessage } from '@shared/contract/playground'
import { AppError } from '@shared/failure'
import { parseJson } from '@shared/json'
import { z } from 'zod'
import type { Database } from '../../core/sqlite/database'
import type { ThreadName } from '../../core/worker-thread'

/** Parts of a message that are sent to a model. */
export type PromptMessage = Pick<PlaygroundMessage, 'id' | 'role' | 'text' | 'attachments' | 'toolResults'> &
  Pick<PlaygroundAnswer, 'toolCalls'>

/** A stored run with its answer so far. */
export interface KeptRun {
  readonly run: PlaygroundRun
  readonly answer: PlaygroundAnswer
  /** Request and response. Undefined while the run is active. */
  readonly wire?: PlaygroundWire | undefined
}

/**
 * The messages of a new request: the user's message, unless it is already stored, and an empty answer message whose id
 * is that of the run.
 */
export interface NewTurn {
  readonly conversationId: string
  readonly title?: string | undefined
  readonly setup: PlaygroundSetup
  readonly user?: Pick<PlaygroundMessage, 'id' | 'parentId' | 'text' | 'attachments' | 'toolResults'> | undefined
  readonly userMessageId: string
  readonly run: PlaygroundRun
}

/** A conversation with all its branches, for export and import. */
export const WholeConversation = z.object({
  ...ConversationView.pick({ isPinned: true, createdAt: true, updatedAt: true, setup: true }).shape,
  title: CleanName(200),
  /** Messages, parents before children. Answers include their run. */
  messages: z
    .array(PlaygroundMessage.extend({ text: z.string().max(20_000_000), attachments: z.array(PlaygroundId).max(20) }))
    .max(20_000)
    .readonly(),
  /** Attachments with their content as base64. */
  attachments: z
    .array(PlaygroundAttachment.extend({ base64: z.string().max(7_500_000) }))
    .max(2000)
    .readonly(),
})
export type WholeConversation = z.infer<typeof WholeConversation>

export const storeName: ThreadName = { name: "playground's database", unavailable: 'playground.unavailable' }

export interface ThreadOptions {
  readonly file: string
  /** Id of this process, kept when its thread restarts. */
  readonly instance: string
  /** Delay in ms before retrying to open an unusable file. */
  readonly retryMs: number
  /** Size limit of stored requests and responses, compressed. The oldest are deleted. */
  readonly wireBytes?: number | undefined
}

export interface Store {
  readonly db: Database
  /** Row key of this process in the table `owners`. */
  readonly owner: number
  readonly wireBytes: number
}

export const createNotFoundError = (entityName: string): AppError =>
  new AppError('playground.notFound', `This ${entityName} no longer exists.`)

/** Parses stored JSON. Fails with `playground.unavailable`. */
export function parseStoredJson<Stored>(schema: z.ZodType<Stored>, json: string): Stored {
  const value = parseIfReadable(schema, json)
  if (value !== undefined) return value
  throw new AppError('playground.unavailable', "Part of the playground's data cannot be read.")
}

/** Parses stored JSON. Returns undefined if it is invalid, for batch work that must continue. */
export const parseIfReadable = <Stored>(schema: z.ZodType<Stored>, json: string): Stored | undefined =>
  schema.safeParse(parseJson(json)).data

/** Replaces the middle of a long text by a line about the omitted length. */
export function shortenMiddle(text: string, maxLength: number): string {
  const omittedLength = text.length - maxLength
  if (omittedLength <= 0) return text
  const [start, end] = [text.slice(0, maxLength / 2), text.slice(text.length - maxLength / 2)]
  return `${start}\n… (${omittedLength} characters left out) …\n${end}`
}

export const toIso = (ms: number): string => new Date(ms).toISOString()

export const readInsertedKey = ({ db }: Store): number => db.row('SELECT last_insert_rowid()')?.number(0) ?? 0

/** Tables whose rows can be hidden for undo. */
type RemovableTable = 'conversations' | 'comparisons' | 'prompts'

/** Key of a row that is not hidden. Fails with `playground.notFound`. */
export function requireRowKey({ db }: Store, table: RemovableTable, id: string): number {
  const key = db.row(`SELECT key FROM ${table} WHERE id = ? AND removed_by IS NULL`, id)?.number(0)
  if (key === undefined) throw createNotFoundError(table.slice(0, -1))
  return key
}

/** Sql for the runs of an item, by its row key. */
const runsSql = {
  conversation: 'SELECT run FROM messages WHERE conversation = ?',
  comparison: 'SELECT run FROM cells WHERE comparison = ?',
}

/**
 * Hides an item until it is restored. It is deleted when the file is opened after this process has ended. Returns its
 * active runs.
 */
export const remove = (store: Store, { kind, id }: MethodInput<'playground.remove'>): readonly string[] =>
  store.db.transaction('IMMEDIATE', () => {
    const key = requireRowKey(store, `${kind}s`, id)
    store.db.run(`UPDATE ${kind}s SET removed_by = ? WHERE key = ?`, store.owner, key)
    if (kind === 'prompt') return []
    const sql = `SELECT id FROM runs WHERE owner IS NOT NULL AND key IN (${runsSql[kind]}) ORDER BY key`
    return store.db.rows('id', sql, key).map((row) => row.text(0))
  })

/** Restores a removed item. Fails with `playground.notFound` when it was deleted permanently. */
export function restore({ db }: Store, { kind, id }: MethodInput<'playground.restore'>): void {
  if (!db.row(`SELECT key FROM ${kind}s WHERE id = ?`, id)) throw createNotFoundError(kind)
  db.run(`UPDATE ${kind}s SET removed_by = NULL WHERE id = ?`, id)
}

export const pin = (store: Store, { kind, id, isPinned }: MethodInput<'playground.pin'>): void =>
  store.db.run(
    `UPDATE ${kind}s SET is_pinned = ? WHERE key = ?`,
    ...[isPinned ? 1 : 0, requireRowKey(store, `${kind}s`, id)],
  )
