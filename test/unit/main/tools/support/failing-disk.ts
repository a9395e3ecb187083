import type { Disk, OpenFile } from '../../../../../src/main/core/files/disk'
import { quickDisk } from './quick-disk'

/** What the process that is killed throws from then on; nothing can catch it to any effect. */
export class Killed extends Error {}

type Guard = (what: string, path: string) => void

/** The quick disk, with a look at everything that changes something, just before it is done. */
function guarded(guard: Guard, onWrite: (file: OpenFile, bytes: Uint8Array) => Promise<void>): Disk {
  const written = async (
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
    writeFile: (bytes) => written({ file, bytes, path }, () => file.writeFile(bytes)),
    overwrite: (bytes) => written({ file, bytes, path }, () => file.overwrite(bytes)),
    chmod: async (mode) => {
      // The mode of a new file counts with its content.
      if (!path.endsWith('.companion-tmp')) guard('chmod', path)
      await file.chmod(mode)
    },
    chown: (uid, gid) => file.chown(uid, gid),
    sync: () => file.sync(),
    close: () => file.close(),
  })
  const before = <T>(what: string, path: string, work: () => Promise<T>): Promise<T> =>
    Promise.resolve().then(() => {
      guard(what, path)
      return work()
    })
  return {
    ...quickDisk,
    create: (path, mode) => before('create', path, async () => guardedFile(await quickDisk.create(path, mode), path)),
    open: async (path) => guardedFile(await quickDisk.open(path), path),
    rename: (from, to) => before('rename', to, () => quickDisk.rename(from, to)),
    unlink: (path) => before('unlink', path, () => quickDisk.unlink(path)),
    mkdir: (path, mode) => before('mkdir', path, () => quickDisk.mkdir(path, mode)),
    rmdir: (path) => before('rmdir', path, () => quickDisk.rmdir(path)),
  }
}

/** A disk whose user is killed at the nth change: that one is not made (of a write this share is), and nothing after it. */
export function killedAt(change: number, share = 0.5): { readonly disk: Disk; readonly wasKilled: () => boolean } {
  let seen = 0
  const guard = (): void => {
    seen += 1
    if (seen >= change) throw new Killed(`killed at change ${change}`)
  }
  const part = async (file: OpenFile, bytes: Uint8Array): Promise<void> => {
    if (seen === change) await file.writeFile(bytes.subarray(0, Math.round(bytes.length * share)))
  }
  return { disk: guarded(guard, part), wasKilled: () => seen >= change }
}

/** A disk that refuses some changes the way a system does; a write that is refused has written half. */
export function refusing(code: string, when: (what: string, path: string) => boolean): Disk {
  const guard: Guard = (what, path) => {
    if (when(what, path)) throw Object.assign(new Error(`${code}: refused`), { code })
  }
  return guarded(guard, (file, bytes) => file.writeFile(bytes.subarray(0, bytes.length / 2)))
}
