import type { AccountPlanView, ConnectionView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { findUsableModel } from '@shared/model-quota'
import type { Core } from '../compose/compose'
import type { ChooseOptions, PlanEntry } from '../plans/plan-directory'

/** Name or id of a connection. Default: the active connection. */
export interface ConnectionOption {
  readonly connection?: string | undefined
}

export interface PlanCandidates {
  readonly directory: Core['plans']['directory']
  /** The connection named in the options, or else the active connection. Undefined if none is active. */
  readonly connection: ConnectionView | undefined
  readonly entries: readonly PlanEntry[]
  /** Plans of the account. Undefined if the account does not respond. */
  readonly account: readonly AccountPlanView[] | undefined
  /** Reason that the account's plans are missing. */
  readonly failure: AppError | undefined
}

/** Plans of the account and of this computer. Fails only with `connection.notFound`. */
export async function readKnownPlans(core: Core, { connection: named }: ConnectionOption): Promise<PlanCandidates> {
  const connection = named === undefined ? core.connections.active() : core.connections.find(named)
  const answer =
    connection &&
    (await core.account.plans({ connectionId: connection.id }).catch((error: unknown) => {
      if (error instanceof AppError) return error
      throw error
    }))
  const failure = answer instanceof AppError ? answer : undefined
  const account = answer instanceof AppError ? undefined : answer
  const { directory } = core.plans
  const entries = directory.join(connection?.id ?? '', account ?? [], core.plans.list())
  return { directory, connection, account, failure, entries }
}

/** Fails with `plan.notFound`, `input.invalid` for an ambiguous name, or the account's failure. */
export function findPlan(
  { directory, connection, entries, failure }: PlanCandidates,
  nameOrId: string,
  options?: ChooseOptions,
): PlanEntry {
  const isActivePlan = (entry: PlanEntry): boolean =>
    entry.kind === 'account' || entry.plan.origin === undefined || entry.plan.origin.connectionId === connection?.id
  // Prefer plans of the connection's account to plans that only this computer has.
  const accountEntries = options?.isOfActiveAccount ? [] : entries.filter(isActivePlan)
  const entryMatch =
    directory.chooseEntry(accountEntries, nameOrId, options) ?? directory.chooseEntry(entries, nameOrId, options)
  if (entryMatch) return entryMatch
  if (failure) throw failure
  throw new AppError('plan.notFound', `Plan ${nameOrId} not found. "companion plan list" lists all plans.`)
}

/** The named plan, or else the plan in use, or else the only plan. Fails with `plan.notFound` or `input.invalid`. */
export function chooseLocalPlan({ plans }: Pick<Core, 'plans'>, named: string | undefined, usedPlanId?: string) {
  if (named !== undefined) return plans.find(named)
  const allPlans = plans.list()
  const [only] = allPlans
  const chosenPlan = allPlans.find(({ id }) => id === usedPlanId) ?? (allPlans.length === 1 ? only : undefined)
  if (chosenPlan) return plans.find(chosenPlan.id)
  if (only === undefined) {
    const message =
      'There is no plan yet. Run "companion plan add --name NAME --gateway URL --key-stdin < key.txt" first.'
    throw new AppError('plan.notFound', message)
  }
  const names = allPlans.map(({ name }) => name).join(', ')
  throw new AppError('input.invalid', `Name a plan with --plan. Your plans: ${names}.`, { field: 'plan' })
}

/** The plan's first model with quota left. Fails with `input.invalid` for a plan without models. */
export function requireUsableModel(
  { name, models }: { readonly name: string; readonly models: readonly string[] },
  exhausted: ReadonlySet<string>,
): string {
  const modelCode = findUsableModel(models, exhausted)
  if (modelCode !== undefined) return modelCode
  const message = `Plan ${name} has no model yet. Name one with --model CODE, as the plan lists it.`
  throw new AppError('input.invalid', message, { field: 'model' })
}

/**
 * Opens the account of a connection. Fails with `connection.notFound`, or the account's failure. `find` finds one of its
 * plans. It fails as `findPlan` does, and with `plan.notFound` for a plan that only this computer has.
 */
export async function openAccount(core: Core, { connection: named }: ConnectionOption) {
  const { id: connectionId, name } = chooseConnection(core, named)
  const knownPlans = await readKnownPlans(core, { connection: connectionId })
  if (knownPlans.failure) throw knownPlans.failure
  const find = (nameOrId: string, options?: ChooseOptions): AccountPlanView => {
    const entry = findPlan(knownPlans, nameOrId, options)
    if (entry.kind === 'account') return entry.plan
    const message = `The account of ${name} has no plan ${nameOrId}. The plan on this computer was added by key, or belongs to another account.`
    throw new AppError('plan.notFound', message)
  }
  return { connectionId, find }
}

/** Finds a plan of the account, and returns it with its connection. Fails as `openAccount` and its `find` do. */
export async function findAccountPlan(core: Core, nameOrId: string, option: ConnectionOption & ChooseOptions) {
  const { connectionId, find } = await openAccount(core, option)
  const plan = find(nameOrId, option)
  return { plan, of: { connectionId, planId: plan.planId } }
}

/** The connection named in the options, or else the active connection. Fails with `connection.notFound`. */
export function chooseConnection({ connections }: Pick<Core, 'connections'>, name: string | undefined): ConnectionView {
  const connection = name === undefined ? connections.active() : connections.find(name)
  if (connection !== undefined) return connection
  const message = 'No active connection. Choose one with "companion connection use NAME", or add one first.'
  throw new AppError('connection.notFound', message)
}
