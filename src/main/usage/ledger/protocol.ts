import type { Failure } from '@shared/failure'
import type { Ledger } from '../ports'

/** What the thread is asked for: the ledger's calls. */
export type Calls = Omit<Ledger, 'flush'>

export type CallName = keyof Calls

export type Inputs = { readonly [Name in CallName]: Parameters<Calls[Name]> }
export type Outputs = { readonly [Name in CallName]: Awaited<ReturnType<Calls[Name]>> }

/** One call and its input. */
export type Call<Name extends CallName = CallName> = {
  [One in Name]: { readonly name: One; readonly input: Inputs[One] }
}[Name]

/** A call on its way to the thread. */
export interface Question<Name extends CallName = CallName> {
  readonly number: number
  readonly call: Call<Name>
}

/** What the thread answers. The type of `value` is known to the caller alone: it is what the call of that number returns. */
export type Reply =
  | { readonly number: number; readonly value: never }
  | { readonly number: number; readonly failure: Failure }

/** What the thread is started with; for the zone see `openLedger`. */
export interface ThreadOptions {
  readonly file: string
  readonly zone?: string | undefined
  /** How long a file that cannot be used is left alone. */
  readonly retryMs: number
}
