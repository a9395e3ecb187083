import type { Holder, MethodInput, MethodOutput, PlanView, RegisterEntry, SubscriptionKeyView } from '@shared/contract'
import type { KeyUseSource } from '@shared/contract/register'
import { dayMs, hourMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { holderId, isSameHolder, planRefText } from '@shared/key-ids'
import { csvLine } from '../../core/csv'
import type { AuditPort, Clock } from '../../core/ports'
import type { RegisterRecord, Settings, SettingsStore } from '../../core/settings/settings'
import { limitConcurrency, yieldToEventLoop } from '../../core/work-queue'
import type { Account } from '../../plans/account/account'
import type { PlanDirectory } from '../../plans/plan-directory'
import type { KeyLastUse } from '../../usage/ports'
import {
  type AccountKey,
  Accounts,
  type ConsoleKeys,
  type KeyAddress,
  keyAddressText,
  type NoteChange,
  Notes,
  pickKeyAddress,
  type RegisterAccount,
} from './key-sources'

interface RegisterDeps {
  readonly settings: SettingsStore
  readonly plans: { list(): PlanView[]; readonly directory: Pick<PlanDirectory, 'label'> }
  readonly account: RegisterAccount & Pick<Account, 'usage' | 'setKeyStatus' | 'deleteKey'>
  readonly consoles: () => readonly string[]
  readonly uses: () => readonly KeyUse[]
  /** Names of tools whose key is unknown, because their records are unreadable. */
  readonly unknownTools?: () => readonly string[]
  /** Last uses of keys in the usage ledger. If omitted, only copying and testing a key count as its use. */
  readonly listLastUses?: (() => Promise<readonly KeyLastUse[]>) | undefined
  readonly audit: AuditPort
  readonly clock: Clock
  readonly timeoutMs?: number
  /** Called when an account's response arrives after the timeout, so that the keys can be listed again. */
  readonly onLate?: (() => void) | undefined
  /** Called when a holder has left, because rotations need not wait for this holder's confirmation any more. */
  readonly onLeave?: () => void
}

type EntryId = Readonly<MethodInput<'register.enable'>['keys'][number]>

/** Timeout in ms of calls that need the answers of all accounts. */
const defaultTimeoutMs = 10_000

/** Timeout in ms of a list that is completed when late answers arrive. */
const listTimeoutMs = 3_000

/** Time in ms until the keys of a holder who left are deleted. Until then, the report can be undone. */
const noteDeletionDelayMs = 7 * dayMs

/** Length of the period in which an account's usage is searched for the last use of a key. */
const lastUseMs = 45 * dayMs
const maxParallelCalls = 8

export class Register {
  readonly #notes: Notes
  readonly #accounts: Accounts
  readonly #timeoutMs: number
  /** Last uses of keys in the ledger, by `localKeyText`. Updated with each list. */
  #lastUses: ReadonlyMap<string, LastUse> = new Map()

  constructor(private readonly deps: RegisterDeps) {
    this.#notes = new Notes(deps.settings)
    this.#accounts = new Accounts(deps.account, deps.onLate)
    this.#timeoutMs = deps.timeoutMs ?? defaultTimeoutMs
  }

  known(): RegisterEntry[] {
    return [...entriesByPlan(this.#sources())].flat()
  }

  /** Every key, after querying the accounts. Uses known data of accounts that do not respond. */
  list(): Promise<RegisterEntry[]> {
    return this.#list(this.deps.timeoutMs ?? (this.deps.onLate ? listTimeoutMs : defaultTimeoutMs))
  }

  /** Newest use of each key. Fails with `register.notFound`. */
  async lastUses({ keys }: MethodInput<'register.lastUses'>): Promise<MethodOutput<'register.lastUses'>> {
    await this.#readLastUses()
    const runLimited = limitConcurrency(maxParallelCalls)
    const entries = await this.#findAll(keys)
    return Promise.all(entries.map((entry) => runLimited(() => this.#findLastUse(entry))))
  }

  async #findLastUse({ lastUsedAt, lastUsedFrom, origin }: RegisterEntry) {
    const localUse = lastUsedAt && lastUsedFrom ? { at: lastUsedAt, from: lastUsedFrom } : undefined
    if (!origin) return { ...localUse, isLocalOnly: true }
    const nowMs = this.deps.clock().getTime()
    const period = { from: new Date(nowMs - lastUseMs).toISOString(), to: new Date(nowMs).toISOString() }
    try {
      const { series } = await this.deps.account.usage({ ...origin, ...period, interval: 'hour' })
      const hours = series.filter(({ requests }) => requests > 0).map(({ start }) => new Date(start).toISOString())
      const newestHour = hours.toSorted().at(-1)
      const lastUse = newestUse([localUse, newestHour && { at: newestHour, from: 'console' }])
      if (lastUse?.from !== 'console') return { ...lastUse, isLocalOnly: false }
      // The console counts whole hours. The latest possible time protects keys in use from a lead who disables old ones.
      const endMs = Math.min(Date.parse(lastUse.at) + hourMs, nowMs)
      return { ...lastUse, at: new Date(endMs).toISOString(), isLocalOnly: false }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...localUse, isLocalOnly: true }
    }
  }

  /** Fails with `register.notFound`, or `rotation.notAtAccount` for an end date of a key without an account. */
  async update({ holder, purpose, machine, endsAt, ...id }: MethodInput<'register.update'>): Promise<RegisterEntry> {
    const entry = await this.#find(id)
    if (endsAt && !entry.origin)
      throw new AppError('rotation.notAtAccount', 'This key was added by key. Only its account can disable it.')
    const { planName, keyName, holder: previousHolder } = entry
    const isNew = holder !== undefined && !(previousHolder && holder && isSameHolder(previousHolder, holder))
    this.#note(entry, {
      ...(holder === undefined ? {} : { holder: holder ? this.identify(holder) : undefined }),
      // A confirmation of the previous holder does not count for the new one.
      ...(isNew ? { handedOutAt: undefined, acknowledgedAt: undefined, deleteAt: undefined } : {}),
      ...(purpose === undefined ? {} : { purpose: purpose || undefined }),
      ...(machine === undefined ? {} : { machine: machine || undefined }),
      ...(endsAt === undefined ? {} : { endsAt: endsAt ?? undefined }),
    })
    const subject = holder === null ? '' : holder?.name
    await this.deps.audit.note({ what: 'registerChanged', planName, keyName, subject })
    return this.#find(id)
  }

  /** Names of the tools and holders that lose access when keys are disabled. Fails with `register.notFound` when a key is unknown. */
  async previewRevoke({
    keys,
  }: MethodInput<'register.previewRevoke'>): Promise<MethodOutput<'register.previewRevoke'>> {
    const entries = await this.#findAll(keys)
    return {
      tools: [...new Set(entries.flatMap(({ tools }) => tools))],
      unknownTools: [...(this.deps.unknownTools?.() ?? [])],
      holders: [...new Set(listRemoteHolders(entries).map(({ name }) => name))],
    }
  }

  async revoke({ keys, isLeaving = false }: MethodInput<'register.revoke'>): Promise<MethodOutput<'register.revoke'>> {
    const deleteAt = isLeaving ? new Date(this.deps.clock().getTime() + noteDeletionDelayMs).toISOString() : undefined
    const result = await this.#changeStatus(keys, { status: 'DISABLED', deleteAt })
    if (isLeaving) this.deps.onLeave?.()
    return result
  }

  /** Enables keys again and cancels their pending deletion. */
  async enable({ keys }: MethodInput<'register.enable'>): Promise<MethodOutput<'register.enable'>> {
    return this.#changeStatus(keys, { status: 'ACTIVE', deleteAt: undefined })
  }

  /** Deletes keys of holders who left 7 days ago and were not enabled since. Retries keys of unknown status later. */
  async deleteDue(): Promise<void> {
    const remove = async (entry: RegisterEntry): Promise<void> => {
      const { status } = entry
      if (status === 'ACTIVE') this.#note(entry, { deleteAt: undefined })
      if (status === 'DISABLED') await this.deps.account.deleteKey(toAddress(entry))
      if (status === 'DISABLED' || status === 'gone') this.#notes.remove(toAddress(entry))
    }
    const results = await Promise.allSettled((await this.#findDue('deleteAt')).map(remove))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /** Disables the keys whose end date has passed, and returns them. Keys of unknown status are tried again later. */
  async disableDue(): Promise<RegisterEntry[]> {
    const entries = await this.#findDue('endsAt')
    const activeEntries = entries.filter(({ status }) => status === 'ACTIVE')
    const { failed } = await this.#changeStatus(activeEntries.map(toAddress), {
      status: 'DISABLED',
      deleteAt: undefined,
    })
    const disabledEntries = activeEntries.filter((_, index) => failed.every((failure) => failure.index !== index))
    const endedEntries = entries.filter(({ status }) => status === 'DISABLED' || status === 'gone')
    for (const endedEntry of [...disabledEntries, ...endedEntries]) this.#note(endedEntry, { endsAt: undefined })
    return disabledEntries
  }

  /** Keys whose noted time has passed, with their present status at the account. */
  async #findDue(field: 'deleteAt' | 'endsAt'): Promise<RegisterEntry[]> {
    const nowIso = this.deps.clock().toISOString()
    const dueNotes = this.#notes.all().filter(({ [field]: at }) => at !== undefined && at <= nowIso)
    if (dueNotes.length === 0) return []
    await this.#accounts.ask(this.deps.consoles(), this.#timeoutMs)
    const locateKey = this.#locator()
    return dueNotes.flatMap((note) => locateKey(pickKeyAddress(note)) ?? [])
  }

  /** The stored holder with the same id or name, or else the passed holder. */
  identify(holder: Holder): Holder {
    return this.#notes.all().find((note) => note.holder && isSameHolder(note.holder, holder))?.holder ?? holder
  }

  /** Renames a holder and keeps keys, confirmations, key files and budgets. Fails with `input.invalid` when the name is taken. */
  async renameHolder({ holder: currentHolder, name }: MethodInput<'register.renameHolder'>): Promise<Holder> {
    const holder = this.identify(currentHolder)
    const renamedHolder = { ...holder, id: holderId(holder), name }
    const namesake = { kind: holder.kind, name }
    const knownNamesake = this.identify(namesake)
    if (knownNamesake !== namesake && !isSameHolder(knownNamesake, holder))
      throw new AppError('input.invalid', `There is another holder named ${name}.`, { field: 'name' })
    this.#notes.renameHolder(holder, renamedHolder)
    await this.deps.audit.note({ what: 'registerChanged', subject: `${holder.name} → ${name}` })
    return renamedHolder
  }

  async #changeStatus(
    ids: readonly EntryId[],
    { status, deleteAt }: { status: 'ACTIVE' | 'DISABLED'; deleteAt: string | undefined },
  ): Promise<MethodOutput<'register.revoke'>> {
    const entries = await this.#findAll(ids)
    const failedKeys: MethodOutput<'register.revoke'>['failed'] = []
    const changedKeys: AccountKey[] = []
    for (const [index, entry] of entries.entries()) {
      const { planName, keyName, holder, origin: address } = entry
      try {
        if (!address) {
          const message = `The key ${keyName} of ${planName} was added by key. Only its account can disable it.`
          throw new AppError('rotation.notAtAccount', message)
        }
        changedKeys.push({ address, key: await this.deps.account.setKeyStatus({ ...address, status }) })
        if (status === 'DISABLED')
          await this.deps.audit.note({ what: 'revoked', planName, keyName, subject: holder?.name })
        if (entry.deleteAt !== deleteAt) this.#note(entry, { deleteAt })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        failedKeys.push({ index, failure: error.failure })
      }
    }
    this.#accounts.noteKeys(changedKeys)
    return { failed: failedKeys }
  }

  /** Formats the register as CSV (RFC 4180) without keys. A leading quote defuses cells with formulas. */
  async csv(): Promise<string> {
    const entries = await this.#list(this.#timeoutMs)
    const rows = entries.map((entry) => columns.map(([, cell]) => cell(entry) ?? ''))
    return [columns.map(([heading]) => heading), ...rows].map(csvLine).join('')
  }

  listHolders(address: KeyAddress): string[] {
    const { holder, alsoServes = [] } = this.#notes.find(address) ?? {}
    return [...(holder ? [holder.name] : []), ...alsoServes]
  }

  /** People who hold these keys on other computers, without duplicates and without holders who left. */
  findHolders(ids: readonly EntryId[]): Holder[] {
    const locateKey = this.#locator()
    const entries = ids.flatMap((id) => locateKey(id) ?? [])
    return listRemoteHolders(entries.filter(({ deleteAt }) => deleteAt === undefined))
  }

  /** Names of other users of a local key: its recorded holder, further recipients and tools. Omits `holder`. */
  otherHolders(id: EntryId, holder: Holder): string[] {
    const entry = this.#locator()(id)
    if (!entry) return []
    const names = [...(entry.holder ? [entry.holder.name] : []), ...entry.alsoServes, ...entry.tools]
    return [...new Set(names)].filter((name) => name !== holder.name)
  }

  /** Records that a local key was handed out. A second holder becomes a further recipient. */
  noteHandedOut(id: EntryId, holder: Holder, purpose: string | undefined): void {
    const entry = this.#locator()(id)
    if (!entry) return
    this.#note(entry, {
      handedOutAt: this.deps.clock().toISOString(),
      acknowledgedAt: undefined,
      deleteAt: undefined,
      ...(entry.holder === undefined || isSameHolder(entry.holder, holder)
        ? { holder, ...(purpose ? { purpose } : {}) }
        : { alsoServes: [...new Set([...entry.alsoServes, holder.name])] }),
    })
  }

  noteAcknowledged(id: EntryId): void {
    const entry = this.#locator()(id)
    if (entry) this.#note(entry, { acknowledgedAt: this.deps.clock().toISOString() })
  }

  /** Whether the only holder of a key has confirmed it, here or at another computer of the team. */
  hasAcknowledged(id: EntryId, holder: Holder): boolean {
    const entry = this.#locator()(id)
    if (!entry?.holder || !isSameHolder(entry.holder, holder)) return false
    return entry.alsoServes.length === 0 && entry.acknowledgedAt !== undefined
  }

  noteUsed(id: EntryId): void {
    const entry = this.#locator()(id)
    if (entry) this.#note(entry, { lastUsedAt: this.deps.clock().toISOString() })
  }

  /** Copies holder and purpose from a rotated key to its replacement. Ids are local. */
  noteRotated({ planId, oldKeyId, newKeyId }: { planId: string; oldKeyId: string; newKeyId: string }): void {
    const locateKey = this.#locator()
    const [oldEntry, newEntry] = [oldKeyId, newKeyId].map((keyId) => locateKey({ planId, keyId }))
    if (!oldEntry || !newEntry) return
    const { holder, purpose, machine, alsoServes, endsAt } = oldEntry
    this.#note(newEntry, { holder, purpose, machine, alsoServes, endsAt, rotatedAt: this.deps.clock().toISOString() })
  }

  forgetKey(address: KeyAddress): void {
    this.#notes.remove(address)
  }

  async #list(timeoutMs: number): Promise<RegisterEntry[]> {
    await Promise.all([this.#accounts.ask(this.deps.consoles(), timeoutMs), this.#readLastUses()])
    const entries: RegisterEntry[] = []
    for (const planKeys of entriesByPlan(this.#sources())) {
      entries.push(...planKeys)
      await yieldToEventLoop()
    }
    return entries
  }

  async #readLastUses(): Promise<void> {
    // An unreadable ledger must not prevent the list of keys.
    const lastUses = (await this.deps.listLastUses?.().catch(() => [])) ?? []
    this.#lastUses = new Map(
      lastUses
        .toSorted((a, b) => a.at - b.at)
        .map((use) => [localKeyText(use), { at: new Date(use.at).toISOString(), from: use.source }]),
    )
  }

  #note(entry: RegisterEntry, change: NoteChange): void {
    const { planName, keyName, masked, createdAt } = entry
    this.#notes.change(toAddress(entry), { planName, keyName, masked, createdAt }, change)
  }

  #sources(): KeySources {
    const { plans, uses, settings } = this.deps
    return {
      plans: plans.list(),
      uses: uses(),
      consoleKeys: this.#accounts.known,
      notes: this.#notes.all(),
      lastUses: this.#lastUses,
      directory: plans.directory,
      settings: settings.read(),
    }
  }

  /** Finds keys by any of their ids. The index keeps lookups of thousands of keys linear. */
  #locator(): (id: EntryId) => RegisterEntry | undefined {
    const sources = this.#sources()
    const keys = [...joinSources(sources).values()]
    const keysById = new Map<string, KnownKey>()
    const add = (key: KnownKey, ...ids: readonly string[]): void => {
      const text = JSON.stringify(ids)
      if (!keysById.has(text)) keysById.set(text, key)
    }
    // Add local ids first, so that they win, because two connections may have the same account ids.
    for (const key of keys) if (key.local) add(key, key.local.plan.id, key.local.key.id)
    const localPlans = new Map(sources.plans.map(({ id, origin }) => [origin && planRefText(origin), id]))
    for (const key of keys) {
      const { connectionId, planId, keyId } = key.address
      const localPlanId = connectionId === '' ? undefined : localPlans.get(planRefText(key.address))
      add(key, connectionId, planId, keyId)
      if (localPlanId !== undefined) add(key, localPlanId, keyId)
      add(key, planId, keyId)
    }
    return ({ connectionId, planId, keyId }) => {
      const ids = connectionId === undefined ? [planId, keyId] : [connectionId, planId, keyId]
      const key = keysById.get(JSON.stringify(ids))
      return key && toEntry(key, sources)
    }
  }

  async #find(id: EntryId): Promise<RegisterEntry> {
    const [entry] = await this.#findAll([id])
    if (entry) return entry
    throw createKeyNotFoundError()
  }

  async #findAll(ids: readonly EntryId[]): Promise<RegisterEntry[]> {
    const [known, locateKey] = [this.#accounts.known, this.#locator()]
    const locatedEntries = ids.flatMap((id) => locateKey(id) ?? [])
    const areKnown = locatedEntries.every(({ origin }) => !origin || known.has(origin.connectionId))
    if (areKnown && locatedEntries.length === ids.length) return locatedEntries
    await this.#accounts.ask(this.deps.consoles(), this.#timeoutMs)
    return ids.map(this.#locator()).map((entry) => {
      if (!entry) throw createKeyNotFoundError()
      return entry
    })
  }
}

