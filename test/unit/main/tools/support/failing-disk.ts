import type { Disk, OpenFile } from '../../../../../src/main/core/files/disk'
import { quickDisk } from './quick-disk'

/** Error of every disk change after the kill. Catching it has no effect. */
export class KilledError extends Error {}

type Guard = (operation: string, path: string) => void

/** Wraps `quickDisk` to call `guard` before each change of the disk. */
function guardDisk(guard: Guard, onWrite: (file: OpenFile, bytes: Uint8Array) => Promise<void>): Disk {
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
  const guardedFile = (file: OpenFile, path: string): OpenFile => ({
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
  const runGuarded = <T>(operation: string, path: string, work: () => Promise<T>): Promise<T> =>
    Promise.resolve().then(() => {
      guard(operation, path)
      return work()
    })
  return {
    ...quickDisk,
    create: (path, mode) =>
      runGuarded('create', path, async () => guardedFile(await quickDisk.create(path, mode), path)),
    open: async (path) => guardedFile(await quickDisk.open(path), path),
    rename: (from, to) => runGuarded('rename', to, () => quickDisk.rename(from, to)),
    unlink: (path) => runGuarded('unlink', path, () => quickDisk.unlink(path)),
    mkdir: (path, mode) => runGuarded('mkdir', path, () => quickDisk.mkdir(path, mode)),
    rmdir: (path) => runGuarded('rmdir', path, () => quickDisk.rmdir(path)),
  }
}

/**
 * A disk that kills its process at the nth change. Neither that change (except for a share of a write) nor any later
 * one is made.
 */
export function createKillingDisk(
  change: number,
  share = 0.5,
): { readonly disk: Disk; readonly wasKilled: () => boolean } {
  let callCount = 0
  const guard = (): void => {
    callCount += 1
    if (callCount >= change) throw new KilledError(`killed at change ${change}`)
  }
  const writePartially = async (file: OpenFile, bytes: Uint8Array): Promise<void> => {
    if (callCount === change) await file.writeFile(bytes.subarray(0, Math.round(bytes.length * share)))
  }
  return { disk: guardDisk(guard, writePartially), wasKilled: () => callCount >= change }
}

/** A disk that rejects some changes with a system error. A rejected write has written half. */
export function createRefusingDisk(code: string, when: (operation: string, path: string) => boolean): Disk {
  const guard: Guard = (operation, path) => {
    if (when(operation, path)) throw Object.assign(new Error(`${code}: refused`), { code })
  }
  return guardDisk(guard, (file, bytes) => file.writeFile(bytes.subarray(0, bytes.length / 2)))
}
