import { randomUUID } from 'node:crypto'
import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { planRefText } from '@shared/contract/common'
import { Holder, isSameHolder } from '@shared/contract/register'
import { AppError, type FailureCode } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import type { Clock } from '../../core/ports'
import type { AccountPlanId, HandoutRecord, PlanRecord, SettingsStore } from '../../core/settings/settings'

const maxHolders = 100

/**
 * Column headings of a holder list in English and Vietnamese, for the name (best match first) and the kind of holder.
 */
const nameHeads = ['name', 'họ và tên', 'họ tên', 'tên', 'holder', 'người giữ', 'người nhận', 'email', 'e-mail']
const kindHeads = ['kind', 'type', 'loại']
const kindByWord: Readonly<Record<string, Holder['kind']>> = {
  person: 'person',
  người: 'person',
  tool: 'tool',
  'công cụ': 'tool',
}

/** Parses holders from lines or CSV (comma, semicolon or tab), without duplicates, at most 100. `left` has the skipped lines. */
export function readNames(text: string): { holders: Holder[]; left: string[] } {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '')
  const heads = detectColumns(lines[0] ?? '')
  const holders = new Map<string, Holder>()
  const remainingFields: string[] = []
  for (const line of heads ? lines.slice(1) : lines) {
    const holder = parseHolder(line, heads)
    const holderKey = holder && `${holder.kind} ${holder.name.toLowerCase()}`
    if (!holder || holderKey === undefined || holders.has(holderKey) || holders.size >= maxHolders)
      remainingFields.push(clean(line))
    else holders.set(holderKey, holder)
  }
  return { holders: [...holders.values()], left: remainingFields }
}

interface Columns {
  readonly name: number
  readonly kind: number
}

function detectColumns(line: string): Columns | undefined {
  const cells = splitCells(line).map((cell) => cell.toLowerCase())
  const name = nameHeads.map((head) => cells.indexOf(head)).find((index) => index >= 0) ?? -1
  return name < 0 ? undefined : { name, kind: cells.findIndex((cell) => kindHeads.includes(cell)) }
}

function parseHolder(line: string, columns: Columns | undefined): Holder | undefined {
  const cells = splitCells(line)
  const secondCell = cells[1]?.toLowerCase() ?? ''
  // Without a heading row, a comma may be part of a person's name.
  const isRow = Object.hasOwn(kindByWord, secondCell) || /^\s*"/.test(line)
  const { name, kind } = columns ?? { name: isRow ? 0 : -1, kind: 1 }
  const nameText = name < 0 ? clean(line) : (cells[name] ?? '')
  const kindText = cells[kind]?.toLowerCase() ?? ''
  return Holder.safeParse({
    name: nameText,
    kind: Object.hasOwn(kindByWord, kindText) ? kindByWord[kindText] : 'person',
  }).data
}

/** Splits a line into cells (RFC 4180 quotes). */
function splitCells(line: string): string[] {
  const cells = [...line.matchAll(/(?:^|[,;\t])(?:[ ]*"((?:[^"]|"")*)"[ ]*(?=$|[,;\t])|([^,;\t]*))/g)]
  return cells.map(([, quoted, bare = '']) => clean(quoted?.replaceAll('""', '"') ?? bare))
}

const clean = (text: string): string => cleanName(text.normalize('NFC'))

export interface KeyAccount {
  plan(planRef: AccountPlanId): Promise<AccountPlanView>
  keys(planRef: AccountPlanId): Promise<SubscriptionKeyView[]>
  addKey(request: AccountPlanId & { readonly name: string }): Promise<SubscriptionKeyView>
  keepKey(keyRef: AccountPlanId & { readonly keyId: string }): Promise<SubscriptionKeyView>
}

export interface HolderKeyDeps {
  readonly account: KeyAccount
  readonly plans: { find(idOrName: string): PlanRecord }
  readonly journal: HandoutJournal
  readonly clock: Clock
}

/** Failures of a key creation after which the key may exist at the account. */
const uncertainCodes: readonly FailureCode[] = ['account.unknownOutcome', 'account.keyNotKept']

/** Request for a holder's key. `isAgain` issues another key to a holder who already has one. */
interface HolderKeyRequest {
  readonly holder: Holder
  readonly isAgain: boolean
}

/**
 * Issues a key to one holder. Resumes a started hand-out, or creates a key at the account. The journal keeps the state
 * for the next call. Fails like `addKey`.
 */
export async function ensureHolderKey(
  plan: PlanRecord,
  { holder, isAgain }: HolderKeyRequest,
  deps: HolderKeyDeps,
): Promise<HandoutRecord> {
  const origin = toHandoutOrigin(plan)
  const keys = await deps.account.keys(origin)
  const startedRecord = dropIfKeyDeleted(deps.journal.ofHolder(plan, holder), keys, deps)
  const isDone = isAgain && startedRecord?.state === 'written'
  const record = startedRecord && !isDone ? startedRecord : begin(plan, { holder, keys }, deps)
  const accountKey = ownKey(record, keys)
  try {
    const key = accountKey
      ? await readHolderSecret(origin, accountKey, deps)
      : await deps.account.addKey({ ...origin, name: record.keyName })
    return noteKey(record, key, deps)
  } catch (error) {
    const isMade =
      accountKey !== undefined || (error instanceof AppError && uncertainCodes.includes(error.failure.code))
    if (!isMade) deps.journal.remove(record.id)
    if (accountKey || !isMade) throw error
    return adopt(record, { of: origin, error }, deps)
  }
}

