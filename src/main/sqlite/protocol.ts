import type { Failure, FailureCode } from '@shared/failure'

/** What a thread can be asked for, by name. */
export type CallsOf<Calls> = { readonly [Name in keyof Calls]: (...input: never[]) => unknown }

export type InputOf<Calls extends CallsOf<Calls>, Name extends keyof Calls> = Parameters<Calls[Name]>
export type OutputOf<Calls extends CallsOf<Calls>, Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>

/** One call and its input. */
export type Call<Calls extends CallsOf<Calls>, Name extends keyof Calls = keyof Calls> = {
  [One in Name]: { readonly name: One; readonly input: InputOf<Calls, One> }
}[Name]

/** How every call is carried out, inside the thread. */
export type AnswersOf<Calls extends CallsOf<Calls>> = {
  readonly [Name in keyof Calls]: (
    input: InputOf<Calls, Name>,
  ) => OutputOf<Calls, Name> | Promise<OutputOf<Calls, Name>>
}

/** A call on its way to the thread. */
export interface Question<Calls extends CallsOf<Calls>, Name extends keyof Calls = keyof Calls> {
  readonly number: number
  readonly call: Call<Calls, Name>
}

/** What the thread answers. The type of `value` is known to the caller alone: it is what the call of that number returns. */
export type Reply =
  | { readonly number: number; readonly value: never }
  | { readonly number: number; readonly failure: Failure }

/** What a database is called in messages ("usage ledger"), and the failure of one that cannot be used. */
export interface DatabaseName {
  readonly name: string
  readonly unavailable: FailureCode
}
