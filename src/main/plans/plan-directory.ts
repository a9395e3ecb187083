import type { AccountPlanView, KeyProblem, PlanView } from '@shared/contract'
import type { PlanRef } from '@shared/contract/common'
import type { PlanQuota } from '@shared/contract/quota'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { KeyRecord, PlanRecord, Settings, SettingsStore } from '../core/settings/settings'
import { parseExternalJson } from '../gateway/server-message'

/** A plan of the account with its local copy, or a plan that only this computer has. */
export type PlanEntry =
  | {
      readonly kind: 'account'
      readonly connectionId: string
      readonly plan: AccountPlanView
      readonly local: PlanView | undefined
    }
  | { readonly kind: 'local'; readonly plan: PlanView }

interface PlanNames {
  /** All ids of the plan. The first one appears in messages. */
  readonly ids: readonly string[]
  readonly name: string
  /** Name of the plan on this computer before it was replaced by the account's name. */
  readonly formerName?: string | undefined
  readonly connectionId?: string | undefined
  readonly isExpired: boolean
}

export interface ChooseOptions {
  /** Whether the action is irreversible. If so, a name is ambiguous even if the other plan of this name has expired. */
  readonly isFinal?: boolean
  /** Whether a plain name only matches plans of the active connection's account and plans added by key. */
  readonly isOfActiveAccount?: boolean
}

/** Joins account plans and local plans. The account's name wins. Labels equal names with the connection. */
export class PlanDirectory {
  /** Plan names from each console's last response, by connection. */
  readonly #accountNames = new Map<string, ReadonlySet<string>>()
  #index: { readonly settings: Settings; readonly connections: ReadonlyMap<string, ReadonlySet<string>> } | undefined

  constructor(private readonly settings: SettingsStore) {}

  /** Local copies of a connection's plans, by the account's plan id. */
  linked(connectionId: string): ReadonlyMap<string, PlanRecord> {
    const linkedPlans = this.settings.read().plans.filter(({ origin }) => origin?.connectionId === connectionId)
    return new Map(linkedPlans.map((plan) => [plan.origin?.planId ?? '', plan]))
  }

  localPlan({ connectionId, planId }: PlanRef): PlanRecord | undefined {
    return this.settings
      .read()
      .plans.find(({ id, origin }) =>
        connectionId === '' ? id === planId : origin?.connectionId === connectionId && origin.planId === planId,
      )
  }

  noteAccount(connectionId: string, plans: readonly { readonly name: string }[]): void {
    this.#accountNames.set(connectionId, new Set(plans.map(({ name }) => name)))
    this.#index = undefined
  }

  /** The name with its connection, if another connection has a plan of this name. For a list, pass the settings. */
  label(connectionId: string | undefined, name: string, settings: Settings = this.settings.read()): string | undefined {
    const sameNameConnections = this.#connectionsByName(settings).get(name)
    if (connectionId === undefined || connectionId === '' || !sameNameConnections || sameNameConnections.size < 2)
      return undefined
    const connection = settings.connections.find(({ id }) => id === connectionId)
    return connection && `${name} (${connection.name})`
  }

  /** All plans without duplicates: the account's with their local copies, then those that only this computer has. */
  join(connectionId: string, account: readonly AccountPlanView[], local: readonly PlanView[]): PlanEntry[] {
    const plansById = new Map(local.map((plan) => [plan.id, plan]))
    const joinedIds = new Set(account.map(({ localPlanId }) => localPlanId))
    return [
      ...account.map(
        (plan): PlanEntry => ({ kind: 'account', connectionId, plan, local: plansById.get(plan.localPlanId ?? '') }),
      ),
      ...local.filter(({ id }) => !joinedIds.has(id)).map((plan): PlanEntry => ({ kind: 'local', plan })),
    ]
  }

  /** Finds a plan of an account or of this computer by name, `connection/name` or id. Fails as `choose` does. */
  chooseEntry(entries: readonly PlanEntry[], nameOrId: string, options?: ChooseOptions): PlanEntry | undefined {
    const toNames = (entry: PlanEntry): PlanNames => {
      if (entry.kind === 'local') return this.#recordNames(entry.plan)
      const { plan, local, connectionId } = entry
      const ids = local ? [plan.planId, local.id] : [plan.planId]
      const formerName = local && this.localPlan({ connectionId: '', planId: local.id })?.formerName
      return { ids, name: plan.name, formerName, connectionId, isExpired: plan.status === 'EXPIRED' }
    }
    return this.#choose(entries, nameOrId, toNames, options)
  }

