import { watch, watchFile } from 'node:fs'
import { basename } from 'node:path'
import ElectronStore from 'electron-store'
import type { RawStore } from './settings'
import { prepareSettingsFile, type StoreOptions } from './settings-file'

/** The settings file under Electron; watched, so that changes by the command line are seen. `onSetAside` as under Node. */
export function openElectronStore(options: StoreOptions, onSetAside: (path: string) => void): RawStore {
  const aside = prepareSettingsFile(options, new Date())
  if (aside) onSetAside(aside)
  const store = new ElectronStore<Record<string, unknown>>({
    cwd: options.cwd,
    name: options.name,
    configFileMode: 0o600,
  })
  tellOfOthers(store, options.cwd)
  return {
    read: () => store.store,
    write: (patch) => store.set(patch),
    onChange: (listener) => store.onDidAnyChange(listener),
  }
}

/** How long writes may gather, and how often the file is looked at where its folder cannot be watched, in ms. */
const settleMs = 100
const lookMs = 5000

/** Tells of what other processes write. The store's own way takes seconds, and ends the app over a file that is no JSON just now. */
function tellOfOthers(store: ElectronStore<Record<string, unknown>>, folder: string): void {
  const tell = (): void => {
    if (!isReadable(store)) return
    // The store compares before it tells anyone.
    store.events.dispatchEvent(new Event('change'))
  }
  const lookNowAndThen = (): void => void watchFile(store.path, { persistent: false, interval: lookMs }, tell)
  let timer: NodeJS.Timeout | undefined
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(store.path)) return
      clearTimeout(timer)
      timer = setTimeout(tell, settleMs)
    })
    watcher.on('error', () => {
      watcher.close()
      lookNowAndThen()
    })
  } catch {
    lookNowAndThen()
  }
}

function isReadable(store: ElectronStore<Record<string, unknown>>): boolean {
  try {
    return store.store !== undefined
  } catch {
    return false
  }
}
