import type { AccountPlanView, ConnectionView, PlanView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Core } from '../compose'
import { findByIdOrName } from './options'

/** The option that names the connection of an account; the active one without it. */
export interface ConnectionOption {
  readonly connection?: string | undefined
}

/** A plan of the account with the one on this computer that holds its keys, or one that only this machine knows. */
export type PlanEntry =
  | {
      readonly kind: 'account'
      readonly connectionId: string
      readonly plan: AccountPlanView
      readonly local: PlanView | undefined
    }
  | { readonly kind: 'local'; readonly plan: PlanView }

/** All plans that can be told now. */
export interface KnownPlans {
  /** Absent when none was named and none is active. */
  readonly connection: ConnectionView | undefined
  readonly entries: readonly PlanEntry[]
  /** The account's plans alone; absent when they could not be asked for. */
  readonly account: readonly AccountPlanView[] | undefined
  /** Why the account's plans are not among them. */
  readonly failure: AppError | undefined
}

/** The account's plans and this machine's. Fails only with `connection.notFound`, when the named connection is not there. */
export async function readKnownPlans(core: Core, { connection: named }: ConnectionOption): Promise<KnownPlans> {
  const connection = named === undefined ? core.connections.active() : core.connections.find(named)
  const asked = connection && (await askAccount(core, connection))
  const failure = asked instanceof AppError ? asked : undefined
  const account = asked instanceof AppError ? undefined : asked
  const local = core.plans.list()
  return { connection, account, failure, entries: entriesOf({ connectionId: connection?.id ?? '', account, local }) }
}

async function askAccount(core: Core, { id: connectionId }: ConnectionView): Promise<AccountPlanView[] | AppError> {
  try {
    return await core.account.plans({ connectionId })
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

interface Lists {
  readonly connectionId: string
  readonly account: readonly AccountPlanView[] | undefined
  readonly local: readonly PlanView[]
}

function entriesOf({ connectionId, account = [], local }: Lists): PlanEntry[] {
  const byId = new Map(local.map((plan) => [plan.id, plan]))
  const joined = new Set(account.map(({ localPlanId }) => localPlanId))
  return [
    ...account.map(
      (plan): PlanEntry => ({ kind: 'account', connectionId, plan, local: byId.get(plan.localPlanId ?? '') }),
    ),
    ...local.filter(({ id }) => !joined.has(id)).map((plan): PlanEntry => ({ kind: 'local', plan })),
  ]
}

const called = {
  what: 'plan',
  idsOf: (entry: PlanEntry) =>
    entry.kind === 'local' ? [entry.plan.id] : [entry.plan.planId, entry.plan.localPlanId ?? entry.plan.planId],
  namesOf: (entry: PlanEntry) => [
    entry.plan.name,
    ...(entry.kind === 'account' && entry.local ? [entry.local.name] : []),
  ],
}

/** The plan of an id or a name. Fails with `plan.notFound`, `input.invalid` for an ambiguous name, or why the account could not be asked. */
export function findPlan({ entries, failure }: KnownPlans, wanted: string): PlanEntry {
  const found = findByIdOrName(entries, wanted, called)
  if (found) return found
  if (failure) throw failure
  throw new AppError('plan.notFound', `Plan ${wanted} not found. "companion plan list" lists all plans.`)
}

/** The account of a connection and its plans. */
interface OpenAccount {
  readonly connectionId: string
  /** The account's plan of an id or a name. Fails as `findPlan` does, and with `plan.notFound` for one that only this machine knows. */
  find(wanted: string): AccountPlanView
}

/** Reads the account of a connection. Fails with `connection.notFound`, or why the account could not be asked. */
export async function openAccount(core: Core, { connection: named }: ConnectionOption): Promise<OpenAccount> {
  const { id: connectionId, name } = chooseConnection(core, named)
  const known = await readKnownPlans(core, { connection: connectionId })
  if (known.failure) throw known.failure
  const find = (wanted: string): AccountPlanView => {
    const entry = findPlan(known, wanted)
    if (entry.kind === 'account') return entry.plan
    const message = `The account of ${name} has no plan ${wanted}. The plan on this computer was added by key, or belongs to another account.`
    throw new AppError('plan.notFound', message)
  }
  return { connectionId, find }
}

/** The account's plan of an id or a name, and how the account is asked about it. Fails as `openAccount` and its `find` do. */
export async function findAccountPlan(core: Core, wanted: string, option: ConnectionOption) {
  const { connectionId, find } = await openAccount(core, option)
  const plan = find(wanted)
  return { plan, of: { connectionId, planId: plan.planId } }
}

/** The named connection, else the active one. Fails with `connection.notFound`. */
export function chooseConnection({ connections }: Pick<Core, 'connections'>, name: string | undefined): ConnectionView {
  const chosen = name === undefined ? connections.active() : connections.find(name)
  if (chosen !== undefined) return chosen
  const message = 'No active connection. Choose one with "companion connection use NAME", or add one first.'
  throw new AppError('connection.notFound', message)
}
