import type { RegisterRecord, SettingsStore } from '../settings/settings'
import { bare, isSame, type KeyAddress } from './address'

type Names = 'planName' | 'keyName' | 'masked' | 'createdAt'

/** How a key is called, for when it is gone. */
export type KeyNames = Pick<RegisterRecord, Names>

/** What may be noted of a key: undefined takes it away, what is left out stays. */
export type NoteChange = Partial<Omit<RegisterRecord, keyof KeyAddress | Names>>

/** What is noted here of keys, in the settings. */
export class Notes {
  readonly #settings: SettingsStore

  constructor(settings: SettingsStore) {
    this.#settings = settings
  }

  all(): readonly RegisterRecord[] {
    return this.#settings.read().register
  }

  find(address: KeyAddress): RegisterRecord | undefined {
    return this.all().find((record) => isSame(record, address))
  }

  /** Changes what is noted of a key; a note of which nothing is left but names goes. */
  change(address: KeyAddress, names: KeyNames, change: NoteChange): void {
    this.#settings.update(({ register }) => {
      const before = register.find((one) => isSame(one, address))
      const record = { alsoServes: [], ...before, ...bare(address), ...names, ...change }
      const others = register.filter((one) => !isSame(one, address))
      return { register: saysSomething(record) ? [...others, record] : others }
    })
  }
}

function saysSomething(record: RegisterRecord): boolean {
  const { alsoServes, holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt } = record
  const told = [holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt]
  return alsoServes.length > 0 || told.some((one) => one !== undefined)
}
