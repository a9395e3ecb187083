import type * as thread from '../../core/worker-thread'
import type { Ledger, LedgerEntry } from '../ports'

export type Calls = Omit<Ledger, 'flush' | 'add'> & { add(entries: readonly LedgerEntry[]): void }

export type CallName = keyof Calls

export type Call<Name extends CallName = CallName> = thread.Call<Calls, Name>

export const ledgerName: thread.ThreadName = { name: 'usage ledger', unavailable: 'usage.unavailable' }

/** Options of the worker thread. `zone`: time zone of days. */
export interface ThreadOptions {
  readonly file: string
  readonly zone?: string | undefined
  /** Delay in ms before an unusable file is opened again. */
  readonly retryMs: number
  /** Whether the thread runs at low priority, because tools wait for the relay's threads. */
  readonly isBackground?: boolean | undefined
}
