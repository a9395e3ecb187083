import { dayMs } from '@shared/durations'
import type { Clock } from '../ports'
import type { Secret } from '../secret'
import type { Settings, SettingsStore } from '../settings/settings'
import { isProcessAlive } from '../sqlite/process-lock'
import { accountsIn, type KeyStorage, type Vault } from './vault'

/** After so long a process id may be another process's. */
const longestWriteMs = dayMs

interface NewItemsPorts {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly clock: Clock
}

type Note = Settings['newItems'][number]

/** Keychain items that no record names yet: each is noted in the settings first, so that a kill leaves none that nobody knows. */
export class PendingKeychainItems {
  readonly #ports: NewItemsPorts

  constructor(ports: NewItemsPorts) {
    this.#ports = ports
  }

  /** Writes an item under an account of its own, then what names it, which takes `without` along. When either fails, the item goes. */
  async put<T>(account: string, secret: Secret, record: (kept: KeyStorage) => T): Promise<T> {
    const { vault } = this.#ports
    if ((await vault.state()).kind === 'session') return record(await vault.put(account, secret))
    await this.sweep()
    const note = this.#note(account)
    try {
      return record(await vault.put(account, secret))
    } catch (error) {
      await this.#drop(note)
      throw error
    }
  }

  /** What changes in the settings in the same update as the record that names these accounts. */
  without(accounts: readonly string[]): Partial<Pick<Settings, 'newItems'>> {
    return { newItems: this.#all().filter(({ account }) => !accounts.includes(account)) }
  }

  /** Removes the items of writes that a kill cut off. What the keychain does not give up now is tried again the next time. */
  async sweep(): Promise<void> {
    const nowMs = this.#ports.clock().getTime()
    const isCutOff = ({ pid, at }: Note): boolean =>
      nowMs - Date.parse(at) > longestWriteMs || (pid !== process.pid && !isProcessAlive(pid))
    for (const note of this.#all().filter(isCutOff)) await this.#drop(note)
  }

  async #drop(note: Note): Promise<void> {
    const { settings, vault } = this.#ports
    const isIt = ({ account, pid, at }: Note): boolean => account === note.account && pid === note.pid && at === note.at
    // Whoever swept meanwhile may have written the account anew.
    if (!this.#all().some(isIt)) return
    const isGone =
      accountsIn(settings.read()).includes(note.account) ||
      (await vault.remove(note.account).then(
        () => true,
        () => false,
      ))
    if (isGone) settings.update(({ newItems }) => ({ newItems: newItems.filter((one) => !isIt(one)) }))
  }

  #note(account: string): Note {
    const note = { account, pid: process.pid, at: this.#ports.clock().toISOString() }
    this.#ports.settings.update(({ newItems }) => ({ newItems: [...newItems, note] }))
    return note
  }

  #all(): Settings['newItems'] {
    return this.#ports.settings.read().newItems
  }
}