  /** Finds a local plan by name, `connection/name` or id. Fails as `chooseEntry` does. */
  chooseRecord(records: readonly PlanRecord[], nameOrId: string, options?: ChooseOptions): PlanRecord | undefined {
    const idMatch = records.find(({ id }) => id === nameOrId)
    return idMatch ?? this.#choose(records, nameOrId, (plan) => this.#recordNames(plan), options)
  }

  #recordNames(plan: Pick<PlanRecord, 'id' | 'name' | 'origin' | 'expiresAt'> & { formerName?: string | undefined }) {
    const { id, name, formerName, origin, expiresAt } = plan
    const isExpired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
    return { ids: origin ? [id, origin.planId] : [id], name, formerName, connectionId: origin?.connectionId, isExpired }
  }

  /** Ids win over names, current over former names, unexpired over expired plans. Fails with `input.invalid`. */
  #choose<T>(
    plans: readonly T[],
    nameOrId: string,
    toNames: (plan: T) => PlanNames,
    { isFinal = false, isOfActiveAccount = false }: ChooseOptions = {},
  ): T | undefined {
    const { activeConnectionId } = this.settings.read()
    const namedPlans = plans.map((plan) => ({ plan, ...toNames(plan) }))
    const isActive = (planNames: PlanNames): boolean => planNames.connectionId === activeConnectionId
    const plansWithId = namedPlans.filter(({ ids }) => ids.includes(nameOrId))
    const idMatches = plansWithId.some(isActive) ? plansWithId.filter(isActive) : plansWithId
    const pathMatches = namedPlans.filter(({ connectionId, name, ids }) =>
      [connectionId, this.#connectionName(connectionId)].some(
        (connection) => connection !== undefined && [name, ...ids].some((text) => `${connection}/${text}` === nameOrId),
      ),
    )
    const exactMatches = [idMatches, pathMatches].find((matchList) => matchList.length > 0)
    const nameMatches = namedPlans.filter(({ name }) => name === nameOrId)
    const matches =
      exactMatches ??
      (nameMatches.length > 0 ? nameMatches : namedPlans.filter(({ formerName }) => formerName === nameOrId))
    const currentPlans = matches.filter(({ isExpired }) => !isExpired)
    const [only, ...otherMatches] = currentPlans.length === 1 && !isFinal ? currentPlans : matches
    if (only === undefined) return undefined
    const candidates = matches.map((match) => {
      const connection = this.#connectionName(match.connectionId)
      const name = connection === undefined ? match.name : `${connection}/${match.name}`
      return `${name} (${match.ids[0]}${match.isExpired ? ', expired' : ''})`
    })
    if (otherMatches.length > 0) {
      const message = `${matches.length} plans are named ${nameOrId}: ${candidates.join(', ')}. Use the id, or the name with its connection.`
      throw new AppError('input.invalid', message, { field: 'plan' })
    }
    const isOtherConnection =
      only.connectionId !== undefined && this.#connectionName(activeConnectionId) !== undefined && !isActive(only)
    if (isOfActiveAccount && exactMatches === undefined && isOtherConnection) {
      const message = `The plan ${nameOrId} belongs to a connection that is not active: ${candidates.join(', ')}. Use the name with its connection, or the id.`
      throw new AppError('input.invalid', message, { field: 'plan' })
    }
    return only.plan
  }

  #connectionName(connectionId: string | undefined): string | undefined {
    return this.settings.read().connections.find(({ id }) => id === connectionId)?.name
  }

  #connectionsByName(settings: Settings): ReadonlyMap<string, ReadonlySet<string>> {
    if (this.#index?.settings === settings) return this.#index.connections
    const connections = new Map<string, Set<string>>()
    const add = (name: string, connectionId: string): void =>
      void connections.set(name, (connections.get(name) ?? new Set<string>()).add(connectionId))
    for (const { name, origin } of settings.plans) add(name, origin?.connectionId ?? '')
    for (const [connectionId, names] of this.#accountNames) for (const name of names) add(name, connectionId)
    this.#index = { settings, connections }
    return connections
  }
}

