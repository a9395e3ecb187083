import ElectronStore from 'electron-store'
import type { WindowStart } from './window-settings'

type WindowPlace = NonNullable<WindowStart['place']>

/** Where the window stood, in `<dataDir>/window.json`. */
export interface WindowPlaceStore {
  read(): Partial<WindowPlace>
  write(place: WindowPlace): void
}

/**
 * Opens the window's own file. Only the one window writes it, so that moving a window neither takes the lock of the settings nor wakes
 * whoever watches them. A file that is no JSON begins anew; a place that cannot be written is forgotten, which harms nobody.
 *
 * A file of its own: loaded before Electron is ready, a library under electron-store takes SIGTERM for itself, and the app no longer ends by it.
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
