import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type Disk, type OpenFile, realDisk } from '../../../../../src/main/core/files/disk'

/**
 * The local disk without fsync and thread pool, for suites that write thousands of files. The real one has its own
 * tests.
 */
export const unsyncedDisk: Disk = {
  user: realDisk.user,
  isWritable: realDisk.isWritable,
  copyAttributes: async () => undefined,
  readFile: async (path) => readFileSync(path),
  lstat: async (path) => readStats(path),
  readlink: async (path) => readlinkSync(path),
  realpath: async (path) => {
    readStats(path)
    return realpathSync.native(path)
  },
  readdir: async (path) => readdirSync(path),
  create: async (path, mode) =>
    openFile(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode)),
  open: async (path) => openFile(openSync(path, 'r+')),
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  mkdir: async (path, mode) => {
    mkdirSync(path, { mode })
  },
  rmdir: async (path) => rmdirSync(path),
  syncFolder: async () => undefined,
}

/** Shared error for missing files, because creating one each time took a fifth of the time of some suites. */
const notFoundError = Object.assign(new Error('There is no such file.'), { code: 'ENOENT' })

function readStats(path: string): Stats {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw notFoundError
  return stats
}

const openFile = (file: number): OpenFile => ({
  writeFile: async (bytes) => writeFileSync(file, bytes),
  overwrite: async (bytes) => {
    for (let nextHandle = 0; nextHandle < bytes.length; )
      nextHandle += writeSync(file, bytes, nextHandle, bytes.length - nextHandle, nextHandle)
    ftruncateSync(file, bytes.length)
  },
  chmod: async (mode) => fchmodSync(file, mode),
  chown: async (uid, gid) => fchownSync(file, uid, gid),
  sync: async () => undefined,
  close: async () => closeSync(file),
})
