import type { HandoutResult } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { isFailureCode } from '../failures/failure-code'

/** Why a kit was not made. */
export function resultFailure({ failure }: HandoutResult): Failure | undefined {
  if (!failure) return undefined
  const { code, message } = failure
  return { code: isFailureCode(code) ? code : 'internal.unexpected', message }
}