const createKeyNotFoundError = (): AppError =>
  new AppError('register.notFound', 'This key is no longer in the list. Refresh the list.')

/** Holders of these keys without duplicates, and without tools of this computer. */
function listRemoteHolders(entries: readonly RegisterEntry[]): Holder[] {
  const tools = new Set(entries.flatMap((entry) => entry.tools))
  const holders = entries.flatMap(({ holder, alsoServes }) => [
    ...(holder ? [holder] : []),
    ...alsoServes.map((name) => ({ kind: 'person' as const, name })),
  ])
  const isLocalTool = ({ kind, name }: Holder): boolean => kind === 'tool' && tools.has(name)
  return [...new Map(holders.map((holder) => [holder.name, holder])).values()].filter((holder) => !isLocalTool(holder))
}

interface KeyUse {
  readonly toolName: string
  readonly planId: string
  readonly keyId?: string | undefined
}

interface KeySources {
  readonly plans: readonly PlanView[]
  readonly consoleKeys: ReadonlyMap<string, ConsoleKeys>
  readonly notes: readonly RegisterRecord[]
  readonly uses: readonly KeyUse[]
  readonly lastUses: ReadonlyMap<string, LastUse>
  readonly directory: Pick<PlanDirectory, 'label'>
  readonly settings: Settings
}

