import { randomUUID } from 'node:crypto'
import type { MethodInput, PlanView } from '@shared/contract'
import type { AlertSettings, AlertView, BudgetView, Forecast, PlanQuota } from '@shared/contract/quota'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { type Locale, type TranslateText, translator } from '../../core/i18n'
import type { Clock, Log } from '../../core/ports'
import type { AlertEpisode, AlertsRecord } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import { yieldToEventLoop } from '../../core/work-queue'
import { joinNames, type NotificationText } from '../../plans/account/reminders'
import { type GetPlatformAddress, groupBy, PlanIdentity } from '../../plans/plan-directory'
import type { Ledger } from '../ports'
import { type Allowance, listAllowances } from './quota'

export interface AlertsDeps {
  readonly settings: SettingsStore
  readonly clock: Clock
  readonly log: Log
  readonly quota: { list(): Promise<readonly PlanQuota[]> }
  readonly ledger: Pick<Ledger, 'countSince'>
  readonly budgets: { list(): Promise<readonly BudgetView[]> }
  readonly plans: { list(): readonly PlanView[] }
  /** Identifies a connection's platform, because several connections to one platform cause only one alert. */
  readonly getPlatformAddress: GetPlatformAddress
  /** Called with new alerts. The list is never empty. */
  readonly notify: (alerts: readonly Alert[]) => void
}

type SnoozedAlert = AlertSettings['snoozed'][number]

/** Interval of checks in ms. */
export const alertIntervalMs = 5 * minuteMs
const burstMs = 10 * minuteMs
/** Minimum time in ms between checks that events trigger. */
const nudgeDelayMs = 15_000
const maxShownAlerts = 100

/** Alerts on exhausted or running-out allowances and failed requests, once per episode, across restarts. */
export class Alerts {
  #running: Promise<void> | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #interval: NodeJS.Timeout | undefined
  #nudge: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(private readonly deps: AlertsDeps) {}

  /** Checks now and every five minutes. */
  start(): void {
    this.#interval ??= setInterval(() => void this.check(), alertIntervalMs)
    void this.check()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#interval)
    clearTimeout(this.#nudge)
  }

  /** Schedules a check soon. Cheap to call often. */
  nudge(): void {
    if (this.#isStopped || this.#nudge) return
    const elapsedMs = this.deps.clock().getTime() - this.#checkedAt
    const checkSoon = (): void => {
      this.#nudge = undefined
      void this.check()
    }
    this.#nudge = setTimeout(checkSoon, Math.min(nudgeDelayMs, Math.max(0, nudgeDelayMs - elapsedMs)))
  }

  /** Checks once for new alerts. Concurrent calls share one check. Never rejects. */
  check(): Promise<void> {
    this.#running ??= this.#runCheck().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  settings(): AlertSettings {
    const { settings } = this.#record()
    const nowMs = this.deps.clock().getTime()
    return { ...settings, snoozed: settings.snoozed.filter(({ until }) => Date.parse(until) > nowMs) }
  }

  setSettings({ thresholds, mutedPlans, ...rest }: MethodInput<'alerts.setSettings'>): AlertSettings {
    return this.#change(() => ({
      ...rest,
      thresholds: [...new Set(thresholds)].sort((a, b) => a - b),
      mutedPlans: [...new Set(mutedPlans)],
    }))
  }

  /** Suppresses alerts of a plan, or of one of its models, for some hours. */
  snooze({ planId, modelCode, hours }: MethodInput<'alerts.snooze'>): AlertSettings {
    const until = new Date(this.deps.clock().getTime() + hours * hourMs).toISOString()
    const isOther = (snooze: SnoozedAlert): boolean => snooze.planId !== planId || snooze.modelCode !== modelCode
    return this.#change(({ snoozed }) => ({ snoozed: [...snoozed.filter(isOther), { planId, modelCode, until }] }))
  }

  /** Ends the snooze of a model. Without a model, ends all snoozes of the plan. */
  wake({ planId, modelCode }: MethodInput<'alerts.wake'>): AlertSettings {
    const isOther = (snooze: SnoozedAlert): boolean =>
      snooze.planId !== planId || (modelCode !== undefined && snooze.modelCode !== modelCode)
    return this.#change(({ snoozed }) => ({ snoozed: snoozed.filter(isOther) }))
  }

  /** Alerts that were shown, newest first. */
  list(): AlertView[] {
    return this.#record().shown
  }

  #record(): AlertsRecord {
    return this.deps.settings.read().alerts
  }

  #change(change: (current: AlertSettings) => Partial<AlertSettings>): AlertSettings {
    this.deps.settings.update(({ alerts }) => {
      const currentSettings = this.settings()
      return { alerts: { ...alerts, settings: { ...currentSettings, ...change(currentSettings) } } }
    })
    return this.settings()
  }

  async #runCheck(): Promise<void> {
    this.#checkedAt = this.deps.clock().getTime()
    if (!this.#record().settings.enabled) return
    const alertInput = await readAlertInput(this.deps)
    if (!this.#isStopped) this.#notify(alertInput)
  }

  #notify(alertInput: AlertInput): void {
    const { settings, notify, log } = this.deps
    const record = this.#record()
    if (!record.settings.enabled) return
    const { alerts, episodes } = findAlerts(alertInput, record)
    try {
      if (alerts.length > 0) notify(alerts)
    } catch (error) {
      log.error('alerts.notify', error)
    }
    if (JSON.stringify(episodes) === JSON.stringify(record.episodes)) return
    const views = alerts.map((alert) => toAlertView(alert, alertInput.nowMs))
    settings.update(({ alerts: current }) => ({
      alerts: { ...current, episodes: [...episodes], shown: [...views, ...current.shown].slice(0, maxShownAlerts) },
    }))
  }
}

