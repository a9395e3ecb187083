import { z } from 'zod'
import type { ToldAnswer } from './tool-log'

const amount = z.number().nonnegative()

/** How far a file was read; the text of it is kept in the ledger. */
export const Position = z.object({
  size: amount,
  mtimeMs: amount,
  /** Bytes of whole lines that were read. */
  offset: amount.default(0),
  /** A digest of the first and the last bytes before `offset`: a file in another one's place is told by it. */
  guard: z.string().default(''),
  /** Within a line that is too long, of which the rest is left out. */
  isSkipping: z.boolean().default(false),
  /** Ids of answers without a time, which are told once. */
  known: z.array(z.string()).default([]),
  /** The row to begin with the next time. */
  from: z.string().default(''),
  /** Lines, rows or files that could not be understood. */
  notUnderstood: amount.default(0),
})
export type Position = z.infer<typeof Position>

/** Where reading of a file begins. */
export const beginning: Position = Position.parse({ size: 0, mtimeMs: 0 })

/** Reads what the ledger kept; damaged is as good as nothing. */
export function parsePosition(text: string | undefined): Position {
  try {
    return text === undefined ? beginning : Position.parse(JSON.parse(text))
  } catch {
    return beginning
  }
}

/** What was read of a file, and how far. */
export interface Portion {
  readonly answers: readonly ToldAnswer[]
  readonly position: Position
}
