import type { Holder } from '@shared/contract'
import { isSameHolder } from '@shared/key-ids'
import type { RegisterRecord, SettingsStore } from '../../core/settings/settings'
import { isSameKeyAddress, type KeyAddress, pickKeyAddress } from './account-keys'

/** Names of plan and key, stored because the key may be deleted later. */
type KeyNames = Pick<RegisterRecord, 'planName' | 'keyName' | 'masked' | 'createdAt'>

/** Changes of a key's notes. A property that is undefined removes the value. A missing property keeps it. */
export type NoteChange = Partial<Omit<RegisterRecord, keyof KeyAddress | keyof KeyNames>>

export class Notes {
  constructor(private readonly settings: SettingsStore) {}

  all(): readonly RegisterRecord[] {
    return this.settings.read().register.filter(hasNotes)
  }

  find(address: KeyAddress): RegisterRecord | undefined {
    return this.all().find((record) => isSameKeyAddress(record, address))
  }

  remove(address: KeyAddress): void {
    this.settings.update(({ register, team }) => ({
      register: register.flatMap((note) => {
        if (!isSameKeyAddress(note, address)) return [note]
        const { planName, keyName } = note
        return team ? [{ ...pickKeyAddress(note), planName, keyName, alsoServes: [] }] : []
      }),
    }))
  }

  /** Renames a holder in all records. The id stays, so that key files of both names belong together. */
  renameHolder(from: Holder, to: Holder): void {
    const rename = (holder: Holder): Holder => (isSameHolder(holder, from) ? to : holder)
    this.settings.update(({ register, handouts, budgets }) => ({
      register: register.map((note) => ({
        ...note,
        ...(note.holder ? { holder: rename(note.holder) } : {}),
        alsoServes: note.alsoServes.map((name) => (from.kind === 'person' && name === from.name ? to.name : name)),
      })),
      handouts: handouts.map((handout) => ({ ...handout, holder: rename(handout.holder) })),
      budgets: budgets.map((budget) =>
        budget.subject.kind === 'person' && from.kind === 'person' && budget.subject.name === from.name
          ? { ...budget, subject: { kind: 'person' as const, name: to.name } }
          : budget,
      ),
    }))
  }

  /** Changes a key's notes. Removes an empty note, unless its removal still has to be synced with the lead space. */
  change(address: KeyAddress, names: KeyNames, change: NoteChange): void {
    this.settings.update(({ register, team }) => {
      const existingNote = register.find((note) => isSameKeyAddress(note, address))
      const record = { alsoServes: [], ...existingNote, ...pickKeyAddress(address), ...names, ...change }
      const otherNotes = register.filter((note) => !isSameKeyAddress(note, address))
      return { register: hasNotes(record) || team ? [...otherNotes, record] : otherNotes }
    })
  }
}

function hasNotes(record: RegisterRecord): boolean {
  const { alsoServes, holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt, deleteAt, endsAt } =
    record
  const noteFields = [holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt, deleteAt, endsAt]
  return alsoServes.length > 0 || noteFields.some((field) => field !== undefined)
}
