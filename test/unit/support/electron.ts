import { EventEmitter } from 'node:events'

/** A replacement of Electron for tests. Shared, since files of a worker share modules. */
export const Menu = { buildFromTemplate: (template: unknown) => template, setApplicationMenu: () => undefined }

export const app = { isPackaged: false, getPreferredSystemLanguages: () => ['en'] }

/** Notifications that were shown. Like Electron, keeps only weak references to them. */
export const shownWindows: WeakRef<EventEmitter>[] = []

export class Notification extends EventEmitter {
  show(): void {
    shownWindows.push(new WeakRef(this))
  }
}