export type AlertSources = Pick<
  AlertsDeps,
  'clock' | 'log' | 'quota' | 'ledger' | 'budgets' | 'plans' | 'getPlatformAddress'
>

/** Reads quotas, budgets and failed requests. Leaves out a source that fails. */
export async function readAlertInput(sources: AlertSources): Promise<AlertInput> {
  const { clock, log, quota, ledger, budgets } = sources
  const nowMs = clock().getTime()
  // Query quotas, failures and budgets independently, because a failure of one must not prevent alerts of the others.
  const requests = [quota.list(), ledger.countSince(nowMs - burstMs), budgets.list()] as const
  const [plans, failed, limits] = await Promise.allSettled(requests)
  for (const result of [plans, failed, limits])
    if (result.status === 'rejected') log.error('alerts.look', result.reason)
  await yieldToEventLoop()
  const identity = new PlanIdentity(sources.plans.list(), sources.getPlatformAddress)
  const toPlanId = (planId: string): string => identity.findLocal(planId)?.id ?? planId
  return {
    plans: plans.status === 'fulfilled' ? plans.value : [],
    errors: failed.status === 'fulfilled' ? countErrors(failed.value, toPlanId) : [],
    budgets: limits.status === 'fulfilled' ? limits.value : [],
    identity,
    nowMs,
  }
}

function toAlertView(alert: Alert, current: number): AlertView {
  const shownAlert = { id: randomUUID(), kind: alert.kind, at: new Date(current).toISOString() }
  if (alert.kind === 'budget') {
    const { percent, budget } = alert
    const isRefused = percent >= 100 && budget.action === 'refuse'
    return { ...shownAlert, planId: '', planName: '', budgetName: budget.name, percent, isRefused }
  }
  const { planId, planName, modelCode } = alert
  const allowance = alert.kind === 'errorBurst' ? undefined : alert.allowance
  const percent = alert.kind === 'threshold' ? alert.percent : undefined
  return { ...shownAlert, planId, planName, modelCode, allowance, percent }
}

type Cycle = NonNullable<PlanQuota['cycle']>

