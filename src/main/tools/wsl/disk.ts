import { posix } from 'node:path'
import { attributesOnly, type Disk, type FileFacts, type OpenFile } from '../disk'
import { fromShare, isLinuxPath, toShare } from './paths'
import type { WslRun } from './run'

/** Of a file that Windows shows nothing about: what cannot give anything away. */
const PRIVATE = 0o600

/**
 * A disk on which every Linux path is one of a distribution; paths of Windows stay what they are. Windows neither shows
 * nor sets the permissions of Linux, so the distribution is asked for them and told. Not tried on Windows.
 */
export function wslDisk(distribution: string, disk: Disk, run: WslRun): Disk {
  const linux = (path: string): string => path.replaceAll('\\', '/')
  const at = (path: string): string => (isLinuxPath(path) ? toShare(distribution, linux(path)) : path)
  const inside = (...argv: string[]): Promise<Uint8Array> => run(['--distribution', distribution, '--exec', ...argv])
  const place: Inside = { modeOf: (path) => modeOf(inside, path), setMode: (path, mode) => setMode(inside, path, mode) }
  return {
    // Windows writes as the user of the distribution, whose files say another number.
    user: undefined,
    isWritable: (path) => disk.isWritable(at(path)),
    readFile: (path) => disk.readFile(at(path)),
    lstat: async (path) => {
      const facts = await disk.lstat(at(path))
      return isLinuxPath(path) ? withMode(facts, await place.modeOf(linux(path))) : facts
    },
    readlink: async (path) => {
      const target = await disk.readlink(at(path))
      return isLinuxPath(path) ? at(posix.resolve(posix.dirname(linux(path)), linux(target))) : target
    },
    realpath: async (path) => {
      const real = await disk.realpath(at(path))
      return fromShare(real)?.path ?? real
    },
    readdir: (path) => disk.readdir(at(path)),
    create: async (path, mode) => {
      const file = await disk.create(at(path), mode)
      if (!isLinuxPath(path)) return file
      const linuxFile = { file, path: linux(path), place }
      try {
        // Before the first byte is in it: Windows gave it the permissions that the distribution starts files with.
        await place.setMode(linuxFile.path, mode)
      } catch (error) {
        await file.close()
        await disk.unlink(at(path))
        throw error
      }
      return openInside(linuxFile)
    },
    open: async (path) => {
      const file = await disk.open(at(path))
      return isLinuxPath(path) ? openInside({ file, path: linux(path), place }) : file
    },
    copyAttributes: async (from, to) => {
      if (isLinuxPath(to)) await inside('cp', ...attributesOnly, linux(from), linux(to))
      else await disk.copyAttributes(from, to)
    },
    rename: (from, to) => disk.rename(at(from), at(to)),
    unlink: (path) => disk.unlink(at(path)),
    mkdir: async (path, mode) => {
      await disk.mkdir(at(path), mode)
      if (isLinuxPath(path)) await place.setMode(linux(path), mode).catch(() => undefined)
    },
    rmdir: (path) => disk.rmdir(at(path)),
    syncFolder: (path) => disk.syncFolder(at(path)),
  }
}

type Inside = {
  modeOf(path: string): Promise<number>
  setMode(path: string, mode: number): Promise<void>
}

type RunInside = (...argv: string[]) => Promise<Uint8Array>

async function modeOf(inside: RunInside, path: string): Promise<number> {
  const printed = await inside('stat', '-c', '%a', '--', path).catch(() => new Uint8Array())
  const mode = Number.parseInt(Buffer.from(printed).toString(), 8)
  return Number.isNaN(mode) ? PRIVATE : mode
}

async function setMode(inside: RunInside, path: string, mode: number): Promise<void> {
  await inside('chmod', mode.toString(8), '--', path)
}

const withMode = (facts: FileFacts, mode: number): FileFacts => ({
  mode,
  uid: facts.uid,
  gid: facts.gid,
  nlink: facts.nlink,
  isFile: () => facts.isFile(),
  isSymbolicLink: () => facts.isSymbolicLink(),
})

/** A file whose permissions cannot be set is not written: it may have to be private. The owner is the user anyway. */
function openInside({ file, path, place }: { file: OpenFile; path: string; place: Inside }): OpenFile {
  return {
    writeFile: (bytes) => file.writeFile(bytes),
    overwrite: (bytes) => file.overwrite(bytes),
    chmod: (mode) => place.setMode(path, mode),
    chown: async () => undefined,
    sync: () => file.sync(),
    close: () => file.close(),
  }
}
