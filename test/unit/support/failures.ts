import { AppError, type Failure } from '@shared/failure'
import { expect } from 'vitest'

/** The failure of work that must fail. */
export async function catchFailure(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  )
  if (error instanceof AppError) return error.failure
  throw error
}

/** Expects that work fails with this code and these details, or with these fields of a failure. */
export async function expectFailure(work: unknown, expected: string | object, details: object = {}): Promise<void> {
  const failure = typeof expected === 'string' ? { code: expected, ...details } : expected
  await expect(work).rejects.toMatchObject({ failure })
}
