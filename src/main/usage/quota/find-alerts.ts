import type { AlertSettings, BudgetView, Forecast, Gauge, ModelQuota, PlanQuota } from '@shared/contract/quota'
import type { UsageErrorKind } from '@shared/contract/usage'
import { dayMs, minuteMs } from '@shared/durations'
import { type Locale, translator } from '../../core/i18n'
import type { AlertEpisode, AlertsRecord } from '../../core/settings/records'
import type { Ledger } from '../ports'
import { groupBy, type PlanIdentity } from './plan-identity'

type Cycle = NonNullable<PlanQuota['cycle']>

/** An alert without its text, which `alert-text.ts` adds. */
export type Alert =
  | { readonly kind: 'budget'; readonly budget: BudgetView; readonly percent: number; readonly path: string }
  | (AllowanceAlert & { readonly kind: 'threshold'; readonly percent: number })
  | (AllowanceAlert & { readonly kind: 'forecast'; readonly forecast: Extract<Forecast, { kind: 'runsOut' }> })
  | (ModelAlert & Omit<Errors, 'isBurst'> & { readonly kind: 'errorBurst' })

interface ModelAlert {
  /** Id of the local plan, or the platform's plan id if the plan is not saved on this computer. */
  readonly planId: string
  readonly planName: string
  readonly modelCode: string
  readonly path: string
}

interface AllowanceAlert extends ModelAlert {
  readonly allowance: 'tokens' | 'requests'
  readonly used: number
  readonly quota: number
  readonly cycle: Cycle
}

export interface AlertInput {
  readonly plans: readonly PlanQuota[]
  readonly errors: readonly Errors[]
  readonly budgets: readonly BudgetView[]
  /** Identity of plans. Duplicates of a plan (several connections, local copies) have the same identity. */
  readonly identity: PlanIdentity
  readonly nowMs: number
}

const alertPauseMs = 30 * minuteMs

/** Finds alerts that are new in their episode. A snoozed alert is shown after the snooze if it still applies. */
export function findAlerts(
  input: AlertInput,
  { settings, episodes }: Pick<AlertsRecord, 'settings' | 'episodes'>,
): { readonly alerts: readonly Alert[]; readonly episodes: readonly AlertEpisode[] } {
  const { plans, errors, budgets, identity, nowMs } = input
  const alertContext = { book: new AlertEpisodes(episodes, identity, nowMs), identity, nowMs }
  const allowances = identity.distinct(plans).flatMap((plan) => (plan.isExpired ? [] : listAllowances(plan)))
  const alerts = [
    ...allowances.flatMap((allowance) => thresholdAlert(allowance, settings, alertContext)),
    ...(settings.forecast ? allowances.flatMap((allowance) => forecastAlert(allowance, settings, alertContext)) : []),
    ...(settings.errorBursts ? errors.flatMap((errorGroup) => burstAlert(errorGroup, settings, alertContext)) : []),
    ...budgets.flatMap((budget) => budgetAlert(budget, alertContext)),
  ]
  return { alerts, episodes: alertContext.book.all() }
}

/** Alert episodes that have not ended. Of duplicates, keeps the one with the highest rank. */
class AlertEpisodes {
  readonly #episodes = new Map<string, AlertEpisode>()

  constructor(episodes: readonly AlertEpisode[], identity: PlanIdentity, nowMs: number) {
    for (const savedEpisode of episodes) {
      const episode = { ...savedEpisode, of: identity.renamed(savedEpisode.of) }
      const existingEpisode = this.get(episode.kind, episode.of)
      if (!hasEpisodeEnded(episode, nowMs) && (!existingEpisode || getRank(episode) > getRank(existingEpisode)))
        this.save(episode)
    }
  }

  get<K extends AlertEpisode['kind']>(kind: K, episodeKey: string): Extract<AlertEpisode, { kind: K }> | undefined {
    const hasSameKind = (episode: AlertEpisode): episode is Extract<AlertEpisode, { kind: K }> => episode.kind === kind
    const savedEpisode = this.#episodes.get(`${kind} ${episodeKey}`)
    return savedEpisode && hasSameKind(savedEpisode) ? savedEpisode : undefined
  }