/** Connection and plan id of an account plan. Fails with `rotation.notAtAccount` for a plan added by key. */
export function toHandoutOrigin({ name, origin }: PlanRecord): AccountPlanId {
  if (origin) return origin
  const message = `The plan ${name} was added by key, so the app can't create keys for it. Choose an existing key.`
  throw new AppError('rotation.notAtAccount', message, { field: 'keyId' })
}

export function nameForHolder(plan: PlanRecord, { holder, keys }: HolderKeys, journal: HandoutJournal): string {
  const startedNames = journal
    .all()
    .flatMap((record) => (isOfPlan(record, plan) && record.state === 'making' ? [record.keyName] : []))
  return keyNameFor(holder.name, [...keys.map(({ name }) => name), ...startedNames])
}

interface HolderKeys {
  readonly holder: Holder
  readonly keys: readonly SubscriptionKeyView[]
}

/** The holder's record in the journal, unless its key was deleted in the meantime. */
function dropIfKeyDeleted(record: HandoutRecord | undefined, keys: HolderKeys['keys'], { journal }: HolderKeyDeps) {
  if (record === undefined || record.accountKeyId === undefined || ownKey(record, keys)) return record
  journal.remove(record.id)
  return undefined
}

const ownKey = ({ accountKeyId, keyName }: HandoutRecord, keys: HolderKeys['keys']): SubscriptionKeyView | undefined =>
  keys.find((key) => (accountKeyId === undefined ? key.name === keyName : key.keyId === accountKeyId))

function begin(plan: PlanRecord, holderKeys: HolderKeys, { journal, clock }: HolderKeyDeps): HandoutRecord {
  return journal.save({
    id: randomUUID(),
    planId: plan.id,
    holder: holderKeys.holder,
    isOwnKey: true,
    keyName: nameForHolder(plan, holderKeys, journal),
    state: 'making',
    at: clock().toISOString(),
  })
}

/** Finds and saves the key of a creation whose response was lost. */
async function adopt(record: HandoutRecord, { of, error }: { of: AccountPlanId; error: unknown }, deps: HolderKeyDeps) {
  const keys = await deps.account.keys(of).catch(() => [])
  const foundKey = ownKey(record, keys)
  if (!foundKey) throw error
  return noteKey(record, await readHolderSecret(of, foundKey, deps), deps)
}

async function readHolderSecret(planRef: AccountPlanId, key: SubscriptionKeyView, { account }: HolderKeyDeps) {
  const isHere = key.kept === 'keychain' || key.kept === 'session'
  return isHere ? key : account.keepKey({ ...planRef, keyId: key.keyId })
}

function noteKey(record: HandoutRecord, key: SubscriptionKeyView, { journal, plans }: HolderKeyDeps): HandoutRecord {
  const plan = plans.find(record.planId)
  const local = plan.keys.find(({ origin }) => origin?.keyId === key.keyId)
  const state = record.state === 'making' ? 'keyMade' : record.state
  const names = { planId: plan.id, keyName: key.name, accountKeyId: key.keyId, keyId: local?.id }
  return journal.save({ ...record, ...names, state })
}

const maxNameLength = 50

/** A free key name: the holder's name, numbered if taken. At most 50 characters, never a split surrogate pair. */
export function keyNameFor(holderName: string, takenNames: readonly string[]): string {
  const preferredName = cleanName(holderName.normalize('NFC')) || 'key'
  const foldedNames = new Set(takenNames.map(foldName))
  for (let n = 1; ; n += 1) {
    const mark = n === 1 ? '' : `-${n}`
    const name = cut(preferredName, maxNameLength - mark.length) + mark
    if (!foldedNames.has(foldName(name))) return name
  }
}

const foldName = (name: string): string => name.normalize('NFC').toLowerCase()

/** Truncates a key name to the contract's limit in UTF-16 units, without splitting a surrogate pair. */
function cut(text: string, maxHolders: number): string {
  let wholeName = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (wholeName.length + segment.length > maxHolders) break
    wholeName += segment
  }
  return wholeName.trim() || 'key'
}

/** Hand-out records, in the settings. */
export class HandoutJournal {
  readonly #settings: SettingsStore

  constructor(settings: SettingsStore) {
    this.#settings = settings
  }

  all(): readonly HandoutRecord[] {
    return this.#settings.read().handouts
  }

  ofHolder(plan: PlanRecord, holder: Holder): HandoutRecord | undefined {
    return this.all().findLast(
      (record) => record.isOwnKey && isOfPlan(record, plan) && isSameHolder(record.holder, holder),
    )
  }

  find(id: string): HandoutRecord | undefined {
    return this.all().find((record) => record.id === id)
  }

  save(record: HandoutRecord): HandoutRecord {
    this.#settings.update(({ handouts }) => ({
      handouts: [...handouts.filter(({ id }) => id !== record.id), record],
    }))
    return record
  }

  remove(id: string): void {
    this.#settings.update(({ handouts }) => ({ handouts: handouts.filter((record) => record.id !== id) }))
  }
}

/**
 * Whether a hand-out belongs to a plan. A hand-out that started before the plan was saved on this computer has the
 * account's plan id.
 */
const isOfPlan = ({ planId }: HandoutRecord, { id, origin }: PlanRecord): boolean =>
  planId === id || (origin !== undefined && planId === planRefText(origin))
