import { execFile } from 'node:child_process'
import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { promisify } from 'node:util'
import { isFulfilled } from '../work-queue'

export type FileStats = Pick<Stats, 'mode' | 'uid' | 'gid' | 'nlink' | 'isFile' | 'isSymbolicLink'>

/** File system abstraction. Only the methods from `create` to `rmdir` modify files. */
export type Disk = Readonly<typeof realDisk>

/** Claude Code's `.claude.json`, which contains its history, is the largest known file and has a few MB. */
const maxFileBytes = 64e6

export const realDisk = {
  /** Id of the current user. 0 or undefined has all permissions. */
  user: process.geteuid?.(),
  /** Fails with `EFBIG` for a file over `maxFileBytes`. */
  readFile: async (path: string): Promise<Uint8Array> => {
    const { size } = await fs.stat(path)
    if (size > maxFileBytes) throw Object.assign(new Error(`${path} has ${size} bytes.`), { code: 'EFBIG' })
    return fs.readFile(path)
  },
  lstat: (path: string): Promise<FileStats> => fs.lstat(path),
  readlink: (path: string): Promise<string> => fs.readlink(path),
  realpath: (path: string): Promise<string> => fs.realpath(path),
  readdir: (path: string): Promise<readonly string[]> => fs.readdir(path),
  /** True if the current user may write the file. */
  isWritable: (path: string): Promise<boolean> => isFulfilled(fs.access(path, constants.W_OK)),
  /** Creates a file for writing. Fails if it exists. */
  create: async (path: string, mode: number): Promise<OpenFile> =>
    openFile(await fs.open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode)),
  open: async (path: string): Promise<OpenFile> => openFile(await fs.open(path, 'r+')),
  /**
   * Copies extended attributes and access lists, possibly also content. Rejects if that fails or is uncertain. Node
   * cannot access extended attributes. Linux `cp` can, and elsewhere the system's file copy includes them.
   */
  copyAttributes: async (from: string, to: string): Promise<void> => {
    if (process.platform === 'linux') await run('cp', [...attributesOnlyArgs, from, to], { timeout: COPY_TIMEOUT_MS })
    else await fs.copyFile(from, to)
  },
  rename: (from: string, to: string): Promise<void> => fs.rename(from, to),
  unlink: (path: string): Promise<void> => fs.unlink(path),
  mkdir: async (path: string, mode: number): Promise<void> => {
    await fs.mkdir(path, { mode })
  },
  rmdir: (path: string): Promise<void> => fs.rmdir(path),
  /** Makes a rename durable where supported. */
  syncFolder: async (path: string): Promise<void> => {
    const folder = await fs.open(path, 'r')
    await folder.sync().finally(() => folder.close())
  },
}

export type OpenFile = Readonly<ReturnType<typeof openFile>>

const openFile = (handle: fs.FileHandle) => ({
  /** Appends. */
  writeFile: (bytes: Uint8Array) => handle.writeFile(bytes),
  /** Replaces the whole content of the file. */
  overwrite: async (bytes: Uint8Array): Promise<void> => {
    for (let writtenBytes = 0; writtenBytes < bytes.length; )
      writtenBytes += (await handle.write(bytes, writtenBytes, bytes.length - writtenBytes, writtenBytes)).bytesWritten
    await handle.truncate(bytes.length)
  },
  chmod: (mode: number) => handle.chmod(mode),
  chown: (uid: number, gid: number) => handle.chown(uid, gid),
  sync: () => handle.sync(),
  close: () => handle.close(),
})

const run = promisify(execFile)
const COPY_TIMEOUT_MS = 5000

/** Options of GNU `cp` that copy access lists and extended attributes, or fail. */
export const attributesOnlyArgs = ['--attributes-only', '--preserve=mode,xattr', '--']

export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/** Resolves to the result of `work`, or to undefined if it fails because the file or folder does not exist. */
export async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined
    throw error
  }
}
