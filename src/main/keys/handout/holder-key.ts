import { randomUUID } from 'node:crypto'
import type { SubscriptionKeyView } from '@shared/contract'
import { Holder } from '@shared/contract/register'
import { AppError } from '@shared/failure'
import { cleanName, findFreeName } from '@shared/hidden-characters'
import { isSameHolder, planRefText } from '@shared/key-ids'
import type { Clock } from '../../core/ports'
import type { AccountPlanId, HandoutRecord, PlanRecord, SettingsStore } from '../../core/settings/settings'
import type { Account } from '../../plans/account/account'
import { mayHaveAddedKey } from '../../plans/account/console-client'
import type { Plans } from '../../plans/plans'

const maxHolders = 100

/** Column headings of holder lists in English and Vietnamese: name (best match first) and kind of holder. */
const nameHeaders = ['name', 'họ và tên', 'họ tên', 'tên', 'holder', 'người giữ', 'người nhận', 'email', 'e-mail']
const kindHeaders = ['kind', 'type', 'loại']
const kindByWord = new Map<string, Holder['kind']>([
  ['person', 'person'],
  ['người', 'person'],
  ['tool', 'tool'],
  ['công cụ', 'tool'],
])

/** Parses holders from lines or CSV (comma, semicolon or tab), without duplicates, at most 100. `left` has the skipped lines. */
export function readNames(text: string): { holders: Holder[]; left: string[] } {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '')
  const headColumns = detectColumns(lines[0] ?? '')
  const holders = new Map<string, Holder>()
  const remainingFields: string[] = []
  for (const line of headColumns ? lines.slice(1) : lines) {
    const holder = parseHolder(line, headColumns)
    const holderKey = holder && `${holder.kind} ${holder.name.toLowerCase()}`
    if (!holder || holderKey === undefined || holders.has(holderKey) || holders.size >= maxHolders)
      remainingFields.push(cleanHolderName(line))
    else holders.set(holderKey, holder)
  }
  return { holders: [...holders.values()], left: remainingFields }
}

function detectColumns(line: string): { readonly name: number; readonly kind: number } | undefined {
  const cells = splitCells(line).map((cell) => cell.toLowerCase())
  const name = nameHeaders.map((head) => cells.indexOf(head)).find((index) => index >= 0) ?? -1
  return name < 0 ? undefined : { name, kind: cells.findIndex((cell) => kindHeaders.includes(cell)) }
}

function parseHolder(line: string, columns: ReturnType<typeof detectColumns>): Holder | undefined {
  const cells = splitCells(line)
  const kind = kindByWord.get(cells[columns?.kind ?? 1]?.toLowerCase() ?? '')
  // Without a heading row, a comma may be part of a person's name.
  const isWholeLine = !columns && !kind && !/^\s*"/.test(line)
  const name = isWholeLine ? cleanHolderName(line) : cells[columns?.name ?? 0]
  return Holder.safeParse({ name, kind: kind ?? 'person' }).data
}

function splitCells(line: string): string[] {
  const cells = [...line.matchAll(/(?:^|[,;\t])(?:[ ]*"((?:[^"]|"")*)"[ ]*(?=$|[,;\t])|([^,;\t]*))/g)]
  return cells.map(([, quoted, bare = '']) => cleanHolderName(quoted?.replaceAll('""', '"') ?? bare))
}

const cleanHolderName = (text: string): string => cleanName(text.normalize('NFC'))

export interface HolderKeyDeps {
  readonly account: Pick<Account, 'plan' | 'keys' | 'addKey' | 'keepKey'>
  readonly plans: Pick<Plans, 'find'>
  readonly journal: HandoutJournal
  readonly clock: Clock
}

/** Issues a key to one holder, and resumes a started hand-out unless it is done and `isAgain`. Fails like `addKey`. */
export async function ensureHolderKey(
  plan: PlanRecord,
  { holder, isAgain }: { readonly holder: Holder; readonly isAgain: boolean },
  deps: HolderKeyDeps,
): Promise<HandoutRecord> {
  const origin = toHandoutOrigin(plan)
  const keys = await deps.account.keys(origin)
  const lastRecord = deps.journal.ofHolder(plan, holder)
  const isKeyGone = lastRecord?.accountKeyId !== undefined && !ownKey(lastRecord, keys)
  if (isKeyGone) deps.journal.remove(lastRecord.id)
  const isDone = isAgain && lastRecord?.state === 'written'
  const record = lastRecord && !isKeyGone && !isDone ? lastRecord : createRecord(plan, { holder, keys }, deps)
  const accountKey = ownKey(record, keys)
  try {
    const key = accountKey
      ? await readHolderSecret(origin, accountKey, deps)
      : await deps.account.addKey({ ...origin, name: record.keyName })
    return noteKey(record, key, deps)
  } catch (error) {
    if (accountKey) throw error
    if (!mayHaveAddedKey(error)) deps.journal.remove(record.id)
    // Find and save the key of a creation whose response was lost.
    const currentKeys = mayHaveAddedKey(error) ? await deps.account.keys(origin).catch(() => []) : []
    const createdKey = ownKey(record, currentKeys)
    if (!createdKey) throw error
    return noteKey(record, await readHolderSecret(origin, createdKey, deps), deps)
  }
}