/** Platform address of a connection. Undefined if it has none or was removed. */
export type GetPlatformAddress = (connectionId: string) => string | undefined

type LocalPlan = Pick<PlanQuota, 'origin' | 'name' | 'label'> & { readonly id: string }

type Ids = Pick<PlanQuota, 'planId' | 'origin'>
type Name = readonly string[]

const WordList = z.array(z.string())

/** Identifies a plan that is reached through several connections to its platform or saved locally several times. */
export class PlanIdentity {
  /** Cache by connection, because each lookup reads a file and there may be thousands of allowances. */
  readonly #places = new Map<string, string>()
  /** Local plans by id, for fast lookup. */
  readonly #local: ReadonlyMap<string, LocalPlan & { readonly named: Name }>
  readonly #alike: ReadonlyMap<string, readonly LocalPlan[]>

  constructor(
    localPlans: readonly LocalPlan[],
    private readonly getPlatformAddress: GetPlatformAddress,
  ) {
    const namedLocalPlans = localPlans.map((plan) => ({ ...plan, named: this.toName({ ...plan, planId: plan.id }) }))
    this.#local = new Map(namedLocalPlans.map((plan) => [plan.id, plan]))
    const groups = groupBy(namedLocalPlans, ({ named }) => JSON.stringify(named))
    this.#alike = new Map(groups.map((same) => [JSON.stringify(same[0].named), same]))
  }

