import type { Holder, MethodOutput, PlanView, RegisterEntry, SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { AuditPort, Clock } from '../ports'
import type { PlanRecord, RegisterRecord, SettingsStore } from '../settings/settings'
import { letOthersIn } from '../work-queue'
import {
  Accounts,
  bare,
  type ConsoleKeys,
  isSame,
  type KeyAddress,
  keyAddressText,
  type RegisterAccount,
} from './account-keys'
import { formatCsv } from './csv'

type Names = 'planName' | 'keyName' | 'masked' | 'createdAt'

/** How a key is called, for when it is gone. */
type KeyNames = Pick<RegisterRecord, Names>

/** What may be noted of a key: undefined takes it away, what is left out stays. */
type NoteChange = Partial<Omit<RegisterRecord, keyof KeyAddress | Names>>

/** What is noted here of keys, in the settings. */
export class Notes {
  readonly #settings: SettingsStore

  constructor(settings: SettingsStore) {
    this.#settings = settings
  }

  all(): readonly RegisterRecord[] {
    return this.#settings.read().register.filter(saysSomething)
  }

  find(address: KeyAddress): RegisterRecord | undefined {
    return this.all().find((record) => isSame(record, address))
  }

  remove(address: KeyAddress): void {
    this.#settings.update(({ register, team }) => ({
      register: register.flatMap((one) => {
        if (!isSame(one, address)) return [one]
        const { planName, keyName } = one
        return team ? [{ ...bare(one), planName, keyName, alsoServes: [] }] : []
      }),
    }))
  }

  /** Changes what is noted of a key; a note of which nothing is left but names goes, unless a team has to be told so. */
  change(address: KeyAddress, names: KeyNames, change: NoteChange): void {
    this.#settings.update(({ register, team }) => {
      const before = register.find((one) => isSame(one, address))
      const record = { alsoServes: [], ...before, ...bare(address), ...names, ...change }
      const others = register.filter((one) => !isSame(one, address))
      return { register: saysSomething(record) || team ? [...others, record] : others }
    })
  }
}

function saysSomething(record: RegisterRecord): boolean {
  const { alsoServes, holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt } = record
  const told = [holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt, lastUsedAt]
  return alsoServes.length > 0 || told.some((one) => one !== undefined)
}

/** What is needed of the account. */
interface RegisteredAccount extends RegisterAccount {
  setKeyStatus(of: KeyAddress & { readonly status: 'ACTIVE' | 'DISABLED' }): Promise<SubscriptionKeyView>
}

interface RegisterDeps {
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
  /** An account answered after it was waited for: list again. */
  readonly onLate?: () => void
}

/** A key as the window names it: by the ids of an entry. */
interface EntryId {
  readonly planId: string
  readonly keyId: string
}

/** What a person may change; null: nobody holds it. Texts left out stay. */
interface RegisterChange extends EntryId {
  readonly holder?: Holder | null | undefined
  readonly purpose?: string | undefined
  readonly machine?: string | undefined
}

const patienceMs = 10_000

/** Where somebody hears of what comes late. */
const shortPatienceMs = 3_000

/** Who holds which key, and what for. */
export class Register {
  readonly #deps: RegisterDeps
  readonly #notes: Notes
  readonly #accounts: Accounts

  constructor(deps: RegisterDeps) {
    this.#deps = deps
    this.#notes = new Notes(deps.settings)
    this.#accounts = new Accounts(deps.account, deps.onLate)
  }

  /** The keys that are known without asking any account. */
  known(): RegisterEntry[] {
    return this.#known().map(({ entry }) => entry)
  }

  /** Every key, after asking the accounts; with what is known where one does not answer. */
  async list(): Promise<RegisterEntry[]> {
    return this.#list(this.#deps.patienceMs ?? (this.#deps.onLate ? shortPatienceMs : patienceMs))
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
      const message = `The key ${keyName} of ${planName} was added by key. Only its account can disable it.`
      throw new AppError('rotation.notAtAccount', message)
    }
    const key = await this.#deps.account.setKeyStatus({ ...address, status: 'DISABLED' })
    this.#accounts.noteKey(address, key)
    await this.#deps.audit.note({ what: 'revoked', planName, keyName, subject: holder?.name })
    return (await this.#find(id)).entry
  }