/** Connection and plan id of an account plan. Fails with `rotation.notAtAccount` for a plan added by key. */
export function toHandoutOrigin({ name, origin }: PlanRecord): AccountPlanId {
  if (origin) return origin
  const message = `The plan ${name} was added by key, so the app can't create keys for it. Choose an existing key.`
  throw new AppError('rotation.notAtAccount', message, { field: 'keyId' })
}

export function chooseNameForHolder(plan: PlanRecord, { holder, keys }: HolderKeys, journal: HandoutJournal): string {
  const startedNames = journal
    .all()
    .flatMap((record) => (belongsToPlan(record, plan) && record.state === 'making' ? [record.keyName] : []))
  return chooseKeyName(holder.name, [...keys.map(({ name }) => name), ...startedNames])
}

interface HolderKeys {
  readonly holder: Holder
  readonly keys: readonly SubscriptionKeyView[]
}

const ownKey = ({ accountKeyId, keyName }: HandoutRecord, keys: HolderKeys['keys']): SubscriptionKeyView | undefined =>
  keys.find((key) => (accountKeyId === undefined ? key.name === keyName : key.keyId === accountKeyId))

function createRecord(plan: PlanRecord, holderKeys: HolderKeys, { journal, clock }: HolderKeyDeps): HandoutRecord {
  return journal.save({
    id: randomUUID(),
    planId: plan.id,
    holder: holderKeys.holder,
    isOwnKey: true,
    keyName: chooseNameForHolder(plan, holderKeys, journal),
    state: 'making',
    at: clock().toISOString(),
  })
}

async function readHolderSecret(planRef: AccountPlanId, key: SubscriptionKeyView, { account }: HolderKeyDeps) {
  const isStoredLocally = key.kept === 'keychain' || key.kept === 'session'
  return isStoredLocally ? key : account.keepKey({ ...planRef, keyId: key.keyId })
}

function noteKey(record: HandoutRecord, key: SubscriptionKeyView, { journal, plans }: HolderKeyDeps): HandoutRecord {
  const plan = plans.find(record.planId)
  const localKey = plan.keys.find(({ origin }) => origin?.keyId === key.keyId)
  const state = record.state === 'making' ? 'keyMade' : record.state
  const names = { planId: plan.id, keyName: key.name, accountKeyId: key.keyId, keyId: localKey?.id }
  return journal.save({ ...record, ...names, state })
}

const maxNameLength = 50

/** A free key name: the holder's name, numbered if taken. At most 50 characters, never a split surrogate pair. */
export function chooseKeyName(holderName: string, takenNames: readonly string[]): string {
  const preferredName = cleanName(holderName.normalize('NFC')) || 'key'
  const foldedNames = new Set(takenNames.map(normalizeName))
  return findFreeName(
    (name) => foldedNames.has(normalizeName(name)),
    (mark) => truncateNames(preferredName, maxNameLength - mark.length) + mark,
  )
}

const normalizeName = (name: string): string => name.normalize('NFC').toLowerCase()

/** Truncates a key name to the contract's limit in UTF-16 units, without splitting a surrogate pair. */
function truncateNames(text: string, maxHolders: number): string {
  let fullName = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (fullName.length + segment.length > maxHolders) break
    fullName += segment
  }
  return fullName.trim() || 'key'
}

export class HandoutJournal {
  constructor(private readonly settings: SettingsStore) {}

  all(): readonly HandoutRecord[] {
    return this.settings.read().handouts
  }

  ofHolder(plan: PlanRecord, holder: Holder): HandoutRecord | undefined {
    return this.all().findLast(
      (record) => record.isOwnKey && belongsToPlan(record, plan) && isSameHolder(record.holder, holder),
    )
  }

  find(id: string): HandoutRecord | undefined {
    return this.all().find((record) => record.id === id)
  }

  save(record: HandoutRecord): HandoutRecord {
    this.settings.update(({ handouts }) => ({
      handouts: [...handouts.filter(({ id }) => id !== record.id), record],
    }))
    return record
  }

  remove(id: string): void {
    this.settings.update(({ handouts }) => ({ handouts: handouts.filter((record) => record.id !== id) }))
  }
}

/** A hand-out that started before its plan was saved on this computer has the account's plan id. */
const belongsToPlan = ({ planId }: HandoutRecord, { id, origin }: PlanRecord): boolean =>
  planId === id || (origin !== undefined && planId === planRefText(origin))
