import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'

/** An open file that is being written. */
export type OpenFile = {
  writeFile(bytes: Uint8Array): Promise<void>
  chmod(mode: number): Promise<void>
  chown(uid: number, gid: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** What the engine knows of a path without reading it. */
export type FileFacts = {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  isFile(): boolean
  isSymbolicLink(): boolean
}

/** The file system, as far as the engine needs it. Everything that changes something is in `create` to `rmdir`. */
export type Disk = {
  readFile(path: string): Promise<Uint8Array>
  lstat(path: string): Promise<FileFacts>
  readlink(path: string): Promise<string>
  realpath(path: string): Promise<string>
  readdir(path: string): Promise<readonly string[]>
  /** Opens a new file for writing; fails when there is one. */
  create(path: string, mode: number): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string, mode: number): Promise<void>
  rmdir(path: string): Promise<void>
  /** Makes a rename in this folder survive a power cut, where the platform can. */
  syncFolder(path: string): Promise<void>
}

/** The disk of this machine. */
export const realDisk: Disk = {
  readFile: (path) => fs.readFile(path),
  lstat: (path) => fs.lstat(path),
  readlink: (path) => fs.readlink(path),
  realpath: (path) => fs.realpath(path),
  readdir: (path) => fs.readdir(path),
  create: (path, mode) => fs.open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode),
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

/** The code of a failed file operation, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}

/** The value, or undefined when there is no such file or folder. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined
    throw error
  }
}
