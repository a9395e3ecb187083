/** The outcome of something that may fail without being a bug. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

/** A success that carries `value`. */
export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })

/** A failure that carries `error`. */
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })

/** Makes the compiler refuse a switch that misses a member of a closed union. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`)
}
