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
    watch: true,
  })
  return {
    read: () => store.store,
    write: (patch) => store.set(patch),
    onChange: (listener) => store.onDidAnyChange(listener),
  }
}
