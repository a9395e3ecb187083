import { type FSWatcher, watch } from 'chokidar'
import { type Sight, sightOf } from './watch-sight'

/** Files to watch, there or not, folders whose own files are watched, and who is told which of them changed. */
export type WatchedTools = {
  readonly paths: readonly string[]
  readonly folders?: readonly string[]
  /** Called once things have been quiet for 150 ms, with the paths that were created, changed or deleted since. */
  readonly onChange: (changed: readonly string[]) => void
}

const SETTLE_MS = 150

/**
 * Watches settings files, whoever writes them, also before they or their folders exist and when they are replaced. Of
 * each folder on the way only what leads to a file is looked at. It never keeps the process alive; where the system
 * refuses to watch, nothing is told.
 */
export function watchTools(asked: WatchedTools): ToolWatch {
  return new ToolWatch(asked)
}

/** Watched files; `watchTools` begins it. */
export class ToolWatch {
  readonly #folders: readonly string[]
  readonly #onChange: WatchedTools['onChange']
  readonly #open = new Set<Watching>()
  readonly #changed = new Set<string>()
  #paths: readonly string[]
  #current: Watching
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ paths, folders = [], onChange }: WatchedTools) {
    this.#paths = paths
    this.#folders = folders
    this.#onChange = onChange
    this.#current = this.#start()
  }

  /** Resolves when everything is watched that was asked for last. */
  async ready(): Promise<void> {
    for (let seen: Watching | undefined; seen !== this.#current; ) {
      seen = this.#current
      await seen.ready
    }
  }

  /** Watches these files instead; the folders stay. */
  setPaths(paths: readonly string[]): void {
    this.#paths = paths
    this.#restart()
  }

  /** After it is called nobody is told anything any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#open].map((each) => each.stop()))
  }

  #tell(path: string): void {
    if (this.#isClosed) return
    this.#changed.add(path)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#flush(), SETTLE_MS).unref()
  }

  #flush(): void {
    const changed = [...this.#changed]
    this.#changed.clear()
    // A link that leads elsewhere now has another file behind it to watch.
    if (sightOf(this.#paths, this.#folders).key !== this.#current.sight.key) this.#restart()
    this.#onChange(changed)
  }

  #start(): Watching {
    const started = startWatching(sightOf(this.#paths, this.#folders), {
      tell: (path) => this.#tell(path),
      onRootGone: (root) => this.#startAbove(root),
    })
    this.#open.add(started)
    return started
  }

  /** The old watcher goes on until the new one sees everything. */
  #restart(): void {
    if (this.#isClosed) return
    const started = this.#start()
    this.#current = started
    void started.ready.then(() => {
      for (const old of this.#open) if (old !== this.#current && this.#current === started) this.#retire(old)
    })
  }

  #retire(old: Watching): void {
    this.#open.delete(old)
    void old.stop()
  }

  /** What was in a folder that is gone, and may be there again by now, has to be looked at. */
  #startAbove(root: string): void {
    const lost = this.#current.sight.namesAt(root)
    this.#restart()
    void this.#current.ready.then(() => {
      for (const name of lost) this.#tell(name)
    })
  }
}

type Watching = {
  readonly sight: Sight
  /** Resolves when it sees everything, or when it was stopped before. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

type Listener = { readonly tell: (path: string) => void; readonly onRootGone: (root: string) => void }

function startWatching(sight: Sight, listener: Listener): Watching {
  const watcher = watch([...sight.roots], {
    persistent: false,
    followSymlinks: false,
    ignoreInitial: true,
    ignorePermissionErrors: true,
    ignored: (path, stats) => !sight.leadsOn(path) && (stats?.isDirectory() === true || !sight.isInFolder(path)),
  })
  listen(watcher, sight, listener)
  let isReady = (): void => undefined
  const ready = new Promise<void>((done) => {
    isReady = done
    watcher.once('ready', done)
  })
  return {
    sight,
    ready,
    stop: async () => {
      isReady()
      await watcher.close()
    },
  }
}

function listen(watcher: FSWatcher, sight: Sight, { tell, onRootGone }: Listener): void {
  watcher.on('error', () => undefined)
  watcher.on('all', (event, path) => {
    if (event === 'unlinkDir' && sight.roots.includes(path)) return onRootGone(path)
    // What is in a folder that comes or goes is told file by file.
    if (event === 'addDir' || event === 'unlinkDir') return
    for (const name of sight.namesAt(path)) tell(name)
  })
}