interface KnownKey {
  readonly address: KeyAddress
  readonly local?: { readonly plan: PlanView; readonly key: PlanView['keys'][number] }
  readonly account?: { readonly plan: { readonly name: string }; readonly key: SubscriptionKeyView }
  readonly note?: RegisterRecord
}

/** Address of the note about a key. */
const toAddress = ({ origin, planId, keyId }: RegisterEntry): KeyAddress =>
  origin ?? { connectionId: '', planId, keyId }

/** Yields the entries plan by plan, because there may be tens of thousands. */
function* entriesByPlan(sources: KeySources): Generator<RegisterEntry[]> {
  const { compare } = new Intl.Collator()
  const keysByPlan = new Map<string, KnownKey[]>()
  for (const key of joinSources(sources).values()) {
    const name = getPlanName(key)
    const planKeys = keysByPlan.get(name)
    if (planKeys) planKeys.push(key)
    else keysByPlan.set(name, [key])
  }
  for (const [, keys] of [...keysByPlan].sort(([a], [b]) => compare(a, b))) {
    yield keys.map((key) => toEntry(key, sources)).sort((a, b) => compare(a.keyName, b.keyName))
  }
}

const getPlanName = ({ address, local, account, note }: KnownKey): string =>
  local?.plan.name ?? account?.plan.name ?? note?.planName ?? address.planId

