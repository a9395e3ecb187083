import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { promisify } from 'node:util'

export type OpenFile = {
  /** Appends. */
  writeFile(bytes: Uint8Array): Promise<void>
  /** Replaces the whole content of the file. */
  overwrite(bytes: Uint8Array): Promise<void>
  chmod(mode: number): Promise<void>
  chown(uid: number, gid: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

export type FileStats = {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly nlink: number
  isFile(): boolean
  isSymbolicLink(): boolean
}

/** File system abstraction. Only the methods from `create` to `rmdir` modify files. */
export type Disk = {
  /** Id of the current user. 0 or undefined has all permissions. */
  readonly user: number | undefined
  /** Fails with `EFBIG` for a file over `maxFileBytes`. */
  readFile(path: string): Promise<Uint8Array>
  lstat(path: string): Promise<FileStats>
  readlink(path: string): Promise<string>
  realpath(path: string): Promise<string>
  readdir(path: string): Promise<readonly string[]>
  /** True if the current user may write the file. */
  isWritable(path: string): Promise<boolean>
  /** Creates a file for writing. Fails if it exists. */
  create(path: string, mode: number): Promise<OpenFile>
  open(path: string): Promise<OpenFile>
  /** Copies extended attributes and access lists, possibly also content. Rejects if that fails or is uncertain. */
  copyAttributes(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string, mode: number): Promise<void>
  rmdir(path: string): Promise<void>
  /** Makes a rename durable where supported. */
  syncFolder(path: string): Promise<void>
}

/** Claude Code's `.claude.json`, which contains its history, is the largest known file and has a few MB. */
const maxFileBytes = 64e6

export const realDisk: Disk = {
  user: process.geteuid?.(),
  readFile: async (path) => {
    const { size } = await fs.stat(path)
    if (size > maxFileBytes) throw Object.assign(new Error(`${path} has ${size} bytes.`), { code: 'EFBIG' })
    return fs.readFile(path)
  },
  lstat: (path) => fs.lstat(path),
  readlink: (path) => fs.readlink(path),
  realpath: (path) => fs.realpath(path),
  readdir: (path) => fs.readdir(path),
  isWritable: (path) =>
    fs.access(path, constants.W_OK).then(
      () => true,
      () => false,
    ),
  create: async (path, mode) =>
    openFile(await fs.open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode)),
  open: async (path) => openFile(await fs.open(path, 'r+')),
  // Node cannot access extended attributes. Linux `cp` can, and elsewhere the system's file copy includes them.
  copyAttributes: async (from, to) => {
    if (process.platform === 'linux') await run('cp', [...attributesOnlyArgs, from, to], { timeout: COPY_TIMEOUT_MS })
    else await fs.copyFile(from, to)
  },
  rename: (from, to) => fs.rename(from, to),
  unlink: (path) => fs.unlink(path),
  mkdir: async (path, mode) => {
    await fs.mkdir(path, { mode })
  },
  rmdir: (path) => fs.rmdir(path),
  syncFolder: async (path) => {
    const folder = await fs.open(path, 'r')
    await folder.sync().finally(() => folder.close())
  },
}

function openFile(handle: fs.FileHandle): OpenFile {
  return {
    writeFile: (bytes) => handle.writeFile(bytes),
    overwrite: async (bytes) => {
      for (let writtenBytes = 0; writtenBytes < bytes.length; )
        writtenBytes += (await handle.write(bytes, writtenBytes, bytes.length - writtenBytes, writtenBytes))
          .bytesWritten
      await handle.truncate(bytes.length)
    },
    chmod: (mode) => handle.chmod(mode),
    chown: (uid, gid) => handle.chown(uid, gid),
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}

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
