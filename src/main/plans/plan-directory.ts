import type { AccountPlanView, PlanView } from '@shared/contract'
import type { PlanRef } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import type { PlanRecord, Settings, SettingsStore } from '../core/settings/settings'

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
