import type { Holder } from '@shared/contract'
import type { HandoutRecord, SettingsStore } from '../settings/settings'

/** Which hand-outs there were, in the settings. */
export class HandoutJournal {
  readonly #settings: SettingsStore

  constructor(settings: SettingsStore) {
    this.#settings = settings
  }

  all(): readonly HandoutRecord[] {
    return this.#settings.read().handouts
  }

  /** The hand-out of a key that was made for a holder. */
  ofHolder(planId: string, holder: Holder): HandoutRecord | undefined {
    return this.all().findLast((one) => one.isOwnKey && one.planId === planId && isSameHolder(one.holder, holder))
  }

  find(id: string): HandoutRecord | undefined {
    return this.all().find((one) => one.id === id)
  }

  put(record: HandoutRecord): HandoutRecord {
    this.#settings.update(({ handouts }) => ({
      handouts: [...handouts.filter(({ id }) => id !== record.id), record],
    }))
    return record
  }

  remove(id: string): void {
    this.#settings.update(({ handouts }) => ({ handouts: handouts.filter((one) => one.id !== id) }))
  }
}

const isSameHolder = (one: Holder, other: Holder): boolean => one.kind === other.kind && folded(one) === folded(other)

const folded = ({ name }: Holder): string => name.normalize('NFC').toLowerCase()