  /** Identity of a plan: its platform's address and plan id, or only the local id if it belongs to no account. */
  toName({ planId = '', origin }: Ids): Name {
    return origin ? [this.#findPlace(origin.connectionId), origin.planId] : [planId]
  }

  listIds(plan: Ids): readonly string[] {
    const { planId, origin } = plan
    const localPlans = this.#alike.get(JSON.stringify(this.toName(plan))) ?? []
    return [...new Set([planId, origin?.planId, ...localPlans.map(({ id }) => id)].filter((id) => id !== undefined))]
  }

  /** First local plan with the same identity. Undefined if the plan is not saved on this computer. */
  findLocal(planId: string): LocalPlan | undefined {
    const plan = this.#local.get(planId)
    return plan && this.#alike.get(JSON.stringify(plan.named))?.[0]
  }

  /** Removes duplicate plans. Prefers console data, then the latest. */
  distinct(plans: readonly PlanQuota[]): readonly PlanQuota[] {
    return groupBy(plans, (plan) => JSON.stringify(this.toName(plan))).map((same) => {
      const isBetter = (a: PlanQuota, b: PlanQuota) => (a.source === b.source ? a.at > b.at : a.source === 'console')
      const bestPlan = same.reduce((a, b) => (isBetter(b, a) ? b : a))
      const planId = same.find((plan) => plan.planId !== undefined)?.planId
      return planId === undefined ? bestPlan : { ...bestPlan, planId }
    })
  }

  /** Converts an alert key of an earlier app version, which contains a connection or local plan. */
  renamed(episodeKey: string): string {
    const identity = WordList.safeParse(parseExternalJson(episodeKey)).data
    if (!identity) return episodeKey
    const [ownerId = '', ...rest] = identity
    const plan = this.#local.get(ownerId)
    return JSON.stringify([...(plan?.named ?? [this.#findPlace(ownerId)]), ...rest])
  }

  /** Platform address of a connection, or the connection's id if it has no address. */
  #findPlace(connectionId: string): string {
    const cachedAddress = this.#places.get(connectionId)
    if (cachedAddress !== undefined) return cachedAddress
    const address = this.getPlatformAddress(connectionId) ?? connectionId
    const platformAddress = (URL.canParse(address) ? new URL(address).href : address).replace(/\/+$/, '')
    this.#places.set(connectionId, platformAddress)
    return platformAddress
  }
}

/** Groups elements by a text. Groups are in the order of their first elements. */
export function groupBy<T>(elements: readonly T[], by: (element: T) => string): (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const element of elements) {
    const group = groups.get(by(element))
    if (group) group.push(element)
    else groups.set(by(element), [element])
  }
  return [...groups.values()]
}

export interface UsablePlan extends PlanRecord {
  /** Key for requests that name no key. Undefined if the plan has no key. */
  readonly defaultKeyId?: string | undefined
}

type KeyNotes = Pick<Settings, 'register' | 'rotations'>

/** Prefers usable keys without holder, then with holder, then in rotation, then disabled ones; the newest first. */
export function defaultKey(plan: PlanRecord, notes: KeyNotes): KeyRecord | undefined {
  const getKeyRank = (key: KeyRecord): number => {
    if (isDisabled(key, notes)) return 3
    if (findSuccessor(key, plan, notes) || isUnverifiedKey(key, plan, notes)) return 2
    return hasHolder(key, plan, notes) ? 1 : 0
  }
  const rankedKeys = plan.keys.toReversed().map((key) => ({ key, rank: getKeyRank(key) }))
  const [bestRanked] = rankedKeys.toSorted((a, b) => a.rank - b.rank || b.key.addedAt.localeCompare(a.key.addedAt))
  return bestRanked?.key
}

/** The replacement of a rotated key, once local tools were tested with it or the old one is disabled. */
export function findSuccessor(key: KeyRecord, { keys }: PlanRecord, notes: Pick<KeyNotes, 'rotations'>) {
  const rotatedNewKey = notes.rotations.find(
    ({ oldKey, direction, steps }) =>
      oldKey.id === key.id && direction === 'forward' && (steps.some(isVerified) || isDisabled(key, notes)),
  )?.newKey
  return keys.find(({ id, status }) => id === rotatedNewKey?.id && status !== 'DISABLED')
}

/** Whether a key is disabled, by the account's last status or else by its rotation. */
export const isDisabled = ({ id, status }: KeyRecord, { rotations }: Pick<KeyNotes, 'rotations'>): boolean =>
  status === undefined
    ? rotations.some(
        ({ oldKey, direction, steps }) =>
          oldKey.id === id &&
          direction === 'forward' &&
          steps.some((step) => step.id === 'disable' && step.state === 'done'),
      )
    : status === 'DISABLED'

/** New key of a rotation before tools were tested with it: the gateway may not accept it, and an undo deletes it. */
const isUnverifiedKey = ({ id }: KeyRecord, { keys }: PlanRecord, notes: KeyNotes): boolean =>
  notes.rotations.some(
    ({ oldKey, newKey, state, direction, steps }) =>
      newKey.id === id &&
      state !== 'done' &&
      state !== 'undone' &&
      !(direction === 'forward' && steps.some(isVerified)) &&
      keys.some((key) => key.id === oldKey.id && !isDisabled(key, notes)),
  )

const isVerified = ({ id, state }: Settings['rotations'][number]['steps'][number]): boolean =>
  id === 'verify' && (state === 'done' || state === 'skipped')

function hasHolder(key: KeyRecord, { id, origin }: PlanRecord, { register }: KeyNotes): boolean {
  const [connectionId, planId, keyId] =
    origin && key.origin ? [origin.connectionId, origin.planId, key.origin.keyId] : ['', id, key.id]
  return register.some(
    (note) =>
      note.holder !== undefined && note.connectionId === connectionId && note.planId === planId && note.keyId === keyId,
  )
}

type KeyPlan = Pick<PlanView, 'defaultKeyId' | 'expiresAt' | 'aheadMs'> & {
  readonly keys: readonly Pick<PlanView['keys'][number], 'id' | 'kept' | 'status' | 'problem'>[]
}

/** Known reason why requests with a key of the plan fail. If no key is passed, the plan's default key is meant. */
export function findKeyProblem(plan: KeyPlan, keyId: string | undefined, currentTime: Date): KeyProblem | undefined {
  const key = plan.keys.find(({ id }) => id === (keyId ?? plan.defaultKeyId))
  if (key === undefined || key.kept === 'missing') return 'keyMissing'
  if (key.problem === 'deleted') return 'keyDeleted'
  if (key.status === 'DISABLED') return 'keyDisabled'
  const { expiresAt, aheadMs: clockOffsetMs = 0 } = plan
  if (expiresAt !== undefined && Date.parse(expiresAt) <= currentTime.getTime() + clockOffsetMs) return 'planExpired'
  return key.problem === 'rejected' ? 'keyRejected' : undefined
}
