import { z } from 'zod'
import { failureCodes } from './app-error'

/** Result of an operation that may fail without being a bug. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })

export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })

/** Compile-time check that a switch handles all union members. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`)
}

export { AppError, failureCodes, toAppError, undefinedIfFailed } from './app-error'

export const FailureCode = z.enum(failureCodes)
export type FailureCode = z.infer<typeof FailureCode>

export type GatewayCode = Extract<FailureCode, `gateway.${string}`>

/** A failure from another process. */
export const Failure = z.strictObject({
  code: FailureCode,
  message: z.string(),
  status: z.number().int().optional(),
  requestId: z.string().optional(),
  retryAfterMs: z.number().int().nonnegative().optional(),
  field: z.string().optional(),
  line: z.number().int().positive().optional(),
})
export type Failure = z.infer<typeof Failure>
