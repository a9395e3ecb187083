import type { Disk, OpenFile } from '../../../../../src/main/core/files/disk'
import { unsyncedDisk } from './quick-disk'

/** Error of every disk change after the kill. Catching it has no effect. */
class KilledError extends Error {}

type DiskGuard = (operation: string, path: string) => void

/** Wraps `unsyncedDisk` to call `guard` before each change of the disk. */
function createGuardedDisk(guard: DiskGuard, onWrite: (file: OpenFile, bytes: Uint8Array) => Promise<void>): Disk {
  const guardWrite = async (
    { file, bytes, path }: { readonly file: OpenFile; readonly bytes: Uint8Array; readonly path: string },
    write: () => Promise<void>,
  ): Promise<void> => {
    try {
      guard('writeFile', path)
    } catch (error) {
      await onWrite(file, bytes)
      throw error
    }
    await write()
  }
  const createGuardedFile = (file: OpenFile, path: string): OpenFile => ({
    writeFile: (bytes) => guardWrite({ file, bytes, path }, () => file.writeFile(bytes)),
    overwrite: (bytes) => guardWrite({ file, bytes, path }, () => file.overwrite(bytes)),
    chmod: async (mode) => {
      // Setting the mode of a new temporary file is no separate change.
      if (!path.endsWith('.companion-tmp')) guard('chmod', path)
      await file.chmod(mode)
    },
    chown: (uid, gid) => file.chown(uid, gid),
    sync: () => file.sync(),
    close: () => file.close(),
  })
  const runIfDiskWorks = <T>(operation: string, path: string, work: () => Promise<T>): Promise<T> =>
    Promise.resolve().then(() => {
      guard(operation, path)
      return work()
    })
  return {
    ...unsyncedDisk,
    create: (path, mode) =>
      runIfDiskWorks('create', path, async () => createGuardedFile(await unsyncedDisk.create(path, mode), path)),
    open: async (path) => createGuardedFile(await unsyncedDisk.open(path), path),
    rename: (from, to) => runIfDiskWorks('rename', to, () => unsyncedDisk.rename(from, to)),
    unlink: (path) => runIfDiskWorks('unlink', path, () => unsyncedDisk.unlink(path)),
    mkdir: (path, mode) => runIfDiskWorks('mkdir', path, () => unsyncedDisk.mkdir(path, mode)),
    rmdir: (path) => runIfDiskWorks('rmdir', path, () => unsyncedDisk.rmdir(path)),
  }
}

/**
 * A disk that kills its process at the nth change. Neither that change (except for a share of a write) nor any later
 * one is made.
 */
export function createCrashingDisk(
  change: number,
  share = 0.5,
): { readonly disk: Disk; readonly wasKilled: () => boolean } {
  let callCount = 0
  const diskGuard = (): void => {
    callCount += 1
    if (callCount >= change) throw new KilledError(`killed at change ${change}`)
  }
  const writePartially = async (file: OpenFile, bytes: Uint8Array): Promise<void> => {
    if (callCount === change) await file.writeFile(bytes.subarray(0, Math.round(bytes.length * share)))
  }
  return { disk: createGuardedDisk(diskGuard, writePartially), wasKilled: () => callCount >= change }
}

/** A disk that rejects some changes with a system error. A rejected write has written half. */
export function createFailingDisk(code: string, when: (operation: string, path: string) => boolean): Disk {
  const diskGuard: DiskGuard = (operation, path) => {
    if (when(operation, path)) throw Object.assign(new Error(`${code}: refused`), { code })
  }
  return createGuardedDisk(diskGuard, (file, bytes) => file.writeFile(bytes.subarray(0, bytes.length / 2)))
}
