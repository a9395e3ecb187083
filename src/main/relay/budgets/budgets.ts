import { randomUUID } from 'node:crypto'
import type { BudgetInput, BudgetSubject, BudgetView } from '@shared/contract'
import { maxBudgets } from '@shared/contract/quota'
import { AppError } from '@shared/failure'
import { sumTokens, sumUsageCounts } from '@shared/usage-counts'
import type { Clock } from '../../core/ports'
import type { BudgetRecord } from '../../core/settings/records'
import type { Settings, SettingsStore } from '../../core/settings/settings'
import { defaultCycleDays } from '../../usage/forecast'
import { Calendar, type Span } from '../../usage/ledger/calendar'
import type { Ledger } from '../../usage/ledger-client'
import { ownTools } from '../../usage/ports'
import { getPeriod, isCountedFailure } from '../budget-meter'
import type { RelayBudget } from '../ports'

interface BudgetsDeps {
  readonly settings: SettingsStore
  /** Opens the usage ledger. Only called if there is a budget. */
  readonly ledger: () => Promise<Pick<Ledger, 'shares' | 'flush'>>
  readonly clock: Clock
  /** IANA time zone of the user. */
  readonly zone: () => string
  readonly toolName: (toolId: string) => string | undefined
}

/** Budgets of the user for requests through the relay. */
export class Budgets {
  constructor(private readonly deps: BudgetsDeps) {}

  /** Lists budgets with the usage of their current period, by name. Fails with `usage.unavailable`. */
  async list(): Promise<BudgetView[]> {
    const views = await Promise.all(this.deps.settings.read().budgets.map((budget) => this.#view(budget)))
    return views.toSorted((a, b) => a.name.localeCompare(b.name))
  }

  /** Finds by id or name. Fails with `budget.notFound`. */
  find(idOrName: string): BudgetRecord {
    const budgets = this.deps.settings.read().budgets
    const budgetMatch =
      budgets.find(({ id }) => id === idOrName) ?? budgets.find(({ name }) => isSameName(name, idOrName))
    if (budgetMatch) return budgetMatch
    throw new AppError('budget.notFound', `Budget ${idOrName} not found. "companion budget list" lists all budgets.`)
  }

  async save({ id, ...given }: BudgetInput): Promise<BudgetView> {
    const { settings, clock } = this.deps
    const savedBudget = settings.transaction(() => {
      const currentSettings = settings.read()
      const existingBudget = id === undefined ? undefined : this.find(id)
      this.#require(given, currentSettings, existingBudget)
      const isSameSubject = JSON.stringify(existingBudget?.subject) === JSON.stringify(given.subject)
      const alsoKeyIds = isSameSubject ? (existingBudget?.alsoKeyIds ?? []) : []
      const createdAt = existingBudget?.createdAt ?? clock().toISOString()
      const record: BudgetRecord = { ...given, id: existingBudget?.id ?? randomUUID(), alsoKeyIds, createdAt }
      const otherBudgets = currentSettings.budgets.filter((budget) => budget.id !== record.id)
      settings.update(() => ({ budgets: [...otherBudgets, record] }))
      return record
    })
    return this.#view(savedBudget)
  }

  /** Removes a budget. Fails with `budget.notFound`. */
  remove(idOrName: string): void {
    const { id } = this.find(idOrName)
    this.deps.settings.update(({ budgets }) => ({ budgets: budgets.filter((budget) => budget.id !== id) }))
  }

  #require(input: Omit<BudgetInput, 'id'>, current: Settings, existingBudget: BudgetRecord | undefined): void {
    const otherBudgets = this.deps.settings.read().budgets.filter(({ id }) => id !== existingBudget?.id)
    if (otherBudgets.some(({ name }) => isSameName(name, input.name)))
      throw new AppError('budget.nameTaken', `There is a budget ${input.name} already. Choose another name.`)
    if (otherBudgets.length >= maxBudgets)
      throw new AppError('budget.tooMany', `There are ${maxBudgets} budgets, which is the limit. Remove one first.`)
    const { subject, period } = input
    if (period === 'cycle' && subject.kind !== 'plan' && subject.kind !== 'key')
      throw new AppError('input.invalid', 'Only plans and keys have a cycle. Choose a day or a week.', {
        field: 'period',
      })
    if (JSON.stringify(existingBudget?.subject) !== JSON.stringify(subject)) this.#requireSubject(subject, current)
  }

  #requireSubject(subject: BudgetSubject, { plans }: Settings): void {
    if (subject.kind === 'tool' && this.deps.toolName(subject.toolId) === undefined)
      throw new AppError('tool.notFound', `There is no tool ${subject.toolId}.`)
    if (subject.kind !== 'plan' && subject.kind !== 'key') return
    const plan = plans.find(({ id }) => id === subject.planId)
    if (!plan) throw new AppError('plan.notFound', 'This plan is no longer on this computer. Choose another one.')
    if (subject.kind === 'key' && !plan.keys.some(({ id }) => id === subject.keyId))
      throw new AppError('key.notFound', `The plan ${plan.name} no longer has this key. Choose another one.`)
  }

