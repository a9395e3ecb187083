import { createHash, randomBytes } from 'node:crypto'
import { constants, open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { AppError, type Failure, type FailureCode } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { isFulfilled } from '../work-queue'
import { type Disk, errorCode, type FileStats, undefinedIfMissing } from './disk'

/** Snapshot of a file. `bytes`, `hash` and `mode` are omitted if it does not exist. */
export type Snapshot = {
  /** Requested path, before symbolic links are resolved (`realPath`). */
  readonly path: string
  readonly realPath: string
  readonly bytes?: Uint8Array
  readonly hash?: string
  readonly mode?: number
}

/** `expect`: required hash of the current content, or null if the file must not exist. Undefined accepts any state. */
type FileWrite = {
  readonly path: string
  readonly content: Content
  readonly mode: number
  readonly expect?: string | null
  /** Whether to keep hard links, owner, group, access lists and attributes. */
  readonly preserve?: boolean
}

export type Step =
  | ({ readonly kind: 'write' } & FileWrite)
  | { readonly kind: 'remove'; readonly path: string; readonly expect?: string | null }
  | { readonly kind: 'makeFolders'; readonly paths: readonly string[]; readonly mode: number }
  | { readonly kind: 'pruneFolders'; readonly paths: readonly string[] }

const MAX_LINKS = 40
const PERMISSIONS = 0o777
const WRITE_PERMISSION_BITS = 0o222

/** Resolves symbolic links, including chains and dangling ones. Throws `file.unreadable` for a loop. */
export async function resolveLinks(path: string, disk: Disk, links = 0): Promise<string> {
  if (links > MAX_LINKS) throw createUnreadableError(path, 'its symbolic links lead in a circle')
  const realPath = await toReadError(path, undefinedIfMissing(disk.realpath(path)))
  if (realPath !== undefined) return realPath
  const fileStats = await toReadError(path, undefinedIfMissing(disk.lstat(path)))
  const folder = dirname(path)
  if (fileStats?.isSymbolicLink())
    return resolveLinks(resolve(folder, await toReadError(path, disk.readlink(path))), disk, links + 1)
  return folder === path ? path : join(await resolveLinks(folder, disk, links), basename(path))
}

export async function readSnapshot(path: string, disk: Disk): Promise<Snapshot> {
  const realPath = await resolveLinks(path, disk)
  const fileStats = await toReadError(path, undefinedIfMissing(disk.lstat(realPath)))
  if (fileStats === undefined) return { path, realPath }
  if (!fileStats.isFile()) throw createUnreadableError(path, 'it is not a file')
  const bytes = await toReadError(path, disk.readFile(realPath))
  return { path, realPath, bytes, hash: computeHash(bytes), mode: fileStats.mode & PERMISSIONS }
}

/** Text of the file with its byte order mark. Rejects invalid UTF-8, which a write would change. */
export function decodeText(file: { readonly path: string; readonly bytes?: Uint8Array | undefined }) {
  const { path, bytes } = file
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new AppError('file.unparsable', `${path} is not UTF-8 text. Save it as UTF-8 and try again.`)
  }
}

/**
 * Writes a file atomically, normally by rename, also across crashes. With `preserve`, writes in place if a new file
 * would lose links, owner, group or attributes. A temporary copy then lets `recover` detect and roll back half-written
 * files. Fails with `file.unwritable` or `file.changed` and leaves nothing behind.
 */
export async function writeFile(write: FileWrite, disk: Disk): Promise<void> {
  const { path, mode, expect } = write
  const fileStats = await wrapWriteErrors(path, undefinedIfMissing(disk.lstat(path)))
  if (fileStats !== undefined && (fileStats.mode & WRITE_PERMISSION_BITS) === 0)
    throw createUnwritableError(path, 'it is marked read-only')
  const temporaryFile = temporaryPath(path)
  try {
    const preservesAll = await writeTemporary(temporaryFile, { ...write, facts: fileStats }, disk)
    if (expect !== undefined) await requireUnchanged(path, expect, disk)
    if (fileStats === undefined || preservesAll || (await isReplaced(path, mode, disk)))
      await replace(temporaryFile, path, disk)
    else {
      await disk.syncFolder(dirname(path)).catch(() => undefined)
      await writeToTemporaryFile(path, { ...write, facts: fileStats }, disk)
      await disk.unlink(temporaryFile)
    }
  } catch (error) {
    await disk.unlink(temporaryFile).catch(() => undefined)
    throw error instanceof AppError ? error : createUnwritableError(path, error)
  }
  await disk.syncFolder(dirname(path)).catch(() => undefined)
}

/** Whether the file must be replaced, because this user can neither write it nor set its mode. */
export async function isReplaced(path: string, mode: number, disk: Disk): Promise<boolean> {
  const fileStats = await toReadError(path, undefinedIfMissing(disk.lstat(path)))
  if (fileStats === undefined || !disk.user || fileStats.uid === disk.user) return false
  return (fileStats.mode & PERMISSIONS) !== mode || !(await disk.isWritable(path))
}

