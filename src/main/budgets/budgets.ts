import { randomUUID } from 'node:crypto'
import type { BudgetInput, BudgetSubject, BudgetView } from '@shared/contract'
import { mostBudgets } from '@shared/contract/budgets'
import { AppError } from '@shared/failure'
import type { Clock } from '../ports'
import { periodAt, usedElsewhere } from '../relay/budget-meter'
import type { BudgetRecord } from '../settings/records'
import type { PlanRecord, Settings, SettingsStore } from '../settings/settings'
import { Calendar } from '../usage/ledger/calendar'
import type { Ledger } from '../usage/ports'
import { teamKeyId, teamPlanId } from '../usage/team-figures'
import { findCycle, localSubject, readBudget, toRelayBudget } from './relay-budgets'

interface BudgetsDeps {
  readonly settings: SettingsStore
  /** Asked for once there is a budget. */
  readonly ledger: () => Promise<Pick<Ledger, 'shares' | 'flush'>>
  readonly clock: Clock
  /** The person's time zone, an IANA name. */
  readonly zone: () => string
  readonly toolName: (toolId: string) => string | undefined
}

/** The limits that a person set for requests through the relay. */
export class Budgets {
  readonly #deps: BudgetsDeps

  constructor(deps: BudgetsDeps) {
    this.#deps = deps
  }

  /** Every budget with what was counted in its period, by name. Fails with `usage.unavailable`. */
  async list(): Promise<BudgetView[]> {
    const views = await Promise.all(this.#all().map((budget) => this.#view(budget)))
    return views.toSorted((a, b) => a.name.localeCompare(b.name))
  }

  /** A budget by its id or name. Fails with `budget.notFound`. */
  find(idOrName: string): BudgetRecord {
    const budgets = this.#all()
    const found = budgets.find(({ id }) => id === idOrName) ?? budgets.find(({ name }) => isSame(name, idOrName))
    if (found) return found
    throw new AppError('budget.notFound', `Budget ${idOrName} not found. "companion budget list" lists all budgets.`)
  }

  /** Makes a budget, or changes the one of the id. A team's is sent with the next sync. */
  async save({ id, isTeam, ...given }: BudgetInput): Promise<BudgetView> {
    const { settings, clock } = this.#deps
    const saved = settings.transaction(() => {
      const now = settings.read()
      const before = id === undefined ? undefined : this.find(id)
      const isShared = isTeam === true || before?.team !== undefined
      if (isShared) requireLead(now)
      const input = isShared ? { ...given, subject: teamSubject(given.subject, now.plans) } : given
      this.#require(given, now, before)
      const isSameSubject = JSON.stringify(before?.subject) === JSON.stringify(input.subject)
      const alsoKeyIds = isSameSubject ? (before?.alsoKeyIds ?? []) : []
      const createdAt = before?.createdAt ?? clock().toISOString()
      const team = isShared ? { team: this.#shared(given, before) } : {}
      const record: BudgetRecord = { ...input, id: before?.id ?? randomUUID(), alsoKeyIds, createdAt, ...team }
      const others = now.budgets.filter((one) => one.id !== record.id)
      settings.update(() => ({ budgets: [...others, record] }))
      return record
    })
    return this.#view(saved)
  }

  /** One of the team's goes once the space knows. Fails with `budget.notFound` and `team.notAllowed`. */
  remove(idOrName: string): void {
    const { id, team } = this.find(idOrName)
    const { settings } = this.#deps
    if (team) requireLead(settings.read())
    const removed = team && team.version > 0 ? { ...team, isWaiting: true, isRemoved: true } : undefined
    settings.update(({ budgets }) => ({
      budgets: budgets.flatMap((one) => (one.id !== id ? [one] : removed ? [{ ...one, team: removed }] : [])),
    }))
  }

  #all(): BudgetRecord[] {
    return this.#deps.settings.read().budgets.filter(({ team }) => team?.isRemoved !== true)
  }

  /** What goes with a team's budget that was saved here. */
  #shared(given: Omit<BudgetInput, 'id'>, before: BudgetRecord | undefined): NonNullable<BudgetRecord['team']> {
    const { settings, zone } = this.#deps
    const now = settings.read()
    const local = before && localSubject(before.subject, now.plans)
    const isSameSubject = JSON.stringify(local) === JSON.stringify(given.subject)
    const { subjectName, cycle, elsewhere } = (isSameSubject ? before?.team : undefined) ?? {}
    const plan = 'planId' in given.subject ? given.subject.planId : ''
    const isHere = now.plans.some(({ id }) => id === plan)
    return {
      version: before?.team?.version ?? 0,
      ...{ isWaiting: true, isRemoved: false, zone: before?.team?.zone ?? zone() },
      subjectName: (this.#nameOf(given.subject, before?.alsoKeyIds ?? [], now) ?? subjectName ?? '').slice(0, 500),
      ...(given.period === 'cycle' && { cycle: isHere || !cycle ? findCycle(given.subject, now) : cycle }),
      ...(elsewhere && given.period === before?.period && given.unit === before.unit && { elsewhere }),
    }
  }

  #require(input: Omit<BudgetInput, 'id'>, now: Settings, before: BudgetRecord | undefined): void {
    const others = this.#all().filter(({ id }) => id !== before?.id)
    if (others.some(({ name }) => isSame(name, input.name)))
      throw new AppError('budget.nameTaken', `There is a budget ${input.name} already. Choose another name.`)
    if (others.length >= mostBudgets)
      throw new AppError('budget.tooMany', `There are ${mostBudgets} budgets, which is the limit. Remove one first.`)
    const { subject, period } = input
    if (period === 'cycle' && subject.kind !== 'plan' && subject.kind !== 'key')
      throw new AppError('input.invalid', 'Only plans and keys have a cycle. Choose a day or a week.', {
        field: 'period',
      })
    const known = before && (before.team ? localSubject(before.subject, now.plans) : before.subject)
    if (JSON.stringify(known) !== JSON.stringify(subject)) this.#requireSubject(subject, now)
  }

