import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** How often the files are looked at, in ms: 100 files take 4 ms of a core. */
const LOOK_MS = 2000

/** Files and folders to watch, there or not, and who is told which of them changed. */
type FileWatchOptions = {
  readonly paths: readonly string[]
  /** Called with the paths that were created, changed, replaced or deleted since the last look; a folder when a file in it was. */
  readonly onChange: (changed: readonly string[]) => void
  /** How often they are looked at, in ms. */
  readonly everyMs?: number
}

/**
 * Watches files that other programs write, by comparing their times and sizes every two seconds and whenever `look` is
 * called. The system's change events are not used: for a file that is not there yet they have to be asked for in the
 * folders above it, and a home folder or a temporary folder may change 10,000 times a second. It costs the same
 * however busy the disk is, and follows symbolic links, files that are replaced and folders that come and go without
 * knowing of them. It never keeps the process alive.
 */
export class FileWatch {
  readonly #onChange: FileWatchOptions['onChange']
  readonly #everyMs: number
  #paths: readonly string[]
  #seen = new Map<string, string>()
  #running: Promise<void>
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ paths, onChange, everyMs = LOOK_MS }: FileWatchOptions) {
    this.#paths = paths
    this.#everyMs = everyMs
    this.#onChange = onChange
    this.#running = this.#compare()
  }

  /** Watches these instead; what is new among them is not told as changed. */
  setPaths(paths: readonly string[]): void {
    this.#paths = paths
  }

  /** Looks now; resolves when everything that changed before the call has been told. */
  look(): Promise<void> {
    const compare = (): Promise<void> => {
      this.#next = undefined
      this.#running = this.#compare()
      return this.#running
    }
    this.#next ??= this.#running.then(compare, compare)
    return this.#next
  }

  /** After it is called nobody is told anything any more. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #compare(): Promise<void> {
    clearTimeout(this.#timer)
    const seen = new Map<string, string>()
    // One after the other: a file on a network disk that hangs holds up this watch, and one thread, but not the app.
    for (const path of this.#isClosed ? [] : this.#paths) seen.set(path, await readSignature(path))
    if (this.#isClosed) return
    const changed = [...seen]
      .filter(([path, current]) => (this.#seen.get(path) ?? current) !== current)
      .map(([path]) => path)
    this.#seen = seen
    this.#timer = setTimeout(() => void this.look(), this.#everyMs).unref()
    if (changed.length > 0) this.#onChange(changed)
  }
}

/**
 * Another one whenever a file was written or another file took its place, and of a folder whenever that happened to a
 * file directly in it; empty when there is none to be seen. A second write of as many bytes within the same tick of the
 * file system's clock (a few milliseconds) looks like the first: whoever is told of that one reads the file later.
 */
async function readSignature(path: string, isInFolder = false): Promise<string> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined)
  if (facts === undefined) return ''
  if (!facts.isDirectory()) return statParts(facts).join(' ')
  const names = isInFolder ? [] : await readdir(path).catch(() => [])
  const signatures: string[] = []
  for (const name of names.sort()) signatures.push(`${name} ${await readSignature(join(path, name), true)}`)
  return `folder ${signatures.join('\n')}`
}

const statParts = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) => [dev, ino, size, mtimeNs, ctimeNs]
