import type * as thread from '../../worker-thread'
import type { Ledger, LedgerEntry } from '../ports'

/** What the thread is asked for: the ledger's calls. */
export type Calls = Omit<Ledger, 'flush' | 'add'> & { add(entries: readonly LedgerEntry[]): void }

export type CallName = keyof Calls

/** One call and its input. */
export type Call<Name extends CallName = CallName> = thread.Call<Calls, Name>

/** What the ledger is called, and how its failures are. */
export const ledgerName: thread.ThreadName = { name: 'usage ledger', unavailable: 'usage.unavailable' }

/** What the thread is started with; for the zone see `openLedger`. */
export interface ThreadOptions {
  readonly file: string
  readonly zone?: string | undefined
  /** How long a file that cannot be used is left alone. */
  readonly retryMs: number
  /** What is written may wait for the threads that tools wait for. */
  readonly isBackground?: boolean | undefined
}
