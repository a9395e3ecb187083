import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { Disk } from '../../../../../src/main/tools/disk'

/**
 * The disk of this machine for suites that write thousands of files: nothing waits for the platters, nor for another
 * thread, which costs more than the work itself. The real one has tests of its own.
 */
export const quickDisk: Disk = {
  readFile: async (path) => readFileSync(path),
  lstat: async (path) => lstatSync(path),
  readlink: async (path) => readlinkSync(path),
  realpath: async (path) => realpathSync.native(path),
  readdir: async (path) => readdirSync(path),
  create: async (path, mode) => {
    const file = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, mode)
    return {
      writeFile: async (bytes) => writeFileSync(file, bytes),
      chmod: async (wanted) => fchmodSync(file, wanted),
      chown: async (uid, gid) => fchownSync(file, uid, gid),
      sync: async () => undefined,
      close: async () => closeSync(file),
    }
  },
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  mkdir: async (path, mode) => {
    mkdirSync(path, { mode })
  },
  rmdir: async (path) => rmdirSync(path),
  syncFolder: async () => undefined,
}
