import type * as thread from '../../worker-thread'
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
