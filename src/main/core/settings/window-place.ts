import ElectronStore from 'electron-store'
import type { WindowStart } from './window-settings'

type WindowBounds = NonNullable<WindowStart['place']>

/** Last position of the window, in `<dataDir>/window.json`. */
export interface WindowBoundsStore {
  read(): Partial<WindowBounds>
  write(place: WindowBounds): void
}

/**
 * A separate file, so that moving the window neither locks nor notifies the settings. Ignores unreadable files and
 * write errors. Does not use electron-store, which handles SIGTERM itself before Electron is ready.
 */
export function openWindowPlace(dataDir: string): WindowBoundsStore {
  const store = new ElectronStore<WindowBounds>({
    cwd: dataDir,
    name: 'window',
    configFileMode: 0o600,
    clearInvalidConfig: true,
  })
  return {
    read: () => store.store,
    write(place) {
      try {
        store.store = place
      } catch {
        // Ignore a full disk or read-only folder, which the settings file reports too.
      }
    },
  }
}
