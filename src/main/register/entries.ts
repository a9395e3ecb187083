import type { PlanView, RegisterEntry, SubscriptionKeyView } from '@shared/contract'
import type { RegisterRecord } from '../settings/settings'
import { addressOf, bare, type KeyAddress, textOf } from './address'
import type { Told } from './ask-accounts'

/** A tool of this machine and what it was configured with: a plan here and one of its keys, or its first. */
export interface KeyUse {
  readonly toolName: string
  readonly planId: string
  readonly keyId?: string | undefined
}

/** Everything that is known of keys. */
export interface Known {
  readonly plans: readonly PlanView[]
  readonly told: ReadonlyMap<string, Told>
  readonly notes: readonly RegisterRecord[]
  readonly uses: readonly KeyUse[]
}

/** One key with all that is known of it. */
interface Found {
  readonly address: KeyAddress
  readonly local?: { readonly plan: PlanView; readonly key: PlanView['keys'][number] }
  readonly account?: { readonly plan: { readonly name: string }; readonly key: SubscriptionKeyView }
  readonly note?: RegisterRecord
}

/** An entry with the address of its key. */
export interface AddressedEntry {
  readonly address: KeyAddress
  readonly entry: RegisterEntry
}

/** One entry for each key, in the order of plans and then of keys. */
export function entriesOf(known: Known): AddressedEntry[] {
  const found = [...joined(known).values()].map((one) => ({ address: one.address, entry: entryOf(one, known) }))
  return found.sort(
    ({ entry: a }, { entry: b }) => a.planName.localeCompare(b.planName) || a.keyName.localeCompare(b.keyName),
  )
}

function joined({ plans, told, notes }: Known): Map<string, Found> {
  const found = new Map<string, Found>()
  const add = (address: KeyAddress, part: Omit<Found, 'address'>): void => {
    const text = textOf(address)
    found.set(text, { ...found.get(text), address, ...part })
  }
  for (const plan of plans) for (const key of plan.keys) add(addressOf(plan, key), { local: { plan, key } })
  for (const [connectionId, { plans: all }] of told) {
    for (const { plan, keys } of all) {
      for (const key of keys) add({ connectionId, planId: plan.planId, keyId: key.keyId }, { account: { plan, key } })
    }
  }
  for (const note of notes) add(bare(note), { note })
  return found
}

function entryOf(found: Found, known: Known): RegisterEntry {
  const { address, local, account, note } = found
  const { connectionId, ...ofAccount } = address
  const { holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt } = note ?? {}
  return {
    planId: local?.plan.id ?? address.planId,
    planName: local?.plan.name ?? account?.plan.name ?? note?.planName ?? address.planId,
    keyId: local?.key.id ?? address.keyId,
    keyName: account?.key.name ?? local?.key.name ?? note?.keyName ?? address.keyId,
    ...(connectionId === '' ? {} : { origin: { connectionId, ...ofAccount } }),
    masked: account?.key.masked ?? local?.key.masked ?? note?.masked,
    status: statusOf(found, known),
    isKeptHere: local !== undefined && local.key.kept !== 'missing',
    ...{ holder, purpose, machine, handedOutAt, acknowledgedAt, rotatedAt },
    createdAt: account?.key.createdAt ?? note?.createdAt ?? (connectionId === '' ? local?.key.addedAt : undefined),
    lastUsedAt: lastUse(found),
    tools: toolsOf(found, known.uses),
    alsoServes: [...(note?.alsoServes ?? [])],
  }
}

function statusOf({ address, local, account }: Found, { told }: Known): RegisterEntry['status'] {
  const answer = told.get(address.connectionId)
  if (address.connectionId === '') return local ? 'unknown' : 'gone'
  if (!answer?.isFresh) return 'unknown'
  return account?.key.status ?? 'gone'
}

function toolsOf({ local }: Found, uses: readonly KeyUse[]): string[] {
  if (!local) return []
  const { plan, key } = local
  const first = plan.keys[0]?.id
  const names = uses.flatMap(({ toolName, planId, keyId = first }) =>
    planId === plan.id && keyId === key.id ? [toolName] : [],
  )
  return [...new Set(names)]
}

/** A check is made with the first key of a plan. */
function lastUse({ local, note }: Found): string | undefined {
  const check = local && local.plan.keys[0]?.id === local.key.id ? local.plan.lastCheck : undefined
  const moments = [note?.lastUsedAt, check?.at].filter((at) => at !== undefined)
  return moments.sort().at(-1)
}
