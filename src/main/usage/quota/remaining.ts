import type { BudgetView, ConnectionView, PlanView } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { listAllowances } from '@shared/model-quota'
import type { Log } from '../../core/ports'
import { groupBy, PlanIdentity } from '../../plans/plan-directory'

/** Metrics of quotas and budgets by OTLP name, with description and unit. Prometheus names have `_` for dots. */
export const remainingMetrics = {
  'companion.quota.limit.tokens': ['Token quota of a model per cycle', '{token}'],
  'companion.quota.limit.requests': ['Request quota of a model per cycle', '{request}'],
  'companion.quota.remaining.tokens': ['Tokens left in the cycle', '{token}'],
  'companion.quota.remaining.requests': ['Requests left in the cycle', '{request}'],
  'companion.quota.forecast.ratio': ['Share of the quota that is expected to be used at the end of the cycle', '1'],
  'companion.quota.exhaustion.timestamp.seconds': ['Expected time at which the quota is used up', 's'],
  'companion.plan.expiry.timestamp.seconds': ['Time at which the plan expires', 's'],
  'companion.plan.cycle.end.timestamp.seconds': ['Time at which the quota cycle ends', 's'],
  'companion.plan.updated.timestamp.seconds': ['Time of the quota figures, by their source', 's'],
  'companion.budget.limit.tokens': ['Tokens that a budget allows per period', '{token}'],
  'companion.budget.limit.requests': ['Requests that a budget allows per period', '{request}'],
  'companion.budget.used.tokens': ['Tokens that count toward a budget in its period', '{token}'],
  'companion.budget.used.requests': ['Requests that count toward a budget in its period', '{request}'],
  'companion.budget.end.timestamp.seconds': ['Time at which the period of a budget ends', 's'],
} as const

