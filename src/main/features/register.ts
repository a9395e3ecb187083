import type { Holder, MethodOutput, PlanView, RegisterEntry, SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { AuditPort } from '../audit/port'
import type { Clock } from '../ports'
import { isSame, type KeyAddress } from '../register/address'
import { Accounts, type AskedAccount } from '../register/ask-accounts'
import { csvOf } from '../register/csv'
import { type AddressedEntry, entriesOf, type KeyUse } from '../register/entries'
import { type NoteChange, Notes } from '../register/notes'
import type { SettingsStore } from '../settings/settings'

/** What is needed of the account. */
export interface RegisteredAccount extends AskedAccount {
  setKeyStatus(of: KeyAddress & { readonly status: 'ACTIVE' | 'DISABLED' }): Promise<SubscriptionKeyView>
}

export interface RegisterDeps {
  readonly settings: SettingsStore
  readonly plans: { list(): PlanView[] }
  readonly account: RegisteredAccount
  /** Ids of the connections that have a console. */
  readonly consoles: () => readonly string[]
  /** What the tools of this machine were configured with. */
  readonly uses: () => readonly KeyUse[]
  /** Names of tools of which that cannot be known; none when absent. */
  readonly unknownTools?: () => readonly string[]
  readonly audit: AuditPort
  readonly clock: Clock
  /** How long accounts are waited for, in ms. */
  readonly patienceMs?: number
}

/** A key as the window names it: by the ids of an entry. */
export interface EntryId {
  readonly planId: string
  readonly keyId: string
}

/** What a person may change; null: nobody holds it. Texts left out stay. */
export interface RegisterChange extends EntryId {
  readonly holder?: Holder | null | undefined
  readonly purpose?: string | undefined
  readonly machine?: string | undefined
}

const patienceMs = 10_000

/** Who holds which key, and what for. */
export class Register {
  readonly #deps: RegisterDeps
  readonly #notes: Notes
  readonly #accounts: Accounts

  constructor(deps: RegisterDeps) {
    this.#deps = deps
    this.#notes = new Notes(deps.settings)
    this.#accounts = new Accounts(deps.account, deps.patienceMs ?? patienceMs)
  }

  /** Every key, after asking the accounts; with what is known where one does not answer. */
  async list(): Promise<RegisterEntry[]> {
    await this.#accounts.ask(this.#deps.consoles())
    return this.#known().map(({ entry }) => entry)
  }

  /** Fails with `register.notFound`. */
  async update({ holder, purpose, machine, ...id }: RegisterChange): Promise<RegisterEntry> {
    const found = await this.#find(id)
    const isNew = holder !== undefined && found.entry.holder?.name !== holder?.name
    this.#note(found, {
      ...(holder === undefined ? {} : { holder: holder ?? undefined }),
      // What was handed to somebody else says nothing of the new holder.
      ...(isNew ? { handedOutAt: undefined, acknowledgedAt: undefined } : {}),
      ...(purpose === undefined ? {} : { purpose: purpose || undefined }),
      ...(machine === undefined ? {} : { machine: machine || undefined }),
    })
    const { planName, keyName } = found.entry
    const subject = holder === null ? '' : holder?.name
    await this.#deps.audit.note({ what: 'registerChanged', planName, keyName, subject })
    return (await this.#find(id)).entry
  }

  /** What stops when a key is disabled. Fails with `register.notFound`. */
  async previewRevoke(id: EntryId): Promise<MethodOutput<'register.previewRevoke'>> {
    const { tools, holder } = (await this.#find(id)).entry
    const unknownTools = [...(this.#deps.unknownTools?.() ?? [])]
    return { tools, holder, ...(unknownTools.length > 0 ? { unknownTools } : {}) }
  }

  /** Disables a key at its account. Fails with `register.notFound`, or `rotation.notAtAccount` for one that was handed over. */
  async revoke(id: EntryId): Promise<RegisterEntry> {
    const { address, entry } = await this.#find(id)
    const { planName, keyName, holder } = entry
    if (address.connectionId === '') {
      const message = `The key ${keyName} of ${planName} was handed over to this machine: only its account can disable it.`
      throw new AppError('rotation.notAtAccount', message)
    }
    const key = await this.#deps.account.setKeyStatus({ ...address, status: 'DISABLED' })
    this.#accounts.noteKey(address, key)
    await this.#deps.audit.note({ what: 'revoked', planName, keyName, subject: holder?.name })
    return (await this.#find(id)).entry
  }

  /** The whole register as CSV without secrets. */
  async csv(): Promise<string> {
    return csvOf(await this.list())
  }

  /** Who holds a key of an account, as far as it is noted here. */
  holderOf(address: KeyAddress): string | undefined {
    return this.#notes.find(address)?.holder?.name
  }

  /** Names of others than `holder` whom a key kept here serves: its holder, those it was also handed to, tools. */
  others(id: EntryId, holder: Holder): string[] {
    const entry = this.#locate(id)?.entry
    if (!entry) return []
    const names = [...(entry.holder ? [entry.holder.name] : []), ...entry.alsoServes, ...entry.tools]
    return [...new Set(names)].filter((name) => name !== holder.name)
  }

  /** Notes that a key kept here was handed out; a second holder is one whom it also serves. */
  noteHandedOut(id: EntryId, holder: Holder, purpose: string | undefined): void {
    const found = this.#locate(id)
    if (!found) return
    const { entry } = found
    const handedOutAt = this.#deps.clock().toISOString()
    const change: NoteChange =
      entry.holder === undefined || entry.holder.name === holder.name
        ? { holder, handedOutAt, acknowledgedAt: undefined, ...(purpose ? { purpose } : {}) }
        : { handedOutAt, acknowledgedAt: undefined, alsoServes: [...new Set([...entry.alsoServes, holder.name])] }
    this.#note(found, change)
  }

  /** Notes that the holder has received a key kept here. */
  noteAcknowledged(id: EntryId): void {
    const found = this.#locate(id)
    if (found) this.#note(found, { acknowledgedAt: this.#deps.clock().toISOString() })
  }

  /** Notes that a key kept here was used, as by copying it. */
  noteUsed(id: EntryId): void {
    const found = this.#locate(id)
    if (found) this.#note(found, { lastUsedAt: this.#deps.clock().toISOString() })
  }

  /** Notes that a key took the place of another while both are here: it has the same holder and purpose. Both are ids of this machine. */
  noteRotated({ planId, oldKeyId, newKeyId }: { planId: string; oldKeyId: string; newKeyId: string }): void {
    const [old, found] = [oldKeyId, newKeyId].map((keyId) => this.#locate({ planId, keyId }))
    if (!old || !found) return
    const { holder, purpose, machine, alsoServes } = old.entry
    this.#note(found, { holder, purpose, machine, alsoServes, rotatedAt: this.#deps.clock().toISOString() })
  }

  #note({ address, entry }: AddressedEntry, change: NoteChange): void {
    const { planName, keyName, masked, createdAt } = entry
    this.#notes.change(address, { planName, keyName, masked, createdAt }, change)
  }

  #known(): AddressedEntry[] {
    const { plans, uses } = this.#deps
    return entriesOf({
      plans: plans.list(),
      uses: uses(),
      told: this.#accounts.known(),
      notes: this.#notes.all(),
    })
  }

  #locate({ planId, keyId }: EntryId): AddressedEntry | undefined {
    return this.#known().find(({ address, entry }) => {
      const isEntry = entry.planId === planId && entry.keyId === keyId
      return isEntry || isSame(address, { connectionId: address.connectionId, planId, keyId })
    })
  }

  async #find(id: EntryId): Promise<AddressedEntry> {
    const found = this.#locate(id)
    const { connectionId = '' } = found?.address ?? {}
    const isKnown = connectionId === '' || this.#accounts.known().has(connectionId)
    if (found && isKnown) return found
    await this.#accounts.ask(this.#deps.consoles())
    const asked = this.#locate(id)
    if (asked) return asked
    throw new AppError('register.notFound', 'This key is not in the register any more. Look at the list again.')
  }
}
