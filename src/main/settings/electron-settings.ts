import ElectronStore from 'electron-store'
import type { RawStore } from './settings'
import { prepareSettingsFile, type StoreOptions } from './settings-file'

/** The settings file under Electron, of which another process's changes are told as soon as `lookAgain` is called. */
export type ElectronSettingsStore = RawStore & {
  readonly path: string
  /** Tells the listeners when the file is not what it was; the store's own way to notice takes seconds, and ends the app over a file that is no JSON just now. */
  lookAgain(): void
}

/** Opens the settings file under Electron; `onSetAside` as under Node. */
export function openElectronStore(options: StoreOptions, onSetAside: (path: string) => void): ElectronSettingsStore {
  const aside = prepareSettingsFile(options, new Date())
  if (aside) onSetAside(aside)
  const store = new ElectronStore<Record<string, unknown>>({
    cwd: options.cwd,
    name: options.name,
    configFileMode: 0o600,
  })
  return {
    path: store.path,
    read: () => store.store,
    write: (patch) => store.set(patch),
    onChange: (listener) => store.onDidAnyChange(listener),
    lookAgain: () => {
      // The store compares before it tells anyone.
      if (isReadable(store)) store.events.dispatchEvent(new Event('change'))
    },
  }
}

function isReadable(store: ElectronStore<Record<string, unknown>>): boolean {
  try {
    return store.store !== undefined
  } catch {
    return false
  }
}
