import type { Holder } from '@shared/contract'
import { isSameHolder } from '@shared/contract/register'
import type { RegisterRecord, SettingsStore } from '../../core/settings/settings'
import { isSame, type KeyAddress, toBareAddress } from './account-keys'

type Names = 'planName' | 'keyName' | 'masked' | 'createdAt'

/** Name of a key, kept for when it is deleted. */
type KeyNames = Pick<RegisterRecord, Names>

/** Changes of a key's notes. Undefined removes a value, a missing one stays. */
export type NoteChange = Partial<Omit<RegisterRecord, keyof KeyAddress | Names>>

/** Notes about keys, in the settings. */
export class Notes {
  readonly #settings: SettingsStore

  constructor(settings: SettingsStore) {
    this.#settings = settings
  }

  all(): readonly RegisterRecord[] {
    return this.#settings.read().register.filter(hasNotes)
  }

  find(address: KeyAddress): RegisterRecord | undefined {
    return this.all().find((record) => isSame(record, address))
  }

  remove(address: KeyAddress): void {
    this.#settings.update(({ register, team }) => ({
      register: register.flatMap((one) => {
        if (!isSame(one, address)) return [one]
        const { planName, keyName } = one
        return team ? [{ ...toBareAddress(one), planName, keyName, alsoServes: [] }] : []
      }),
    }))
  }

  /** Renames a holder in all records. The id stays, so that key files of both names belong together. */
  renameHolder(from: Holder, to: Holder): void {
    const rename = (holder: Holder): Holder => (isSameHolder(holder, from) ? to : holder)
    this.#settings.update(({ register, handouts, budgets }) => ({
      register: register.map((one) => ({
        ...one,
        ...(one.holder ? { holder: rename(one.holder) } : {}),
        alsoServes: one.alsoServes.map((name) => (from.kind === 'person' && name === from.name ? to.name : name)),
      })),
      handouts: handouts.map((one) => ({ ...one, holder: rename(one.holder) })),
      budgets: budgets.map((one) =>
        one.subject.kind === 'person' && from.kind === 'person' && one.subject.name === from.name
          ? { ...one, subject: { kind: 'person' as const, name: to.name } }
          : one,
      ),
    }))
  }

  /** Changes a key's notes. Removes an empty note, unless the lead space must sync the removal. */
  change(address: KeyAddress, names: KeyNames, change: NoteChange): void {
    this.#settings.update(({ register, team }) => {
      const before = register.find((one) => isSame(one, address))
      const record = { alsoServes: [], ...before, ...toBareAddress(address), ...names, ...change }
      const otherNotes = register.filter((one) => !isSame(one, address))
      return { register: hasNotes(record) || team ? [...otherNotes, record] : otherNotes }
    })
  }
}

function hasNotes(record: RegisterRecord): boolean {
  const { alsoServes, holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt, deleteAt } = record
  const noteFields = [holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt, deleteAt]
  return alsoServes.length > 0 || noteFields.some((one) => one !== undefined)
}