  /** The whole register as CSV without secrets. */
  async csv(): Promise<string> {
    return formatCsv(await this.#list(this.#deps.patienceMs ?? patienceMs))
  }

  /** Names of those who hold a key of an account, as far as it is noted here. */
  holdersOf(address: KeyAddress): string[] {
    const { holder, alsoServes = [] } = this.#notes.find(address) ?? {}
    return [...(holder ? [holder.name] : []), ...alsoServes]
  }

  /** Who holds one of these keys, each once; a tool of this machine that uses one is no holder elsewhere. */
  findHolders(ids: readonly EntryId[]): Holder[] {
    const entries = ids.flatMap((id) => this.#locate(id)?.entry ?? [])
    const holders = entries.flatMap(({ holder, alsoServes }) => [
      ...(holder ? [holder] : []),
      ...alsoServes.map((name) => ({ kind: 'person' as const, name })),
    ])
    const isHere = ({ kind, name }: Holder): boolean =>
      kind === 'tool' && entries.some(({ tools }) => tools.includes(name))
    return [...new Map(holders.map((holder) => [holder.name, holder])).values()].filter((one) => !isHere(one))
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

  /** Whether the only holder of a key has confirmed it, here or at another computer of the team. */
  hasAcknowledged(id: EntryId, holder: Holder): boolean {
    const entry = this.#locate(id)?.entry
    const isOnlyHolder = entry?.holder?.name === holder.name && entry.alsoServes.length === 0
    return isOnlyHolder && entry?.acknowledgedAt !== undefined
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

  /** Forgets what was noted of the new key of a rotation that was undone. */
  forgetKey(address: KeyAddress): void {
    this.#notes.remove(address)
  }

  async #list(patience: number): Promise<RegisterEntry[]> {
    await this.#accounts.ask(this.#deps.consoles(), patience)
    const entries: RegisterEntry[] = []
    for (const ofPlan of this.#knownByPlan()) {
      entries.push(...ofPlan.map(({ entry }) => entry))
      await letOthersIn()
    }
    return entries
  }

  #note({ address, entry }: AddressedEntry, change: NoteChange): void {
    const { planName, keyName, masked, createdAt } = entry
    this.#notes.change(address, { planName, keyName, masked, createdAt }, change)
  }

  #known(): AddressedEntry[] {
    return [...this.#knownByPlan()].flat()
  }

  #knownByPlan(): Iterable<AddressedEntry[]> {
    const { plans, uses } = this.#deps
    return entriesByPlan({
      plans: plans.list(),
      uses: uses(),
      told: this.#accounts.known(),
      notes: this.#notes.all(),
    })
  }

  #locate({ planId, keyId }: EntryId): AddressedEntry | undefined {
    const origin = this.#deps.plans.list().find(({ id }) => id === planId)?.origin
    return this.#known().find(({ address, entry }) => {
      const isEntry = entry.planId === planId && entry.keyId === keyId
      const isOfOrigin = origin !== undefined && isSame(address, { ...origin, keyId })
      return isEntry || isOfOrigin || isSame(address, { connectionId: address.connectionId, planId, keyId })
    })
  }

  async #find(id: EntryId): Promise<AddressedEntry> {
    const found = this.#locate(id)
    const { connectionId = '' } = found?.address ?? {}
    const isKnown = connectionId === '' || this.#accounts.known().has(connectionId)
    if (found && isKnown) return found
    await this.#accounts.ask(this.#deps.consoles(), this.#deps.patienceMs ?? patienceMs)
    const asked = this.#locate(id)
    if (asked) return asked
    throw new AppError('register.notFound', 'This key is no longer in the list. Refresh the list.')
  }
}

/** A tool of this machine and what it was configured with: a plan here and one of its keys, or its default. */
interface KeyUse {
  readonly toolName: string
  readonly planId: string
  readonly keyId?: string | undefined
}

/** Everything that is known of keys. */
interface KeySources {
  readonly plans: readonly PlanView[]
  readonly told: ReadonlyMap<string, ConsoleKeys>
  readonly notes: readonly RegisterRecord[]
  readonly uses: readonly KeyUse[]
}

/** One key with all that is known of it. */
interface KnownKey {
  readonly address: KeyAddress
  readonly local?: { readonly plan: PlanView; readonly key: PlanView['keys'][number] }
  readonly account?: { readonly plan: { readonly name: string }; readonly key: SubscriptionKeyView }
  readonly note?: RegisterRecord
}

