import type { z } from 'zod'

/** One thing the window may ask of the main process: what goes in and what comes back, both parsed at the edge. */
export interface Method<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly input: I
  readonly output: O
}

/** Declares a method of the contract. */
export const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Method<I, O> => ({
  input,
  output,
})