function joinSources({ plans, consoleKeys, notes }: KeySources): Map<string, KnownKey> {
  const keysByAddress = new Map<string, KnownKey>()
  const add = (address: KeyAddress, source: Omit<KnownKey, 'address'>): void => {
    const text = keyAddressText(address)
    keysByAddress.set(text, { ...keysByAddress.get(text), address, ...source })
  }
  for (const plan of plans)
    for (const key of plan.keys) {
      const accountAddress = plan.origin && key.origin && { ...plan.origin, keyId: key.origin.keyId }
      add(accountAddress ?? { connectionId: '', planId: plan.id, keyId: key.id }, { local: { plan, key } })
    }
  for (const [connectionId, { plans: accountPlans }] of consoleKeys) {
    for (const { plan, keys } of accountPlans) {
      for (const key of keys) add({ connectionId, planId: plan.planId, keyId: key.keyId }, { account: { plan, key } })
    }
  }
  for (const note of notes) add(pickKeyAddress(note), { note })
  return keysByAddress
}

function toEntry(knownKey: KnownKey, sources: KeySources): RegisterEntry {
  const { address, local, account, note } = knownKey
  const { connectionId } = address
  const {
    alsoServes = [],
    masked,
    createdAt,
    keyName,
    connectionId: _,
    planName: __,
    lastUsedAt: ___,
    ...noted
  } = note ?? {}
  const lastUse = getLastUse(knownKey, sources.lastUses)
  return {
    ...noted,
    planId: local?.plan.id ?? address.planId,
    planName: getPlanName(knownKey),
    planLabel: sources.directory.label(connectionId, getPlanName(knownKey), sources.settings),
    keyId: local?.key.id ?? address.keyId,
    keyName: account?.key.name ?? local?.key.name ?? keyName ?? address.keyId,
    ...(connectionId === '' ? {} : { origin: pickKeyAddress(address) }),
    masked: account?.key.masked ?? local?.key.masked ?? masked,
    status: keyStatus(knownKey, sources),
    isKeptHere: local !== undefined && local.key.kept !== 'missing',
    createdAt: account?.key.createdAt ?? createdAt ?? (connectionId === '' ? local?.key.addedAt : undefined),
    ...(lastUse && { lastUsedAt: lastUse.at, lastUsedFrom: lastUse.from }),
    tools: local ? listTools(local, sources.uses) : [],
    alsoServes: [...alsoServes],
  }
}

