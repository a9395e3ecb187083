import type { Failure, FailureCode } from './failure'

/** Thrown inside a process; becomes a `Failure` at its edge. */
export class AppError extends Error {
  readonly failure: Failure

  constructor(
    code: FailureCode,
    message: string,
    details: Omit<Failure, 'code' | 'message'> & { cause?: unknown } = {},
  ) {
    const { cause, ...rest } = details
    super(message, { cause })
    this.name = 'AppError'
    this.failure = { ...rest, code, message }
  }
}
