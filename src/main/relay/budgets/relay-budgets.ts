import type { BudgetSubject } from '@shared/contract'
import type { BudgetRecord } from '../../core/settings/records'
import type { Settings } from '../../core/settings/settings'
import { defaultCycleDays } from '../../usage/forecast'
import type { Span } from '../../usage/ledger/calendar'
import { sumTokens } from '../../usage/ledger/sums'
import { type Ledger, ownTools } from '../../usage/ports'
import { isCountedFailure } from '../budget-meter'
import type { RelayBudget } from '../ports'

export type BudgetSettings = Pick<Settings, 'budgets' | 'plans' | 'register' | 'allowances'>

export function toRelayBudget(budget: BudgetRecord, settings: BudgetSettings): RelayBudget {
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
export function findHeldKeys(
  person: string,
  { plans, register }: Pick<Settings, 'plans' | 'register'>,
): readonly string[] {
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
      if (unit === 'tokens') return sumValuesBy(shares, sumTokens)
      const errorShares = await ledger.shares({ filter, by: 'error', limit: 100 })
      const uncountedShares = errorShares.filter(({ id }) => id !== '' && !isCountedFailure(id))
      return (
        sumValuesBy(shares, ({ requests }) => requests) -
        sumValuesBy(askedModels, ({ errors }) => errors) -
        sumValuesBy(uncountedShares, ({ requests }) => requests)
      )
    }),
  )
  return sumValuesBy(counts, (count) => count)
}

const sumValuesBy = <T>(elements: readonly T[], toNumber: (element: T) => number): number =>
  elements.reduce((sum, element) => sum + toNumber(element), 0)
