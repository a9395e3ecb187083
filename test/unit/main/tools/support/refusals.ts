import { AppError } from '@shared/failure'

/** The failure that `run` throws, else its result. */
export function catchFailure(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error instanceof AppError ? error.failure : error
  }
}

/** Undefined if the text is refused as unparsable, with the line of the problem. */
export function undefinedIfRefused(run: () => string): string | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'file.unparsable' && error.failure.line !== undefined)
      return undefined
    throw error
  }
}