/** Deletes a file if it exists. Throws `file.changed` if it is not as expected. */
export async function removeFile({ path, expect }: Pick<FileWrite, 'path' | 'expect'>, disk: Disk): Promise<void> {
  if (expect !== undefined) await requireUnchanged(path, expect, disk)
  await wrapWriteErrors(path, undefinedIfMissing(disk.unlink(path)))
}

/** Missing parent folders of a path, outermost first. */
export async function missingFolders(path: string, disk: Disk): Promise<string[]> {
  const folder = dirname(path)
  if (folder === path || (await wrapWriteErrors(path, undefinedIfMissing(disk.lstat(folder)))) !== undefined) return []
  return [...(await missingFolders(folder, disk)), folder]
}

export async function makeFolders(folders: readonly string[], mode: number, disk: Disk): Promise<void> {
  for (const folder of folders) {
    await disk.mkdir(folder, mode).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw createUnwritableError(folder, error)
    })
  }
}

export async function pruneFolders(folders: readonly string[], disk: Disk): Promise<void> {
  for (const folder of [...folders].reverse()) await disk.rmdir(folder).catch(() => undefined)
}

export async function deleteTemporaries(path: string, disk: Disk): Promise<void> {
  for (const leftoverPath of await findTemporaryFiles(path, disk))
    await disk.unlink(leftoverPath).catch(() => undefined)
}

export async function findTemporaryFiles(path: string, disk: Disk): Promise<string[]> {
  const names = await disk.readdir(dirname(path)).catch(() => [])
  const start = `.${basename(path)}.`
  const isTemporaryFile = (name: string): boolean =>
    name.startsWith(start) && /^[0-9a-f]{12}\.companion-tmp$/.test(name.slice(start.length))
  return names.filter(isTemporaryFile).map((name) => join(dirname(path), name))
}

/** Detects an interrupted in-place write: each byte is old, new, or a zero beyond the old length. */
export function isHalfWritten(bytes: Uint8Array, bytesBefore: Uint8Array, bytesAfter: Uint8Array): boolean {
  return (
    bytes.length >= Math.min(bytesBefore.length, bytesAfter.length) &&
    bytes.length <= Math.max(bytesBefore.length, bytesAfter.length) &&
    bytes.every(
      (byte, index) =>
        byte === bytesBefore[index] || byte === bytesAfter[index] || (byte === 0 && index >= bytesBefore.length),
    )
  )
}

