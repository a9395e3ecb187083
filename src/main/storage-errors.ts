import { AppError, type FailureCode } from '@shared/failure'

/** Which system and SQLite codes mean which failure. */
const codes: readonly { readonly is: RegExp; readonly code: FailureCode; readonly reason: string }[] = [
  { is: /^(ENOSPC|EDQUOT|SQLITE_FULL)/, code: 'storage.full', reason: 'the disk is full. Free some space' },
  {
    is: /^(EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM)/,
    code: 'storage.denied',
    reason: 'the folder is read-only or belongs to another user. Allow writing to it',
  },
]

/** Why a file of the data folder cannot be used, in words; an error that says something else stays as it is. */
export function explainStorage(error: unknown, path: string): unknown {
  const system = systemCode(error)
  const known = codes.find(({ is }) => is.test(system))
  if (known === undefined) return error
  const message = `${path} cannot be used: ${known.reason} and try again. What was saved before is unchanged.`
  return new AppError(known.code, message, { cause: error })
}

function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code
  return error.message.startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : ''
}