  save(episode: AlertEpisode): void {
    this.#episodes.set(`${episode.kind} ${episode.of}`, episode)
  }

  all(): readonly AlertEpisode[] {
    return [...this.#episodes.values()]
  }
}

/** Rank of an alert episode. Of two duplicates, the one with the higher rank is kept. */
function getRank(episode: AlertEpisode): number {
  if (episode.kind === 'threshold' || episode.kind === 'budget') return episode.percent
  if (episode.kind === 'errorBurst') return Date.parse(episode.lastAt)
  return episode.lastsSince === undefined ? Number.POSITIVE_INFINITY : Date.parse(episode.lastsSince)
}

function hasEpisodeEnded(episode: AlertEpisode, nowMs: number): boolean {
  if (episode.kind === 'errorBurst') return nowMs - Date.parse(episode.lastAt) >= alertPauseMs
  if (episode.kind === 'forecast' && nowMs - Date.parse(episode.lastsSince ?? '') >= dayMs) return true
  return nowMs - Date.parse(episode.endsAt) >= dayMs
}

interface AlertContext extends Pick<AlertInput, 'identity' | 'nowMs'> {
  readonly book: AlertEpisodes
}

/** Alert for the highest warning threshold that an allowance has passed. Only once per cycle. */
function thresholdAlert(allowance: Allowance, settings: AlertSettings, context: AlertContext): Alert[] {
  const { book, identity, nowMs } = context
  const { cycle } = allowance.plan
  if (!cycle) return []
  const { used, quota } = allowance.gauge
  const percent = Math.max(0, ...settings.thresholds.filter((threshold) => used * 100 >= threshold * quota))
  const episodeKey = toKey(allowance, cycle, identity)
  const reportedPercent = book.get('threshold', episodeKey)?.percent ?? 0
  if (percent <= reportedPercent || isSnoozedOrMuted(settings, toSubject(allowance, identity), nowMs)) return []
  book.save({ kind: 'threshold', of: episodeKey, percent, endsAt: findEnd(cycle, nowMs) })
  return [{ ...toAllowanceAlert(allowance, cycle), kind: 'threshold', percent }]
}

/** Alert for an allowance that is forecast to run out. Repeated only after the forecast was sufficient for a day. */
function forecastAlert(allowance: Allowance, settings: AlertSettings, context: AlertContext): Alert[] {
  const { book, identity, nowMs } = context
  const { cycle } = allowance.plan
  const { forecast } = allowance.gauge
  if (!cycle) return []
  const episodeKey = toKey(allowance, cycle, identity)
  const savedEpisode = book.get('forecast', episodeKey)
  if (forecast.kind === 'lasts' && savedEpisode && savedEpisode.lastsSince === undefined)
    book.save({ ...savedEpisode, lastsSince: new Date(nowMs).toISOString() })
  if (forecast.kind !== 'runsOut') return []
  if (!savedEpisode && isSnoozedOrMuted(settings, toSubject(allowance, identity), nowMs)) return []
  book.save({ kind: 'forecast', of: episodeKey, endsAt: findEnd(cycle, nowMs) })
  return savedEpisode ? [] : [{ ...toAllowanceAlert(allowance, cycle), kind: 'forecast', forecast }]
}

const budgetThresholds = [80, 100] as const

/** Alert for the highest threshold that a budget has passed. Once per period, and again if its limit changes. */
function budgetAlert(budget: BudgetView, { book }: AlertContext): Alert[] {
  const { id, limit, used, to } = budget
  const percent = Math.max(0, ...budgetThresholds.filter((threshold) => used * 100 >= threshold * limit))
  const episodeKey = JSON.stringify([id, limit, to])
  if (percent <= (book.get('budget', episodeKey)?.percent ?? 0)) return []
  book.save({ kind: 'budget', of: episodeKey, percent, endsAt: to })
  return [{ kind: 'budget', budget, percent, path: '/usage/budgets' }]
}

/** Alerts once on a burst of failed requests, and again only after half an hour without a failure. */
function burstAlert(errorGroup: Errors, settings: AlertSettings, { book, identity, nowMs }: AlertContext): Alert[] {
  const plan = identity.findLocal(errorGroup.planId)
  if (!plan) return []
  const { isBurst, ...errors } = errorGroup
  const ids = { planId: plan.id, origin: plan.origin }
  const episodeKey = JSON.stringify([...identity.toName(ids), errors.modelCode])
  const savedEpisode = book.get('errorBurst', episodeKey)
  const subject = { planIds: identity.listIds(ids), modelCode: errors.modelCode }
  if (!savedEpisode && (!isBurst || isSnoozedOrMuted(settings, subject, nowMs))) return []
  book.save({ kind: 'errorBurst', of: episodeKey, lastAt: new Date(nowMs).toISOString() })
  const path = toUsagePath({ plan: plan.id, model: errors.modelCode })
  return savedEpisode ? [] : [{ ...errors, kind: 'errorBurst', planName: plan.label ?? plan.name, path }]
}

/** Key of an alert. The same after a restart, with other connections, and after the plan is saved locally. */
const toKey = ({ plan, model, kind }: Allowance, { to }: Cycle, identity: PlanIdentity): string =>
  JSON.stringify([...identity.toName(plan), model.modelCode, kind, to])

/** End of an alert's episode. At least one cycle from now, because the server clock may lag far behind. */
function findEnd({ from, to }: Cycle, nowMs: number): string {
  const [beginMs, end] = [Date.parse(from), Date.parse(to)]
  return new Date(Math.max(end, nowMs + end - beginMs)).toISOString()
}

const toSubject = ({ plan, model: { modelCode } }: Allowance, identity: PlanIdentity) => ({
  planIds: identity.listIds(plan),
  modelCode,
})

function toAllowanceAlert(
  { plan, model: { modelCode }, kind, gauge: { used, quota } }: Allowance,
  cycle: Cycle,
): AllowanceAlert {
  const { planId, origin, name, label } = plan
  const path =
    planId === undefined && origin
      ? toUsagePath({ plan: origin.planId, connection: origin.connectionId, model: modelCode })
      : toUsagePath({ plan: planId ?? '', model: modelCode })
  const id = planId ?? origin?.planId ?? ''
  return { planId: id, planName: label ?? name, modelCode, allowance: kind, used, quota, cycle, path }
}

const toUsagePath = (query: Record<string, string>): string => `/usage?${new URLSearchParams(query)}`

function isSnoozedOrMuted(
  { snoozed, mutedPlans }: AlertSettings,
  { planIds, modelCode }: { readonly planIds: readonly string[]; readonly modelCode: string },
  nowMs: number,
): boolean {
  if (planIds.some((id) => mutedPlans.includes(id))) return true
  return snoozed.some(
    (snooze) =>
      planIds.includes(snooze.planId) &&
      (snooze.modelCode === undefined || snooze.modelCode === modelCode) &&
      Date.parse(snooze.until) > nowMs,
  )
}

/** Recent failed requests with one kind of error. `requests`: number of all requests of the same plan and model. */
type FailedRequests = Awaited<ReturnType<Ledger['errorsSince']>>[number]

interface Errors {
  readonly planId: string
  readonly modelCode: string
  readonly errors: number
  readonly requests: number
  readonly mostly: UsageErrorKind
  /** Whether there are enough failures for an alert: at least 5, and at least half of all requests. */
  readonly isBurst: boolean
}

const minErrors = 5
const minShare = 0.5

/** Errors by plan (merged by `toPlanId`) and model. Aborted requests count as neither error nor success. */
export function countErrors(rows: readonly FailedRequests[], toPlanId: (planId: string) => string): readonly Errors[] {
  const rowsWithPlan = rows.filter(({ planId }) => planId !== '')
  const groups = groupBy(rowsWithPlan, ({ planId, modelCode }) => JSON.stringify([toPlanId(planId), modelCode]))
  return groups.flatMap((group): Errors[] => {
    const failedRequests = group.filter(({ error }) => error !== 'aborted')
    const rowsByError = groupBy(failedRequests, ({ error }) => error).toSorted((a, b) => countRows(b) - countRows(a))
    const topErrorKind = rowsByError[0]?.[0]
    if (!topErrorKind) return []
    const errors = countRows(failedRequests)
    // Each row of a plan contains the plan's total number of requests. Use the maximum, not the sum.
    const planTotals = groupBy(group, ({ planId }) => planId).map((rows) =>
      Math.max(...rows.map((row) => row.requests)),
    )
    const requests = planTotals.reduce((sum, total) => sum + total, 0) - (countRows(group) - errors)
    const { modelCode, error: mostly } = topErrorKind
    const isBurst = errors >= minErrors && errors >= minShare * requests
    return [{ planId: toPlanId(topErrorKind.planId), modelCode, errors, requests, mostly, isBurst }]
  })
}

const countRows = (rows: readonly FailedRequests[]): number => rows.reduce((sum, { count }) => sum + count, 0)

interface Allowance {
  readonly plan: PlanQuota
  readonly model: ModelQuota
  readonly kind: 'tokens' | 'requests'
  readonly gauge: Gauge & { readonly quota: number }
}

function listAllowances(plan: PlanQuota): readonly Allowance[] {
  return plan.models.flatMap((model) =>
    (['tokens', 'requests'] as const).flatMap((kind) => {
      const { quota, ...gauge } = model[kind]
      return quota === undefined || quota === 0 ? [] : [{ plan, model, kind, gauge: { ...gauge, quota } }]
    }),
  )
}

/** Sort key of an allowance: used up first, then by forecast time of running out, then by smallest remaining share. */
function rankTightness({ gauge: { forecast, used, quota } }: Allowance): readonly [rank: number, within: number] {
  if (used >= quota) return [0, 0]
  return forecast.kind === 'runsOut' ? [1, Date.parse(forecast.at)] : [2, 1 - used / quota]
}

function compare(first: Allowance | undefined, second: Allowance | undefined): number {
  if (!first || !second) return Number(!first) - Number(!second)
  const [a, b] = [rankTightness(first), rankTightness(second)]
  return a[0] - b[0] || a[1] - b[1]
}

/** Allowance of these plans that is used up first. Ignores expired plans. */
const findTightestAllowance = (plans: readonly PlanQuota[]): Allowance | undefined =>
  plans.flatMap((plan) => (plan.isExpired ? [] : listAllowances(plan))).toSorted(compare)[0]

/** Sorts plans by tightest allowance. Unknown and expired ones come last. */
export function sortTightestFirst(plans: readonly PlanQuota[]): PlanQuota[] {
  return plans
    .map((plan) => ({ plan, tightest: findTightestAllowance([plan]) }))
    .toSorted((a, b) => {
      const expiryOrder = Number(a.plan.isExpired) - Number(b.plan.isExpired)
      return expiryOrder || compare(a.tightest, b.tightest) || a.plan.name.localeCompare(b.plan.name)
    })
    .map(({ plan }) => plan)
}

/** The tightest allowance, such as `team-plan · gpt-large 12% left (tokens)`. Undefined if none is known. */
export function formatTightestPlan(plans: readonly PlanQuota[], locale: Locale): string | undefined {
  const tightestAllowance = findTightestAllowance(plans)
  if (!tightestAllowance) return undefined
  const { plan, model, kind } = tightestAllowance
  const t = translator(locale)
  const values = {
    plan: plan.label ?? plan.name,
    model: model.modelCode,
    percent: formatPercentLeft(tightestAllowance),
    unit: t(`units.${kind}`),
  }
  return t('tray.tightest', values)
}

/** Remaining share of a model's tightest allowance, such as `12% left`. Undefined if unknown. */
export function formatModelRemaining(
  plan: PlanQuota | undefined,
  modelCode: string,
  locale: Locale,
): string | undefined {
  const models = plan?.models.filter((model) => model.modelCode === modelCode) ?? []
  const tightestAllowance = plan && findTightestAllowance([{ ...plan, models }])
  return tightestAllowance && translator(locale)('tray.left', { percent: formatPercentLeft(tightestAllowance) })
}

function formatPercentLeft({ gauge }: Allowance): string {
  const share = Math.max(0, 1 - gauge.used / gauge.quota)
  // Rounds down, but shows "<1%" for a nonzero rest. "0%" means exhausted.
  return share > 0 && share < 0.01 ? '<1%' : `${Math.floor(share * 100 + 1e-9)}%`
}
