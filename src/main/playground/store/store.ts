import { AppError } from '@shared/failure'
import type { z } from 'zod'
import type { Database } from '../../core/sqlite/database'
import type * as thread from '../../core/worker-thread'
import type { PlaygroundStore } from '../ports'

export type CallName = keyof PlaygroundStore

/** One call and its input. */
export type Call<Name extends CallName = CallName> = thread.Call<PlaygroundStore, Name>

/** What the database is called, and how its failures are. */
export const storeName: thread.ThreadName = { name: "playground's database", unavailable: 'playground.unavailable' }

/** What the thread is started with. */
export interface ThreadOptions {
  readonly file: string
  /** Names whoever has the file open; the same one when its thread is started again. */
  readonly instance: string
  /** How long a file that cannot be used is left alone, in ms. */
  readonly retryMs: number
  /** So many bytes are kept of what went over the wire, compressed; the oldest go. */
  readonly wireBytes?: number | undefined
}

/** The open database, and who it is that has it open. */
export interface Store {
  readonly db: Database
  /** The key of this process in `owners`. */
  readonly owner: number
  readonly wireBytes: number
}

/** What a person may not find any more, or never did. */
export const notFound = (what: string): AppError => new AppError('playground.notFound', `This ${what} is not there.`)

/** Reads what was kept as JSON. Fails with `playground.unavailable`. */
export function parsed<Stored>(schema: z.ZodType<Stored>, json: string): Stored {
  const value = parsedIfReadable(schema, json)
  if (value !== undefined) return value
  throw unreadable()
}

/** The same for work on everything that is kept, which goes on past what cannot be read. */
export const parsedIfReadable = <Stored>(schema: z.ZodType<Stored>, json: string): Stored | undefined =>
  schema.safeParse(parseJson(json)).data

/** The failure of what was kept and is something else now. */
export const unreadable = (): AppError =>
  new AppError('playground.unavailable', "Part of the playground's data cannot be read.")

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** A moment in ms as the contract tells it. */
export const dated = (ms: number): string => new Date(ms).toISOString()

/** Things that have an id and can be removed for the time being. */
type Removable = 'conversations' | 'comparisons' | 'prompts'

const nouns: Readonly<Record<Removable, string>> = {
  conversations: 'conversation',
  comparisons: 'comparison',
  prompts: 'prompt',
}

/** The key of something that is there and not removed. Fails with `playground.notFound`. */
export function requireRowKey({ db }: Store, table: Removable, id: string): number {
  const key = db.row(`SELECT key FROM ${table} WHERE id = ? AND removed_by IS NULL`, id)?.number(0)
  if (key === undefined) throw notFound(nouns[table])
  return key
}

/** Hides something until it is restored, or until the next opening after this process. */
export function hide(store: Store, table: Removable, id: string): void {
  store.db.run(`UPDATE ${table} SET removed_by = ? WHERE key = ?`, store.owner, requireRowKey(store, table, id))
}

/** Fails with `playground.notFound` when it is gone for good. */
export function restore({ db }: Store, table: Removable, id: string): void {
  if (!db.row(`SELECT key FROM ${table} WHERE id = ?`, id)) throw notFound(nouns[table])
  db.run(`UPDATE ${table} SET removed_by = NULL WHERE id = ?`, id)
}

/** Fails with `playground.notFound`. */
export function pin(store: Store, table: 'conversations' | 'comparisons', { id, isPinned }: Pinned): void {
  store.db.run(`UPDATE ${table} SET is_pinned = ? WHERE key = ?`, isPinned ? 1 : 0, requireRowKey(store, table, id))
}

interface Pinned {
  readonly id: string
  readonly isPinned: boolean
}