  #requireSubject(subject: BudgetSubject, { plans }: Settings): void {
    if (subject.kind === 'tool' && this.#deps.toolName(subject.toolId) === undefined)
      throw new AppError('tool.notFound', `There is no tool ${subject.toolId}.`)
    if (subject.kind !== 'plan' && subject.kind !== 'key') return
    const plan = plans.find(({ id }) => id === subject.planId)
    if (!plan) throw new AppError('plan.notFound', 'This plan is no longer on this computer. Choose another one.')
    if (subject.kind === 'key' && !plan.keys.some(({ id }) => id === subject.keyId))
      throw new AppError('key.notFound', `The plan ${plan.name} no longer has this key. Choose another one.`)
  }

  async #view(record: BudgetRecord): Promise<BudgetView> {
    const { settings, ledger, clock, zone } = this.#deps
    const { alsoKeyIds, createdAt: _, team, ...budget } = record
    const now = settings.read()
    const counted = toRelayBudget(record, now)
    const span = periodAt(counted.period, clock().getTime(), new Calendar(zone()))
    const used = (await readBudget(await ledger(), counted, span)) + usedElsewhere(counted, span)
    const subject = team ? localSubject(budget.subject, now.plans) : budget.subject
    const replaced = team?.replaced
    const subjectName = this.#nameOf(subject, alsoKeyIds, now) ?? (team?.subjectName || undefined)
    return {
      ...{ ...budget, subject },
      ...(subjectName === undefined ? {} : { subjectName }),
      ...{ used, from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
      ...(team && { isTeam: true, isWaiting: team.isWaiting }),
      ...(replaced && { replaced: { ...replaced, subject: localSubject(replaced.subject, now.plans) } }),
    }
  }

  /** Undefined for what is not on this computer any more. */
  #nameOf(subject: BudgetSubject, alsoKeyIds: readonly string[], { plans }: Settings): string | undefined {
    if (subject.kind === 'tool') return this.#deps.toolName(subject.toolId)
    if (subject.kind === 'model') return subject.modelCode
    if (subject.kind === 'person') return subject.name
    const plan = plans.find(({ id }) => id === subject.planId)
    if (subject.kind === 'plan') return plan?.name
    const key = plan?.keys.findLast(({ id }) => id === subject.keyId || alsoKeyIds.includes(id))
    return plan && key && `${key.name} (${plan.name})`
  }
}

const isSame = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase()

function requireLead({ team }: Settings): void {
  if (team === undefined)
    throw new AppError('team.notJoined', 'This computer is in no team. Create one, or join with an invitation.')
  if (team.role !== 'lead')
    throw new AppError('team.notAllowed', 'Only a lead of the team sets its budgets. Ask one of them.')
}

/** Lets the budgets of a key count the key that took its place as well. */
export function followRotation(
  settings: Pick<SettingsStore, 'read' | 'update'>,
  { oldKeyId, newKeyId }: { readonly oldKeyId: string; readonly newKeyId: string },
): void {
  const { plans, team: own } = settings.read()
  const followed = (budget: BudgetRecord): BudgetRecord => {
    const { subject, alsoKeyIds, team } = budget
    if (subject.kind !== 'key' || (team && own?.role !== 'lead')) return budget
    const [from, to] = team ? [teamIdOf(oldKeyId, plans), teamIdOf(newKeyId, plans)] : [oldKeyId, newKeyId]
    const known = [subject.keyId, ...alsoKeyIds]
    if (!known.includes(from) || known.includes(to)) return budget
    return { ...budget, alsoKeyIds: [...alsoKeyIds, to], ...(team && { team: { ...team, isWaiting: true } }) }
  }
  const budgets = settings.read().budgets
  if (budgets.every((one) => followed(one) === one)) return
  settings.update(({ budgets: now }) => ({ budgets: now.map(followed) }))
}

function teamIdOf(keyId: string, plans: Settings['plans']): string {
  const plan = plans.find(({ keys }) => keys.some(({ id }) => id === keyId))
  const key = plan?.keys.find(({ id }) => id === keyId)
  return plan && key ? teamKeyId(plan, key) : keyId
}

/** What is on this computer, as the team names it. */
function teamSubject(subject: BudgetSubject, plans: readonly PlanRecord[]): BudgetSubject {
  const plan = 'planId' in subject ? plans.find(({ id }) => id === subject.planId) : undefined
  if (plan === undefined) return subject
  const key = subject.kind === 'key' ? plan.keys.find(({ id }) => id === subject.keyId) : undefined
  const planId = teamPlanId(plan)
  return key ? { kind: 'key', planId, keyId: teamKeyId(plan, key) } : { kind: 'plan', planId }
}