/** An entry with the address of its key. */
interface AddressedEntry {
  readonly address: KeyAddress
  readonly entry: RegisterEntry
}

/** One entry for each key, in the order of plans and then of keys: those of one plan at a time, as there may be tens of thousands. */
function* entriesByPlan(known: KeySources): Generator<AddressedEntry[]> {
  const { compare } = new Intl.Collator()
  const byPlan = new Map<string, KnownKey[]>()
  for (const key of joined(known).values()) {
    const name = planNameOf(key)
    const ofPlan = byPlan.get(name)
    if (ofPlan) ofPlan.push(key)
    else byPlan.set(name, [key])
  }
  for (const [, keys] of [...byPlan].sort(([a], [b]) => compare(a, b))) {
    const entries = keys.map((key) => ({ address: key.address, entry: entryOf(key, known) }))
    yield entries.sort(({ entry: a }, { entry: b }) => compare(a.keyName, b.keyName))
  }
}

const planNameOf = ({ address, local, account, note }: KnownKey): string =>
  local?.plan.name ?? account?.plan.name ?? note?.planName ?? address.planId

/** Where a key that is kept here belongs. */
function toKeyAddress(
  { id, origin }: Pick<PlanRecord, 'id' | 'origin'>,
  key: Pick<PlanRecord['keys'][number], 'id' | 'origin'>,
): KeyAddress {
  return origin && key.origin ? { ...origin, keyId: key.origin.keyId } : { connectionId: '', planId: id, keyId: key.id }
}

function joined({ plans, told, notes }: KeySources): Map<string, KnownKey> {
  const found = new Map<string, KnownKey>()
  const add = (address: KeyAddress, part: Omit<KnownKey, 'address'>): void => {
    const text = keyAddressText(address)
    found.set(text, { ...found.get(text), address, ...part })
  }
  for (const plan of plans) for (const key of plan.keys) add(toKeyAddress(plan, key), { local: { plan, key } })
  for (const [connectionId, { plans: all }] of told) {
    for (const { plan, keys } of all) {
      for (const key of keys) add({ connectionId, planId: plan.planId, keyId: key.keyId }, { account: { plan, key } })
    }
  }
  for (const note of notes) add(bare(note), { note })
  return found
}

function entryOf(found: KnownKey, known: KeySources): RegisterEntry {
  const { address, local, account, note } = found
  const { connectionId, ...ofAccount } = address
  const { holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt } = note ?? {}
  return {
    planId: local?.plan.id ?? address.planId,
    planName: planNameOf(found),
    keyId: local?.key.id ?? address.keyId,
    keyName: account?.key.name ?? local?.key.name ?? note?.keyName ?? address.keyId,
    ...(connectionId === '' ? {} : { origin: { connectionId, ...ofAccount } }),
    masked: account?.key.masked ?? local?.key.masked ?? note?.masked,
    status: keyStatus(found, known),
    isKeptHere: local !== undefined && local.key.kept !== 'missing',
    ...{ holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt },
    createdAt: account?.key.createdAt ?? note?.createdAt ?? (connectionId === '' ? local?.key.addedAt : undefined),
    lastUsedAt: lastUse(found),
    tools: toolsOf(found, known.uses),
    alsoServes: [...(note?.alsoServes ?? [])],
  }
}

function keyStatus({ address, local, account }: KnownKey, { told }: KeySources): RegisterEntry['status'] {
  const answer = told.get(address.connectionId)
  if (address.connectionId === '') return local ? 'unknown' : 'gone'
  if (!answer?.isFresh) return 'unknown'
  return account?.key.status ?? 'gone'
}

function toolsOf({ local }: KnownKey, uses: readonly KeyUse[]): string[] {
  if (!local) return []
  const { plan, key } = local
  const names = uses.flatMap(({ toolName, planId, keyId = plan.defaultKeyId }) =>
    planId === plan.id && keyId === key.id ? [toolName] : [],
  )
  return [...new Set(names)]
}

/** A check is made with the default key of a plan. */
function lastUse({ local, note }: KnownKey): string | undefined {
  const check = local && local.plan.defaultKeyId === local.key.id ? local.plan.lastCheck : undefined
  const moments = [note?.lastUsedAt, check?.at].filter((at) => at !== undefined)
  return moments.sort().at(-1)
}
