import { setTimeout as wait } from 'node:timers/promises'
import type { AccountPlanView, Holder, SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { isSameHolder } from '@shared/key-ids'
import type { RegisterRecord, SettingsStore } from '../../core/settings/settings'

interface PlanKeys {
  readonly plan: Pick<AccountPlanView, 'planId' | 'name' | 'localPlanId'>
  readonly keys: readonly SubscriptionKeyView[]
}

/** The keys that a console returned. `isFresh` means not from the cache. */
export interface ConsoleKeys {
  readonly plans: readonly PlanKeys[]
  readonly isFresh: boolean
}

export interface RegisterAccount {
  /** Keys of every plan. Omits accounts that do not respond or exceed the page limit. */
  planKeys(accountRef: { readonly connectionId: string }): Promise<PlanKeys[]>
}

/** Keys of all accounts, with the last answer of those that do not respond. */
export class Accounts {
  /** The last answers by connection. */
  readonly known = new Map<string, ConsoleKeys>()
  /** Sequence number of requests and changes. `#askedAt` has its value at each connection's last request. */
  #count = 0
  readonly #askedAt = new Map<string, number>()
  /** Connections whose response came after the timeout. */
  readonly #late = new Set<string>()

  constructor(
    private readonly account: RegisterAccount,
    private readonly onLate: () => void = () => undefined,
  ) {}

  /** Requests the keys of connections. Returns known keys after at most `timeoutMs`. */
  async ask(connectionIds: readonly string[], timeoutMs: number): Promise<void> {
    for (const id of this.known.keys()) if (!connectionIds.includes(id)) this.known.delete(id)
    const timeoutController = new AbortController()
    const timeoutPromise = wait(timeoutMs, undefined, { signal: timeoutController.signal }).catch(() => undefined)
    // Do not query a connection again whose late response is stored, because that response caused this request.
    const dueConnectionIds = connectionIds.filter((id) => !this.#late.delete(id))
    let hasReturned = false
    const refreshAccount = async (id: string): Promise<void> => {
      const hasChanged = await this.#askOne(id)
      if (!hasReturned || !hasChanged) return
      this.#late.add(id)
      this.onLate()
    }
    const accountsPromise = Promise.all(dueConnectionIds.map(refreshAccount))
    await Promise.race([timeoutPromise, accountsPromise]).finally(() => timeoutController.abort())
    hasReturned = true
  }

  noteKeys(changed: readonly AccountKey[]): void {
    const keysByAddress = new Map(changed.map(({ address, key }) => [keyAddressText(address), key]))
    for (const connectionId of new Set(changed.map(({ address }) => address.connectionId))) {
      const lastResponse = this.known.get(connectionId)
      if (!lastResponse) continue
      this.#late.delete(connectionId)
      this.#askedAt.set(connectionId, this.#next())
      const plans = lastResponse.plans.map(({ plan, keys }) => ({
        plan,
        keys: keys.map(
          (key) => keysByAddress.get(keyAddressText({ connectionId, planId: plan.planId, keyId: key.keyId })) ?? key,
        ),
      }))
      this.known.set(connectionId, { ...lastResponse, plans })
    }
  }

  /** Keeps a late response for the next request. Drops a response to an older request. */
  async #askOne(connectionId: string): Promise<boolean> {
    const requestedAt = this.#next()
    const plans = await this.account.planKeys({ connectionId }).catch((error: unknown) => {
      if (error instanceof AppError) return undefined
      throw error
    })
    if (requestedAt < (this.#askedAt.get(connectionId) ?? 0)) return false
    this.#askedAt.set(connectionId, requestedAt)
    const knownPlans = plans ?? this.known.get(connectionId)?.plans
    if (knownPlans) this.known.set(connectionId, { plans: knownPlans, isFresh: plans !== undefined })
    return plans !== undefined
  }

  #next(): number {
    this.#count += 1
    return this.#count
  }
}

export interface AccountKey {
  readonly address: KeyAddress
  readonly key: SubscriptionKeyView
}

/** A key of an account. For a key that someone else handed out to this computer, the connection id is empty. */
export interface KeyAddress {
  /** Id of the connection. Empty for a local key without account. */
  readonly connectionId: string
  readonly planId: string
  readonly keyId: string
}

/** Address of a key as text, for comparison and as map key. */
export const keyAddressText = ({ connectionId, planId, keyId }: KeyAddress): string =>
  JSON.stringify([connectionId, planId, keyId])

const isSameKeyAddress = (a: KeyAddress, b: KeyAddress): boolean => keyAddressText(a) === keyAddressText(b)

export const pickKeyAddress = ({ connectionId, planId, keyId }: KeyAddress | RegisterRecord): KeyAddress => ({
  connectionId,
  planId,
  keyId,
})

/** Names of plan and key, stored because the key may be deleted later. */
type KeyNames = Pick<RegisterRecord, 'planName' | 'keyName' | 'masked' | 'createdAt'>

/** Changes of a key's notes. A property that is undefined removes the value. A missing property keeps it. */
export type NoteChange = Partial<Omit<RegisterRecord, keyof KeyAddress | keyof KeyNames>>

/** Notes about keys in the settings. */
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
  const { connectionId, planId, keyId, planName, keyName, masked, createdAt, alsoServes, ...notes } = record
  return alsoServes.length > 0 || Object.values(notes).some((note) => note !== undefined)
}
