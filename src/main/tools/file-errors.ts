import { AppError, type Failure, type FailureCode } from '@shared/failure'
import { codeOf } from './disk'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EBUSY: 'another program holds it',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
}

/** A file that is no longer what the preview showed. */
export function changed(path: string): AppError {
  return new AppError('file.changed', `${path} changed since the preview. Nothing was written: look at it again.`)
}

/** A file that cannot be read; `cause` is the system's error or the reason in words. */
export function unreadable(path: string, cause: unknown): AppError {
  return new AppError('file.unreadable', `${path} cannot be read: ${reasonOf(cause)}.`, { cause })
}

/** A file that cannot be written; `cause` is the system's error or the reason in words. */
export function unwritable(path: string, cause: unknown): AppError {
  return new AppError('file.unwritable', `${path} cannot be written, so it was left as it is: ${reasonOf(cause)}.`, {
    cause,
  })
}

/** A file that is no UTF-8 text, which writing would change. */
export function notText(path: string): AppError {
  return new AppError('file.unparsable', `${path} is not UTF-8 text. Save it as UTF-8 and try again.`)
}

/** A failure of a file's text as an error that names the file. */
export function refusalOf({ code, message, ...details }: Failure, path: string): AppError {
  return new AppError(code, `${path}: ${message}`, details)
}

const aboutText: readonly FailureCode[] = ['file.unparsable', 'file.notStrict', 'file.notEditable']

/** An error from a file's text with the file's name in it; anything else as it is. */
export function namingFile(path: string, error: unknown): unknown {
  const isAboutText = error instanceof AppError && aboutText.includes(error.failure.code)
  return isAboutText && !error.message.includes(path) ? refusalOf(error.failure, path) : error
}

/** A tool that cannot be given a key. */
export function noKey(): AppError {
  const code: FailureCode = 'vault.keyMissing'
  return new AppError(code, 'There is no key to give to the tool, so nothing was written. Add the key again.')
}

function reasonOf(cause: unknown): string {
  if (typeof cause === 'string') return cause
  return reasons[codeOf(cause)] ?? (codeOf(cause) || 'for an unknown reason')
}
