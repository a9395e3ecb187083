import ElectronStore from 'electron-store'
import type { WindowStart } from './window-settings'

type WindowPlace = NonNullable<WindowStart['place']>

/** Last position of the window, in `<dataDir>/window.json`. */
export interface WindowPlaceStore {
  read(): Partial<WindowPlace>
  write(place: WindowPlace): void
}

/**
 * A separate file, so that moving the window neither locks nor notifies the settings. Starts over when unreadable; write errors are
 * ignored. Not electron-store: it takes SIGTERM for itself before Electron is ready.
 */
export function openWindowPlace(dataDir: string): WindowPlaceStore {
  const store = new ElectronStore<WindowPlace>({
    ...{ cwd: dataDir, name: 'window', configFileMode: 0o600, clearInvalidConfig: true },
  })
  return {
    read: () => store.store,
    write(place) {
      try {
        store.store = place
      } catch {
        // No room, or a folder that may not be written: the settings say so where it matters.
      }
    },
  }
}
