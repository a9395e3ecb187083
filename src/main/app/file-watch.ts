import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Polling interval in ms. 100 files take 4 ms of CPU. */
const pollIntervalMs = 2000

/** Files and folders to watch, including missing ones. */
type FileWatchOptions = {
  readonly paths: readonly string[]
  /** Called with paths that were created, changed, replaced or deleted, or folders with such files. */
  readonly onChange: (changed: readonly string[]) => void
  /** Polling interval in ms. */
  readonly everyMs?: number
}

/**
 * Watches files of other programs by polling times and sizes every two seconds and on `look`. File system events would
 * need watches on parent folders for missing files, and a home or temporary folder may have 10,000 events per second.
 * Polling has constant cost and handles symbolic links, replaced files, and appearing folders. Does not keep the
 * process alive.
 */
export class FileWatch {
  #paths: readonly string[]
  #lastStates = new Map<string, string>()
  #lastScan: Promise<void>
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(private readonly options: FileWatchOptions) {
    this.#paths = options.paths
    this.#lastScan = this.#compare()
  }

  /** Replaces the watched paths. Does not report newly added paths as changed. */
  setPaths(paths: readonly string[]): void {
    this.#paths = paths
  }

  /** Checks immediately. Resolves when all earlier changes were reported. */
  look(): Promise<void> {
    const compare = (): Promise<void> => this.#compare()
    this.#lastScan = this.#lastScan.then(compare, compare)
    return this.#lastScan
  }

  /** Stops watching. Reports no further change. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #compare(): Promise<void> {
    clearTimeout(this.#timer)
    const fileStates = new Map<string, string>()
    // Sequential: a hanging network disk then blocks this watch and one thread, but not the app.
    for (const path of this.#isClosed ? [] : this.#paths) fileStates.set(path, await readSignature(path))
    if (this.#isClosed) return
    const changedPaths = [...fileStates]
      .filter(([path, current]) => (this.#lastStates.get(path) ?? current) !== current)
      .map(([path]) => path)
    this.#lastStates = fileStates
    this.#timer = setTimeout(() => void this.look(), this.options.everyMs ?? pollIntervalMs).unref()
    if (changedPaths.length > 0) this.options.onChange(changedPaths)
  }
}

/**
 * Fingerprint of a file or folder. Changes when the file is written or replaced, or when a direct child of the folder
 * is. Empty if missing. Misses a second write of equal size within one tick of the file system's clock (a few ms), but
 * the listener reads the file later.
 */
async function readSignature(path: string, isInFolder = false): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  if (stats === undefined) return ''
  const { dev, ino, size, mtimeNs, ctimeNs } = stats
  if (!stats.isDirectory()) return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  const names = isInFolder ? [] : await readdir(path).catch(() => [])
  const signatures: string[] = []
  for (const name of names.sort()) signatures.push(`${name} ${await readSignature(join(path, name), true)}`)
  return `folder ${signatures.join('\n')}`
}
