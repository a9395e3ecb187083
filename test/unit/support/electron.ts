import { EventEmitter } from 'node:events'

/** What stands in for Electron, as far as tests need it: for all of them, since those that a worker runs share the modules that they load. */
export const Menu = {}

/** The notifications that were shown. Electron, too, holds none: the system tells of a click, and whoever is still there hears it. */
export const shown: WeakRef<EventEmitter>[] = []

export class Notification extends EventEmitter {
  show(): void {
    shown.push(new WeakRef(this))
  }
}