function keyStatus({ address, local, account }: KnownKey, { consoleKeys }: KeySources): RegisterEntry['status'] {
  const answer = consoleKeys.get(address.connectionId)
  if (address.connectionId === '') return local ? 'unknown' : 'gone'
  if (!answer?.isFresh) return 'unknown'
  return account?.key.status ?? 'gone'
}

function listTools({ plan, key }: NonNullable<KnownKey['local']>, uses: readonly KeyUse[]): string[] {
  const names = uses.flatMap(({ toolName, planId, keyId = plan.defaultKeyId }) =>
    planId === plan.id && keyId === key.id ? [toolName] : [],
  )
  return [...new Set(names)]
}

interface LastUse {
  readonly at: string
  readonly from: KeyUseSource
}

const localKeyText = ({ planId, keyId }: { readonly planId: string; readonly keyId: string }): string =>
  JSON.stringify([planId, keyId])

const newestUse = (uses: readonly (LastUse | '' | undefined)[]): LastUse | undefined =>
  uses.flatMap((use) => use || []).reduce<LastUse | undefined>((a, b) => (a && a.at >= b.at ? a : b), undefined)

/** Newest known use of a key. A check of the plan counts as a use of its default key. */
function getLastUse({ local, note }: KnownKey, recorded: ReadonlyMap<string, LastUse>): LastUse | undefined {
  const check = local && local.plan.defaultKeyId === local.key.id ? local.plan.lastCheck : undefined
  return newestUse([
    local && recorded.get(localKeyText({ planId: local.plan.id, keyId: local.key.id })),
    check && { at: check.at, from: 'app' },
    note?.lastUsedAt ? { at: note.lastUsedAt, from: 'copied' } : undefined,
  ])
}

/** Columns of the CSV file. */
const columns: readonly (readonly [heading: string, cell: (entry: RegisterEntry) => string | undefined])[] = [
  ['Plan', ({ planName }) => planName],
  ['Key', ({ keyName }) => keyName],
  ['Ends with', ({ masked }) => masked],
  ['Status', ({ status }) => status],
  ['Holder', ({ holder }) => holder?.name],
  ['Kind of holder', ({ holder }) => holder?.kind],
  ['Purpose', ({ purpose }) => purpose],
  ['Machine', ({ machine }) => machine],
  ['Made', ({ createdAt }) => createdAt],
  ['Handed out', ({ handedOutAt }) => handedOutAt],
  ['Acknowledged', ({ acknowledgedAt }) => acknowledgedAt],
  ['Rotated', ({ rotatedAt }) => rotatedAt],
  ['Last used', ({ lastUsedAt }) => lastUsedAt],
  ['Tools here', ({ tools }) => tools.join('; ')],
  ['Last used from', ({ lastUsedFrom }) => lastUsedFrom],
  ['Also serves', ({ alsoServes }) => alsoServes.join('; ')],
]
