import type { Failure, FailureCode } from '@shared/failure'

/** What the console's own codes mean (decisions 3), and the field that is at fault. */
const meanings: Readonly<Record<string, { readonly code: FailureCode; readonly field?: string }>> = {
  INVALID_NAME: { code: 'account.invalidName', field: 'name' },
  ROLE_NOT_ALLOWED: { code: 'account.roleNotAllowed' },
  INSUFFICIENT_CREDITS: { code: 'account.insufficientCredits' },
  KEY_LIMIT_REACHED: { code: 'account.keyLimitReached' },
  PLAN_EXPIRED: { code: 'account.planExpired' },
  NOT_FOUND: { code: 'api.notFound' },
}

/** Code and field of a refusal by the console's own code; nothing for a code that is not known. */
export function meaningOf(consoleCode: string): Pick<Failure, 'code' | 'field'> | undefined {
  return Object.hasOwn(meanings, consoleCode) ? meanings[consoleCode] : undefined
}