  async #view(record: BudgetRecord): Promise<BudgetView> {
    const { settings, ledger, clock, zone } = this.deps
    const { alsoKeyIds, createdAt: _, ...budget } = record
    const currentSettings = settings.read()
    const relayBudget = toRelayBudget(record, currentSettings)
    const span = getPeriod(relayBudget.period, clock().getTime(), new Calendar(zone()))
    const used = await readBudget(await ledger(), relayBudget, span)
    const subjectName = this.#describeSubject(budget.subject, alsoKeyIds, currentSettings)
    const [from, to] = [new Date(span.from).toISOString(), new Date(span.to).toISOString()]
    return { ...budget, subjectName, used, from, to }
  }

  /** Name of the plan, key, tool, model or person of a budget. Undefined if it no longer exists on this computer. */
  #describeSubject(subject: BudgetSubject, alsoKeyIds: readonly string[], { plans }: Settings): string | undefined {
    if (subject.kind === 'tool') return this.deps.toolName(subject.toolId)
    if (subject.kind === 'model') return subject.modelCode
    if (subject.kind === 'person') return subject.name
    const plan = plans.find(({ id }) => id === subject.planId)
    if (subject.kind === 'plan') return plan?.name
    const key = plan?.keys.findLast(({ id }) => id === subject.keyId || alsoKeyIds.includes(id))
    return plan && key && `${key.name} (${plan.name})`
  }
}

const isSameName = (name: string, otherName: string): boolean => name.toLowerCase() === otherName.toLowerCase()

/** Lets budgets of a rotated key also count its replacement. */
export function followRotation(
  settings: Pick<SettingsStore, 'read' | 'update'>,
  { oldKeyId, newKeyId }: { readonly oldKeyId: string; readonly newKeyId: string },
): void {
  const mustFollow = ({ subject, alsoKeyIds }: BudgetRecord): boolean => {
    const keyIds = subject.kind === 'key' ? [subject.keyId, ...alsoKeyIds] : []
    return keyIds.includes(oldKeyId) && !keyIds.includes(newKeyId)
  }
  if (!settings.read().budgets.some(mustFollow)) return
  const follow = (budget: BudgetRecord): BudgetRecord =>
    mustFollow(budget) ? { ...budget, alsoKeyIds: [...budget.alsoKeyIds, newKeyId] } : budget
  settings.update(({ budgets }) => ({ budgets: budgets.map(follow) }))
}

export type BudgetSettings = Pick<Settings, 'budgets' | 'plans' | 'register' | 'allowances'>

function toRelayBudget(budget: BudgetRecord, settings: BudgetSettings): RelayBudget {
  const { id, name, unit, limit, period: kind, subject } = budget
  const period = kind === 'cycle' ? { kind, ...findCycle(subject, settings) } : { kind }
  return { id, name, unit, limit, of: buildBudgetScope(budget, settings), period }
}

/** Budgets that the relay enforces, without those that only warn. */
export const relayBudgets = (settings: BudgetSettings): readonly RelayBudget[] =>
  settings.budgets.filter(({ action }) => action === 'refuse').map((budget) => toRelayBudget(budget, settings))

function buildBudgetScope({ subject, alsoKeyIds }: BudgetRecord, settings: BudgetSettings): RelayBudget['of'] {
  switch (subject.kind) {
    case 'plan':
      return { planId: subject.planId }
    case 'key':
      return { keyIds: [subject.keyId, ...alsoKeyIds] }
    case 'tool':
      return { toolId: subject.toolId }
    case 'model':
      return { modelCode: subject.modelCode }
    case 'person':
      return { keyIds: findHeldKeys(subject.name, settings) }
  }
}

/** The local keys that a person holds according to the register. */
function findHeldKeys(person: string, { plans, register }: Pick<Settings, 'plans' | 'register'>): readonly string[] {
  const keysOfPerson = register.filter(({ holder }) => holder?.kind === 'person' && holder.name === person)
  return plans.flatMap(({ id: planId, origin, keys }) => {
    const isHeld = ({ id, origin: key }: (typeof keys)[number]): boolean =>
      keysOfPerson.some((held) =>
        held.connectionId === ''
          ? held.planId === planId && held.keyId === id
          : held.connectionId === origin?.connectionId && held.planId === origin.planId && held.keyId === key?.keyId,
      )
    return keys.filter(isHeld).map(({ id }) => id)
  })
}

/** Cycles of a plan without expiry start when it was added. */
function findCycle(subject: BudgetSubject, { plans, allowances }: Pick<BudgetSettings, 'plans' | 'allowances'>) {
  const planId = 'planId' in subject ? subject.planId : ''
  const plan = plans.find(({ id }) => id === planId)
  const days = allowances.find((allowance) => allowance.planId === planId)?.cycleDays ?? defaultCycleDays
  return { days, endsAt: Date.parse(plan?.expiresAt ?? plan?.createdAt ?? '') || 0 }
}

/**
 * Usage of a budget in a span, including entries that are still queued. Counts requests through the relay, and those
 * that the app sent for a coding tool (`ask_model`).
 */
export async function readBudget(
  ledger: Pick<Ledger, 'shares' | 'flush'>,
  { of, unit }: Pick<RelayBudget, 'of' | 'unit'>,
  { from, to }: Span,
): Promise<number> {
  await ledger.flush()
  const { keyIds, ...rest } = of
  const scopes = keyIds === undefined ? [rest] : keyIds.map((keyId) => ({ ...rest, keyId }))
  const counts = await Promise.all(
    scopes.map(async (scope) => {
      const filter = { scope: 'relay' as const, from, to, ...scope }
      const appShares = await ledger.shares({ filter: { ...filter, scope: 'app' }, by: 'tool', limit: 1000 })
      const askedModels = appShares.filter(({ id }) => id !== '' && !(id in ownTools))
      const shares = [...(await ledger.shares({ filter, by: 'source', limit: 10 })), ...askedModels]
      const sum = sumUsageCounts(shares)
      if (unit === 'tokens') return sumTokens(sum)
      const errorShares = await ledger.shares({ filter, by: 'error', limit: 100 })
      const uncountedShares = errorShares.filter(({ id }) => id !== '' && !isCountedFailure(id))
      return sum.requests - sumUsageCounts(askedModels).errors - sumUsageCounts(uncountedShares).requests
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
