import { randomBytes } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@shared/failure'
import { type Content, hashOf } from './content'
import { codeOf, type Disk, type FileFacts, ifThere } from './disk'
import { changed, notText, unreadable, unwritable } from './file-errors'

/** One file at one moment. `bytes`, `hash` and `mode` are missing when there is no file. */
export type Snapshot = {
  /** As asked for; `realPath` is where symbolic links lead. */
  readonly path: string
  readonly realPath: string
  readonly bytes?: Uint8Array
  readonly hash?: string
  readonly mode?: number
}

/** A file to write. `expect`: the hash of what must be there now, null for nothing; undefined: whatever is there. */
export type FileWrite = {
  readonly path: string
  readonly content: Content
  readonly mode: number
  readonly expect?: string | null
}

const MOST_LINKS = 40
const PERMISSIONS = 0o777
const WRITABLE = 0o222

/** Where a path leads, through chains and dangling ends of symbolic links. A loop is `file.unreadable`. */
export async function resolveLinks(path: string, disk: Disk, links = 0): Promise<string> {
  if (links > MOST_LINKS) throw unreadable(path, 'its symbolic links lead in a circle')
  const whole = await reading(path, ifThere(disk.realpath(path)))
  if (whole !== undefined) return whole
  const facts = await reading(path, ifThere(disk.lstat(path)))
  const folder = dirname(path)
  if (facts?.isSymbolicLink())
    return resolveLinks(resolve(folder, await reading(path, disk.readlink(path))), disk, links + 1)
  return folder === path ? path : join(await resolveLinks(folder, disk, links), basename(path))
}

/** The file as it is now. */
export async function readSnapshot(path: string, disk: Disk): Promise<Snapshot> {
  const realPath = await resolveLinks(path, disk)
  const facts = await reading(path, ifThere(disk.lstat(realPath)))
  if (facts === undefined) return { path, realPath }
  if (!facts.isFile()) throw unreadable(path, 'it is not a file')
  const bytes = await reading(path, disk.readFile(realPath))
  return { path, realPath, bytes, hash: hashOf(bytes), mode: facts.mode & PERMISSIONS }
}

/** The text of a file, byte order mark included; what is not UTF-8 is refused, because writing would change it. */
export function textOf({
  path,
  bytes,
}: {
  readonly path: string
  readonly bytes?: Uint8Array | undefined
}): string | undefined {
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw notText(path)
  }
}

/**
 * Replaces a file in one step: after any failure, and after a crash, it is either the old one or the new one.
 * A protected file is `file.unwritable`, one that is not as expected `file.changed`; then nothing is left behind.
 */
export async function writeFile({ path, content, mode, expect }: FileWrite, disk: Disk): Promise<void> {
  const facts = await writing(path, ifThere(disk.lstat(path)))
  if (facts !== undefined && (facts.mode & WRITABLE) === 0) throw unwritable(path, 'it is marked read-only')
  const temporary = temporaryPath(path)
  try {
    await writeTemporary(temporary, { content, mode, facts }, disk)
    if (expect !== undefined) await requireUnchanged(path, expect, disk)
    await replace(temporary, path, disk)
  } catch (error) {
    await disk.unlink(temporary).catch(() => undefined)
    throw error instanceof AppError ? error : unwritable(path, error)
  }
  await disk.syncFolder(dirname(path)).catch(() => undefined)
}

/** Deletes a file; one that is not there is fine, one that is not as expected is `file.changed`. */
export async function removeFile({ path, expect }: Pick<FileWrite, 'path' | 'expect'>, disk: Disk): Promise<void> {
  if (expect !== undefined) await requireUnchanged(path, expect, disk)
  await writing(path, ifThere(disk.unlink(path)))
}

/** The folders that would have to be made for a file at this path, outermost first. */
export async function missingFolders(path: string, disk: Disk): Promise<string[]> {
  const folder = dirname(path)
  if (folder === path || (await writing(path, ifThere(disk.lstat(folder)))) !== undefined) return []
  return [...(await missingFolders(folder, disk)), folder]
}

/** Makes folders, outermost first; those that exist stay as they are. */
export async function makeFolders(folders: readonly string[], mode: number, disk: Disk): Promise<void> {
  for (const folder of folders) {
    await disk.mkdir(folder, mode).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw unwritable(folder, error)
    })
  }
}

/** Removes the folders that are empty, innermost first; others stay. */
export async function pruneFolders(folders: readonly string[], disk: Disk): Promise<void> {
  for (const folder of [...folders].reverse()) await disk.rmdir(folder).catch(() => undefined)
}

/** Removes what a write that was cut off left beside a file. */
export async function sweepTemporaries(path: string, disk: Disk): Promise<void> {
  const left = (await disk.readdir(dirname(path)).catch(() => [])).filter((name) => isTemporaryOf(basename(path), name))
  for (const name of left) await disk.unlink(join(dirname(path), name)).catch(() => undefined)
}

const temporaryPath = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.companion-tmp`)

const isTemporaryOf = (name: string, candidate: string): boolean =>
  candidate.startsWith(`.${name}.`) && /^[0-9a-f]{12}\.companion-tmp$/.test(candidate.slice(name.length + 2))

type NewFile = Pick<FileWrite, 'content' | 'mode'> & { readonly facts: FileFacts | undefined }

async function writeTemporary(path: string, { content, mode, facts }: NewFile, disk: Disk): Promise<void> {
  const file = await disk.create(path, 0o600)
  try {
    await file.writeFile(content.bytes())
    if (facts !== undefined) await file.chown(facts.uid, facts.gid).catch(() => undefined)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Windows refuses to replace a file while another program reads it, for a moment only. */
async function replace(from: string, to: string, disk: Disk): Promise<void> {
  for (const pauseMs of process.platform === 'win32' ? [10, 40, 160, 640] : []) {
    try {
      return await disk.rename(from, to)
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error))) throw error
      await wait(pauseMs)
    }
  }
  await disk.rename(from, to)
}

async function requireUnchanged(path: string, expect: string | null, disk: Disk): Promise<void> {
  const bytes = await reading(path, ifThere(disk.readFile(path)))
  if ((bytes === undefined ? null : hashOf(bytes)) !== expect) throw changed(path)
}

const reading = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw unreadable(path, error)
  })

const writing = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw unwritable(path, error)
  })
