import { resolve } from 'node:path'
import type { AccountPlanView, ConnectionView, Site } from '@shared/contract'
import { AppError } from '@shared/failure'
import { findUsableModel } from '@shared/model-quota'
import { InvalidArgumentError } from 'commander'
import type { Core } from '../compose/compose'
import type { ChooseOptions, PlanEntry } from '../plans/plan-directory'
import { inputError } from './output'

export type Pairs = ReadonlyMap<string, string>

/** Parses a `NAME=VALUE` option. The value may contain `=` and may be empty. */
export function collectPair(text: string, previousPairs: Pairs): Pairs {
  const separatorIndex = text.indexOf('=')
  const name = text.slice(0, separatorIndex)
  if (separatorIndex < 1) throw new InvalidArgumentError('Use name=value.')
  if (previousPairs.has(name)) throw new InvalidArgumentError(`${name} is given twice.`)
  return new Map([...previousPairs, [name, text.slice(separatorIndex + 1)]])
}

/** Parses a local day such as `2026-12-24` and returns its last second. Undefined for other texts and impossible days. */
export function readEndOfDay(text: string): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? []
  const end = new Date(year ?? Number.NaN, (month ?? 0) - 1, day, 23, 59, 59)
  // `Date` turns February 31 into a day in March.
  return end.getDate() === day && end.getMonth() + 1 === month ? end : undefined
}

/** Finds an item by id, or else by its unique name. Fails with `input.invalid` when several have the name. */
export function findByIdOrName<T extends object>(
  items: readonly T[],
  nameOrId: string,
  { what, id = 'id', name = 'name' }: { readonly what: string; readonly id?: string; readonly name?: string },
): T | undefined {
  const listMatches = (property: string) => items.filter((item) => Reflect.get(item, property) === nameOrId)
  const [idMatch] = listMatches(id)
  const [nameMatch, ...otherMatches] = listMatches(name)
  if (idMatch !== undefined || otherMatches.length === 0) return idMatch ?? nameMatch
  const ids = listMatches(name).map((item) => Reflect.get(item, id))
  throw inputError(`${ids.length} ${what}s are named ${nameOrId}: ${ids.join(', ')}. Use the id.`, what)
}

/** Finds a key of a plan on this computer by id or name. Fails with `key.notFound`, or `input.invalid` if ambiguous. */
export function findPlanKey<K extends { readonly id: string; readonly name: string }>(
  { name, keys }: { readonly name: string; readonly keys: readonly K[] },
  keyNameOrId: string,
): K {
  const key = findByIdOrName(keys, keyNameOrId, { what: 'key' })
  if (key) return key
  const keyNames = keys.map((item) => item.name).join(', ')
  throw new AppError('key.notFound', `Plan ${name} has no key ${keyNameOrId} on this computer. Its keys: ${keyNames}.`)
}

export const readWholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new InvalidArgumentError(`Enter a whole number from ${min} to ${max}.`)
}

export function readKeyName(text: string): string {
  const name = text.trim()
  if (name !== '' && [...name].length <= 50) return name
  throw new InvalidArgumentError('Use 1 to 50 characters.')
}

/** Location of a tool's settings: a project or a WSL distribution. Default: the user's home. */
export interface SiteOptions {
  readonly project?: string
  readonly wsl?: string
}

/** Reads the location of a tool's settings. A relative folder is resolved against the working directory. */
export function readSite({ project, wsl }: SiteOptions): Site {
  if (project !== undefined) return { kind: 'project', folder: resolve(project) }
  return wsl === undefined ? { kind: 'user' } : { kind: 'wsl', distribution: wsl }
}

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
  throw inputError(`Name a plan with --plan. Your plans: ${names}.`, 'plan')
}

/** The plan's first model with quota left. Fails with `input.invalid` for a plan without models. */
export function requireUsableModel(
  { name, models }: { readonly name: string; readonly models: readonly string[] },
  exhausted: ReadonlySet<string>,
): string {
  const modelCode = findUsableModel(models, exhausted)
  if (modelCode !== undefined) return modelCode
  throw inputError(`Plan ${name} has no model yet. Name one with --model CODE, as the plan lists it.`, 'model')
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

export const steps = ['hour', 'day', 'week', 'month'] as const
export const splits = ['model', 'tool', 'key', 'plan', 'project', 'holder'] as const
export const sources = ['machine', 'console', 'relay', 'tool-logs', 'app'] as const