const temporaryPath = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.companion-tmp`)

type Replacement = FileWrite & { readonly facts: FileStats | undefined }

/** Writes the temporary file. Returns whether this file has all attributes of the file that it will replace. */
async function writeTemporary(path: string, write: Replacement, disk: Disk): Promise<boolean> {
  const { content, mode, facts, preserve } = write
  const createdFile = await disk.create(path, 0o600)
  try {
    if (facts !== undefined) await createdFile.chown(facts.uid, facts.gid).catch(() => undefined)
  } finally {
    await createdFile.close()
  }
  const preservesAll = !preserve || facts === undefined || (await copyFileAttributes(path, { ...write, facts }, disk))
  const file = await disk.open(path)
  try {
    // Reset the mode, which copying attributes may have widened. The file may contain a key.
    await file.chmod(0o600)
    await file.overwrite(content.bytes())
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
  return preservesAll
}

async function copyFileAttributes(
  targetPath: string,
  { path, facts }: Replacement & { readonly facts: FileStats },
  disk: Disk,
): Promise<boolean> {
  if (facts.nlink > 1) return false
  const { uid, gid } = await disk.lstat(targetPath)
  if (uid !== facts.uid || gid !== facts.gid) return false
  return isFulfilled(disk.copyAttributes(path, targetPath))
}

/** Overwrites the existing file in place. Restores its content and mode on failure. */
async function writeToTemporaryFile(
  path: string,
  { content, mode, facts }: Replacement & { readonly facts: FileStats },
  disk: Disk,
): Promise<void> {
  const bytesBefore = await disk.readFile(path)
  const oldMode = facts.mode & PERMISSIONS
  const file = await disk.open(path)
  try {
    // Never widen access temporarily, because the file may contain a key.
    if ((oldMode & mode) !== oldMode) await file.chmod(oldMode & mode)
    await file.overwrite(content.bytes())
    if ((oldMode & mode) !== mode) await file.chmod(mode)
    await file.sync()
  } catch (error) {
    await file.overwrite(bytesBefore)
    if (oldMode !== mode) await file.chmod(oldMode)
    throw error
  } finally {
    await file.close()
  }
}

/** Windows briefly rejects replacing a file that another program reads. */
async function replace(from: string, to: string, disk: Disk): Promise<void> {
  for (const pauseMs of process.platform === 'win32' ? [10, 40, 160, 640] : []) {
    try {
      return await disk.rename(from, to)
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error))) throw error
      await wait(pauseMs)
    }
  }
  await disk.rename(from, to)
}

async function requireUnchanged(path: string, expect: string | null, disk: Disk): Promise<void> {
  const bytes = await toReadError(path, undefinedIfMissing(disk.readFile(path)))
  if ((bytes === undefined ? null : computeHash(bytes)) !== expect) throw createChangedError(path)
}

const toReadError = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw createUnreadableError(path, error)
  })

const wrapWriteErrors = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw createUnwritableError(path, error)
  })

/** Fails with `file.unreadable`, also for a folder, pipe or device (may never end), or with `createTooLargeError`. */
export async function readChosenFile(
  path: string,
  maxBytes: number,
  createTooLargeError: () => AppError,
): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const file = await toReadError(path, open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)))
  try {
    if (!(await file.stat()).isFile()) throw createUnreadableError(path, 'it is not a file')
    const chunks: Buffer[] = []
    // Read one byte more than allowed, to detect an oversized file.
    for await (const chunk of file.createReadStream({ end: maxBytes, autoClose: false })) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length > maxBytes) throw createTooLargeError()
    return bytes
  } catch (error) {
    throw error instanceof AppError ? error : createUnreadableError(path, error)
  } finally {
    await file.close()
  }
}

/** `kind`: such as "a profile". Fails with `file.unreadable`, or with `code` for an oversized or binary file. */
export async function readChosenText(
  path: string,
  { maxBytes, kind, code }: { readonly maxBytes: number; readonly kind: string; readonly code: FailureCode },
): Promise<string> {
  const createError = (problem: string): AppError => new AppError(code, `${path} is ${problem}. Choose another file.`)
  const bytes = await readChosenFile(path, maxBytes, () => createError(`too large for ${kind}`))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw createError(`not UTF-8 text, so it is not ${kind}`)
  }
}

/** Writes a file at the path that the user chose. Writes nothing without one. Fails with `file.unwritable`. */
export async function writeChosenFile(
  path: string | undefined,
  content: Uint8Array | string,
  disk: Disk,
  mode = 0o600,
): Promise<{ path?: string }> {
  if (path === undefined) return {}
  await writeFile({ path: await resolveLinks(path, disk), content: new Content(content), mode }, disk)
  return { path }
}

/** Streams to a temporary file and renames it. Fails with `file.unwritable`. */
export async function writeStreamedFile(
  { path, pieces, mode }: Pick<FileWrite, 'path' | 'mode'> & { pieces: AsyncIterable<string> | Iterable<string> },
  disk: Disk,
): Promise<void> {
  const temporaryFile = temporaryPath(path)
  try {
    const file = await disk.create(temporaryFile, mode)
    try {
      for await (const chunk of pieces) await file.writeFile(Buffer.from(chunk))
      await file.sync()
    } finally {
      await file.close()
    }
    await disk.rename(temporaryFile, path)
  } catch (error) {
    await disk.unlink(temporaryFile).catch(() => undefined)
    throw error instanceof AppError ? error : createUnwritableError(path, error)
  }
}

/** A valid file name on all file systems, at most 80 characters. */
export const toFileName = (name: string, otherwise: string): string =>
  cleanName(name)
    .replace(/[<>:"/\\|?*]+/gu, '-')
    .replace(/^[.\s-]+|[.\s-]+$/g, '')
    .slice(0, 80) || otherwise

/** File content that may include a key, so it cannot be printed or serialized. */
export class Content {
  readonly #bytes: Uint8Array
  #hash: string | undefined

  constructor(bytes: Uint8Array | string) {
    this.#bytes = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  }

  /** Returns the plain bytes. Only for writing the file itself. */
  bytes(): Uint8Array {
    return this.#bytes
  }

  get hash(): string {
    this.#hash ??= computeHash(this.#bytes)
    return this.#hash
  }

  toJSON(): string {
    return '[content]'
  }

  [inspect.custom](): string {
    return '[content]'
  }
}

/** SHA-256 in hex. */
export function computeHash(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const reasons: Readonly<Record<string, string>> = {
  EFBIG: 'it is larger than 64 MB',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EBUSY: 'another program holds it',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
}

export function createChangedError(path: string): AppError {
  const message = `${path} changed since the preview. Nothing was written. Preview the change again.`
  return new AppError('file.changed', message)
}

/** `cause` is a system error or a text with the reason. */
export function createUnreadableError(path: string, cause: unknown): AppError {
  return new AppError('file.unreadable', `${path} cannot be read: ${describeCause(cause)}.`, { cause })
}

/** `cause` is a system error or a text with the reason. */
export function createUnwritableError(path: string, cause: unknown): AppError {
  const message = `${path} cannot be written, so it was not changed: ${describeCause(cause)}.`
  return new AppError('file.unwritable', message, { cause })
}

export function toFileError({ code, message, ...details }: Failure, path: string): AppError {
  return new AppError(code, `${path}: ${message}`, details)
}

const textFailureCodes: readonly FailureCode[] = ['file.unparsable', 'file.notStrict', 'file.notEditable']

/** Adds the file name to a parse error. Passes other errors through. */
export function addFileName(path: string, error: unknown): unknown {
  const isParseError = error instanceof AppError && textFailureCodes.includes(error.failure.code)
  return isParseError && !error.message.includes(path) ? toFileError(error.failure, path) : error
}

function describeCause(cause: unknown): string {
  if (typeof cause === 'string') return cause
  return reasons[errorCode(cause)] ?? (errorCode(cause) || 'for an unknown reason')
}