/** Current value of a metric for one set of labels. */
export interface RemainingSample {
  readonly name: keyof typeof remainingMetrics
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Maximum series per metric. */
export const maxSeries = 200

interface RemainingDeps {
  /** Lists the tightest quota first. */
  readonly quota: { list(): Promise<readonly PlanQuota[]> }
  readonly budgets: { list(): Promise<readonly BudgetView[]> }
  readonly plans: { list(): readonly Pick<PlanView, 'id' | 'name' | 'origin'>[] }
  readonly connections: { list(): readonly Pick<ConnectionView, 'id' | 'name' | 'addresses'>[] }
  readonly log: Pick<Log, 'error'>
}

/**
 * Reads quotas and budgets. A source that fails has no samples. If a metric has too many series, only those of the
 * tightest quotas are exported.
 */
export async function readRemaining(deps: RemainingDeps): Promise<RemainingSample[]> {
  const [quotas, budgets] = await Promise.allSettled([deps.quota.list(), deps.budgets.list()])
  for (const result of [quotas, budgets])
    if (result.status === 'rejected') deps.log.error('metrics.remaining', result.reason)
  const [plans, connections] = [deps.plans.list(), deps.connections.list()]
  const samples: RemainingSample[] = []
  const counts = new Map<Name, number>()
  const add: AddMetric = (name, labels, value) => {
    const count = counts.get(name) ?? 0
    if (value === undefined || !Number.isFinite(value) || count >= maxSeries) return
    counts.set(name, count + 1)
    samples.push({ name, labels, value })
  }
  const getPlatformAddress = (id: string) =>
    connections.find((connection) => connection.id === id)?.addresses.consoleUrl
  const listedQuotas = quotas.status === 'fulfilled' ? quotas.value : []
  const distinctQuotas = new PlanIdentity(plans, getPlatformAddress).distinct(listedQuotas)
  const unsaved = distinctQuotas.flatMap((plan) => (plan.planId === undefined ? [{ ...plan, id: toId(plan) }] : []))
  const localLabels = buildPlanLabels(plans, connections)
  const labels = new Map([...buildPlanLabels([...plans, ...unsaved], connections), ...localLabels])
  for (const plan of distinctQuotas) addPlan(plan, labels.get(toId(plan)) ?? plan.name, add)
  for (const budget of budgets.status === 'fulfilled' ? budgets.value : []) addBudget(budget, localLabels, add)
  return samples
}

type Labels = RemainingSample['labels']
type Name = RemainingSample['name']
type AddMetric = (name: Name, labels: Labels, value: number | undefined) => void

const toId = ({ planId, origin }: PlanQuota): string => planId ?? origin?.planId ?? ''

function addPlan(plan: PlanQuota, planLabel: string, add: AddMetric): void {
  const labels = { 'companion.plan': planLabel }
  add('companion.plan.expiry.timestamp.seconds', labels, toSeconds(plan.expiresAt))
  if (plan.isExpired) return
  add('companion.plan.cycle.end.timestamp.seconds', labels, toSeconds(plan.cycle?.to))
  add('companion.plan.updated.timestamp.seconds', { ...labels, 'companion.source': plan.source }, toSeconds(plan.at))
  for (const { model, kind: allowance, gauge } of listAllowances(plan)) {
    const { quota, used, forecast } = gauge
    const modelLabels = { ...labels, 'gen_ai.request.model': model.modelCode }
    add(`companion.quota.limit.${allowance}`, modelLabels, quota)
    add(`companion.quota.remaining.${allowance}`, modelLabels, Math.max(0, quota - used))
    const allowanceLabels = { ...modelLabels, 'companion.allowance': allowance }
    const { kind } = forecast
    if (kind !== 'notEnough')
      add('companion.quota.forecast.ratio', allowanceLabels, kind === 'exhausted' ? used / quota : forecast.used)
    const exhaustedAt = kind === 'runsOut' ? forecast.at : kind === 'exhausted' ? forecast.since : undefined
    add('companion.quota.exhaustion.timestamp.seconds', allowanceLabels, toSeconds(exhaustedAt))
  }
}

function addBudget(budget: BudgetView, plans: PlanLabels, add: AddMetric): void {
  const { name, subject, unit, period, limit, used, to } = budget
  const plan = 'planId' in subject ? plans.get(subject.planId) : undefined
  const labels = {
    'companion.budget': name,
    'companion.budget.period': period,
    ...(plan === undefined ? {} : { 'companion.plan': plan }),
    ...(subject.kind === 'model' ? { 'gen_ai.request.model': subject.modelCode } : {}),
    ...(subject.kind === 'tool' ? { 'companion.tool': subject.toolId } : {}),
  }
  add(`companion.budget.limit.${unit}`, labels, limit)
  add(`companion.budget.used.${unit}`, labels, used)
  add('companion.budget.end.timestamp.seconds', labels, toSeconds(to))
}

const toSeconds = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time) / 1000

type PlanLabels = ReadonlyMap<string, string>

interface NamedPlan {
  readonly id: string
  readonly name: string
  readonly origin?: { readonly connectionId: string } | undefined
}

/** Metric labels by plan id: the name, with the connection or else the id if several plans have that name. */
export function buildPlanLabels(
  plans: readonly NamedPlan[],
  connections: readonly { readonly id: string; readonly name: string }[],
): PlanLabels {
  const names = new Map(connections.map(({ id, name }) => [id, name]))
  const connectionName = ({ origin }: NamedPlan) => names.get(origin?.connectionId ?? '')
  const labels = new Map<string, string>()
  for (const plansWithSameName of groupBy(plans, ({ name }) => name)) {
    for (const plan of plansWithSameName) {
      const connection = connectionName(plan)
      const isUnique = plansWithSameName.filter((otherPlan) => connectionName(otherPlan) === connection).length === 1
      const suffix = connection !== undefined && isUnique ? connection : plan.id
      labels.set(plan.id, plansWithSameName.length === 1 ? plan.name : `${plan.name} (${suffix})`)
    }
  }
  return labels
}
