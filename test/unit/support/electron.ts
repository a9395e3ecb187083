import { EventEmitter } from 'node:events'

/**
 * What stands in for Electron where it is not there: `vi.mock('electron', () => import('…/support/electron'))`. One for all tests, since those
 * that a worker runs share the modules that they load.
 */
export const Menu = {}

/** The notifications that were shown. Electron, too, holds none: the system tells of a click, and whoever is still there hears it. */
export const shown: WeakRef<EventEmitter>[] = []

export class Notification extends EventEmitter {
  show(): void {
    shown.push(new WeakRef(this))
  }
}
