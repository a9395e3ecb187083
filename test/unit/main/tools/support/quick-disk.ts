import fs from 'node:fs'
import { type Disk, type OpenFile, realDisk } from '../../../../../src/main/core/files/disk'

/**
 * The local disk without fsync and thread pool, for suites that write thousands of files. The real one has its own
 * tests.
 */
export const unsyncedDisk: Disk = {
  user: realDisk.user,
  isWritable: realDisk.isWritable,
  copyAttributes: async () => undefined,
  readFile: async (path) => fs.readFileSync(path),
  lstat: async (path) => readStats(path),
  readlink: async (path) => fs.readlinkSync(path),
  realpath: async (path) => {
    readStats(path)
    return fs.realpathSync.native(path)
  },
  readdir: async (path) => fs.readdirSync(path),
  create: async (path, mode) =>
    openFile(fs.openSync(path, fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_WRONLY, mode)),
  open: async (path) => openFile(fs.openSync(path, 'r+')),
  rename: async (from, to) => fs.renameSync(from, to),
  unlink: async (path) => fs.unlinkSync(path),
  mkdir: async (path, mode) => {
    fs.mkdirSync(path, { mode })
  },
  rmdir: async (path) => fs.rmdirSync(path),
  syncFolder: async () => undefined,
}

/** Shared error for missing files, because creating one each time took a fifth of the time of some suites. */
const notFoundError = Object.assign(new Error('There is no such file.'), { code: 'ENOENT' })

function readStats(path: string): fs.Stats {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw notFoundError
  return stats
}

const openFile = (file: number): OpenFile => ({
  writeFile: async (bytes) => fs.writeFileSync(file, bytes),
  overwrite: async (bytes) => {
    for (let nextHandle = 0; nextHandle < bytes.length; )
      nextHandle += fs.writeSync(file, bytes, nextHandle, bytes.length - nextHandle, nextHandle)
    fs.ftruncateSync(file, bytes.length)
  },
  chmod: async (mode) => fs.fchmodSync(file, mode),
  chown: async (uid, gid) => fs.fchownSync(file, uid, gid),
  sync: async () => undefined,
  close: async () => fs.closeSync(file),
})