/** An alert without its text, which `formatAlert` adds. */
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
  const subjects = identity
    .distinct(plans)
    .flatMap((plan) => (plan.isExpired ? [] : listAllowances(plan)))
    .flatMap((allowance) => toSubject(allowance, settings, alertContext))
  const alerts = [
    ...subjects.flatMap((subject) => thresholdAlert(subject, settings, alertContext)),
    ...(settings.forecast ? subjects.flatMap((subject) => forecastAlert(subject, alertContext)) : []),
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

type AllowanceSubject = ReturnType<typeof toSubject>[number]

/** An allowance in its cycle, with the key of its alerts. None without a cycle. */
function toSubject({ plan, model, kind, gauge }: Allowance, settings: AlertSettings, context: AlertContext) {
  const { identity, nowMs } = context
  const { cycle, planId, origin } = plan
  const { modelCode } = model
  if (!cycle) return []
  const path =
    planId === undefined && origin
      ? toUsagePath({ plan: origin.planId, connection: origin.connectionId, model: modelCode })
      : toUsagePath({ plan: planId ?? '', model: modelCode })
  const id = planId ?? origin?.planId ?? ''
  const { used, quota, forecast } = gauge
  const names = { planId: id, planName: plan.label ?? plan.name, modelCode }
  const alert: AllowanceAlert = { ...names, allowance: kind, used, quota, cycle, path }
  // The same after a restart, with other connections, and after the plan is saved locally.
  const key = JSON.stringify([...identity.toName(plan), modelCode, kind, cycle.to])
  const isSilent = isSnoozedOrMuted(settings, { planIds: identity.listIds(plan), modelCode }, nowMs)
  return [{ alert, forecast, key, isSilent, endsAt: findEnd(cycle, nowMs) }]
}

/** Alert for the highest warning threshold that an allowance has passed. Only once per cycle. */
function thresholdAlert(subject: AllowanceSubject, { thresholds }: AlertSettings, { book }: AlertContext): Alert[] {
  const { alert, key, isSilent, endsAt } = subject
  const percent = Math.max(0, ...thresholds.filter((threshold) => alert.used * 100 >= threshold * alert.quota))
  if (isSilent || percent <= (book.get('threshold', key)?.percent ?? 0)) return []
  book.save({ kind: 'threshold', of: key, percent, endsAt })
  return [{ ...alert, kind: 'threshold', percent }]
}

/** Alert for an allowance that is forecast to run out. Repeated only after the forecast was sufficient for a day. */
function forecastAlert(subject: AllowanceSubject, { book, nowMs }: AlertContext): Alert[] {
  const { alert, forecast, key, isSilent, endsAt } = subject
  const savedEpisode = book.get('forecast', key)
  if (forecast.kind === 'lasts' && savedEpisode && savedEpisode.lastsSince === undefined)
    book.save({ ...savedEpisode, lastsSince: new Date(nowMs).toISOString() })
  if (forecast.kind !== 'runsOut' || (!savedEpisode && isSilent)) return []
  book.save({ kind: 'forecast', of: key, endsAt })
  return savedEpisode ? [] : [{ ...alert, kind: 'forecast', forecast }]
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

/** End of an alert's episode. At least one cycle from now, because the server clock may lag far behind. */
function findEnd({ from, to }: Cycle, nowMs: number): string {
  const [beginMs, end] = [Date.parse(from), Date.parse(to)]
  return new Date(Math.max(end, nowMs + end - beginMs)).toISOString()
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

type RecentRequests = Awaited<ReturnType<Ledger['countSince']>>[number]

type Errors = ReturnType<typeof countErrors>[number]

const minErrors = 5
const minShare = 0.5

/** Errors by plan (merged by `toPlanId`) and model. Aborted requests count as neither error nor success. */
function countErrors(rows: readonly RecentRequests[], toPlanId: (planId: string) => string) {
  const completedRows = rows.filter(({ planId, error }) => planId !== '' && error !== 'aborted')
  const groups = groupBy(completedRows, ({ planId, modelCode }) => JSON.stringify([toPlanId(planId), modelCode]))
  return groups.flatMap((group) => {
    const failures = group.flatMap(({ error, ...row }) => (error === undefined ? [] : [{ ...row, error }]))
    const [commonest] = groupBy(failures, ({ error }) => error).toSorted((a, b) => sumRequests(b) - sumRequests(a))
    if (!commonest?.[0]) return []
    const { planId, modelCode, error: mostly } = commonest[0]
    const [errors, requests] = [sumRequests(failures), sumRequests(group)]
    // A burst has at least 5 failures, and at least half of all requests.
    const isBurst = errors >= minErrors && errors >= minShare * requests
    return [{ planId: toPlanId(planId), modelCode, errors, requests, mostly, isBurst }]
  })
}

const sumRequests = (rows: readonly Pick<RecentRequests, 'requests'>[]): number =>
  rows.reduce((sum, { requests }) => sum + requests, 0)

export function formatAlerts(alerts: readonly Alert[], locale: Locale): NotificationText {
  const t = translator(locale)
  const names = alerts.map((alert) => (alert.kind === 'budget' ? alert.budget.name : alert.planName))
  return {
    title: t('alerts.several.title', { total: alerts.length }),
    body: t('alerts.several.body', { names: joinNames(names, locale) }),
  }
}

export function formatAlert(alert: Alert, locale: Locale): NotificationText {
  const t = translator(locale)
  const formats = createFormats(locale)
  switch (alert.kind) {
    case 'threshold':
      return threshold(alert, t, formats)
    case 'forecast':
      return forecast(alert, t, formats)
    case 'budget':
      return budget(alert.budget, t, formats)
    case 'errorBurst': {
      const [errors, requests] = [formats.amount(alert.errors), formats.amount(alert.requests)]
      return {
        title: t('alerts.errorBurst.title', { plan: alert.planName, model: alert.modelCode }),
        body: t('alerts.errorBurst.body', { errors, requests, cause: t(`alerts.errors.${alert.mostly}`) }),
      }
    }
  }
}

type Formats = ReturnType<typeof createFormats>

function createFormats(locale: Locale) {
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' })
  return { amount: new Intl.NumberFormat(locale).format, day: (timestamp: string) => days.format(new Date(timestamp)) }
}

type AlertByKind<K extends Alert['kind']> = Extract<Alert, { kind: K }>

function threshold(alert: AlertByKind<'threshold'>, t: TranslateText, { amount, day }: Formats): NotificationText {
  const { planName: plan, modelCode: model, allowance, used, quota, cycle } = alert
  const unitText = t(`units.${allowance}`)
  const values = { plan, model, unit: unitText, quota: amount(quota), left: amount(quota - used), until: day(cycle.to) }
  if (used >= quota) return { title: t('alerts.usedUp.title', values), body: t('alerts.usedUp.body', values) }
  const percent = formatPercent(used, quota)
  const body = cycle.autoRenew === false ? 'alerts.threshold.bodyExpires' : 'alerts.threshold.bodyEnds'
  return { title: t('alerts.threshold.title', { ...values, percent }), body: t(body, values) }
}

function forecast(alert: AlertByKind<'forecast'>, t: TranslateText, { amount, day }: Formats): NotificationText {
  const { planName: plan, modelCode: model, allowance, used, quota } = alert
  const { at, earliest, latest, daysBeforeRenewal } = alert.forecast
  const count = Math.floor(daysBeforeRenewal)
  const latestTimeText = count < 1 ? t('alerts.forecast.justBefore') : t('alerts.forecast.before', { count })
  const [earliestDay, latestDay] = [day(earliest), latest && day(latest)]
  const isSameDay = earliestDay === latestDay
  const messageForm = latestDay === undefined ? 'earliest' : isSameDay ? 'onDay' : 'between'
  const dayRangeText =
    isSameDay && earliestDay === day(at)
      ? ''
      : t(`alerts.forecast.${messageForm}`, { first: earliestDay, last: latestDay ?? '' })
  const values = { plan, model, unit: t(`units.${allowance}`), day: day(at), early: latestTimeText, band: dayRangeText }
  return {
    title: t('alerts.forecast.title', values),
    body: t('alerts.forecast.body', { ...values, left: amount(quota - used), quota: amount(quota) }),
  }
}

function budget(state: BudgetView, t: TranslateText, { amount, day }: Formats): NotificationText {
  const { name, limit, used, to, action } = state
  const unitText = t(`units.${state.unit}`)
  const values = { name, unit: unitText, limit: amount(limit), left: amount(limit - used), until: day(to) }
  if (used < limit) {
    const percent = formatPercent(used, limit)
    return { title: t('alerts.budget.title', { ...values, percent }), body: t('alerts.budget.body', values) }
  }
  const body = action === 'refuse' ? 'alerts.budget.bodyRefuse' : 'alerts.budget.bodyWarn'
  return { title: t('alerts.budget.usedUp', values), body: t(body, values) }
}

/** Used percentage. Rounds down, so that 100 % is only shown when an allowance is used up. */
const formatPercent = (used: number, quota: number): number => Math.floor((used / quota) * 100)
