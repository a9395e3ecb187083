import Conf from 'conf'
import type { RawStore } from './settings'
import { prepareSettingsFile, type StoreOptions } from './settings-file'

/** The settings file under plain Node (the command line). */
export function openNodeStore(options: StoreOptions): RawStore {
  prepareSettingsFile(options, new Date())
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
