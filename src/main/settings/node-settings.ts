import Conf from 'conf'
import type { RawStore } from './settings'
import { prepareSettingsFile, type StoreOptions } from './settings-file'

/** The settings file under plain Node (the command line). `onSetAside` hears the path of a broken file that was set aside. */
export function openNodeStore(options: StoreOptions, onSetAside: (path: string) => void = () => undefined): RawStore {
  const aside = prepareSettingsFile(options, new Date())
  if (aside) onSetAside(aside)
  const store = new Conf<Record<string, unknown>>({
    cwd: options.cwd,
    configName: options.name,
    configFileMode: 0o600,
  })
  return {
    read: () => store.store,
    write: (patch) => store.set(patch),
    onChange: (listener) => store.onDidAnyChange(listener),
  }
}
