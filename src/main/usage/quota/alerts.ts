import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { MethodInput } from '@shared/contract'
import type { AlertSettings, AlertView, BudgetView, Forecast, PlanQuota } from '@shared/contract/quota'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { type Allowance, listAllowances } from '@shared/model-quota'
import { type Locale, translator } from '../../core/i18n'
import type { FoundNotices, StateNotice, Subject } from '../../core/notices'
import type { Clock } from '../../core/ports'
import type { AlertMemory } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import { groupBy, type PlanIdentity } from '../../plans/plan-directory'
import type { Ledger } from '../ledger-client'

type SnoozedAlert = AlertSettings['snoozed'][number]

/** Interval of checks in ms. */
export const alertIntervalMs = 5 * minuteMs
const maxShownAlerts = 100

/** Settings of alerts, and the record of those that were shown on this computer. */
export class Alerts {
  constructor(private readonly deps: { readonly settings: SettingsStore; readonly clock: Clock }) {}

  settings(): AlertSettings {
    const { settings } = this.deps.settings.read().alerts
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
    return this.deps.settings.read().alerts.shown
  }

  /** Memory of the notifications on this computer. */
  memory(): AlertMemory {
    const { alerts, shownReminders: reminders, shownKeyReminders: keys } = this.deps.settings.read()
    return { episodes: alerts.episodes, reminders, keys, rotations: [] }
  }

  /** Records shown notices. */
  record({ notices, memory }: FoundNotices): void {
    const { settings, clock } = this.deps
    if (isDeepStrictEqual(memory.episodes, settings.read().alerts.episodes)) return
    const at = clock().toISOString()
    const views = notices.flatMap(({ alert }) => (alert === undefined ? [] : [{ ...alert, id: randomUUID(), at }]))
    settings.update(({ alerts: current }) => ({
      alerts: {
        ...current,
        episodes: memory.episodes,
        shown: [...views, ...current.shown].slice(0, maxShownAlerts),
      },
      shownReminders: memory.reminders,
      shownKeyReminders: memory.keys,
    }))
  }

  #change(change: (current: AlertSettings) => Partial<AlertSettings>): AlertSettings {
    this.deps.settings.update(({ alerts }) => {
      const currentSettings = this.settings()
      return { alerts: { ...alerts, settings: { ...currentSettings, ...change(currentSettings) } } }
    })
    return this.settings()
  }
}

export interface AlertInput {
  readonly plans: readonly PlanQuota[]
  /** Requests of the last ten minutes. */
  readonly requests: readonly RecentRequests[]
  readonly budgets: readonly BudgetView[]
  /** Identity of plans. Duplicates of a plan (several connections, local copies) have the same identity. */
  readonly identity: PlanIdentity
  readonly nowMs: number
}

/** Quotas, budgets and failing requests to alert of. A snoozed alert is shown after the snooze if it still applies. */
export function listAlertSubjects(input: AlertInput, settings: AlertSettings): Subject[] {
  const { plans, budgets, identity, nowMs } = input
  return [
    ...identity
      .distinct(plans)
      .flatMap((plan) => (plan.isExpired ? [] : listAllowances(plan)))
      .flatMap((allowance) => allowanceSubjects(allowance, settings, input))
      // Reached thresholds come before forecasts.
      .toSorted((a, b) => Number(a.kind === 'forecast') - Number(b.kind === 'forecast')),
    ...(settings.errorBursts ? burstSubjects(input, settings) : []),
    ...budgets.map((budget) => budgetSubject(budget, nowMs)),
  ]
}

/** An allowance that passed a threshold in its cycle, or is forecast to run out. None without a cycle. */
function allowanceSubjects(
  { plan, model: { modelCode }, kind: allowance, gauge }: Allowance,
  settings: AlertSettings,
  { identity, nowMs }: AlertInput,
): Subject[] {
  const { cycle, planId, origin } = plan
  if (!cycle) return []
  const path =
    planId === undefined && origin
      ? toUsagePath({ plan: origin.planId, connection: origin.connectionId, model: modelCode })
      : toUsagePath({ plan: planId ?? '', model: modelCode })
  const planName = plan.label ?? plan.name
  const names = { planId: planId ?? origin?.planId ?? '', planName, modelCode, allowance }
  const notice = { path, name: planName, group: 'alerts' } as const
  // The same after a restart, with other connections, and after the plan is saved locally.
  const of = JSON.stringify([...identity.toName(plan), modelCode, allowance, cycle.to])
  const isSilent = isSnoozedOrMuted(settings, { planIds: identity.listIds(plan), modelCode }, nowMs)
  const percent = findHighest(settings.thresholds, gauge.used, gauge.quota)
  const endsAt = findEnd(cycle.to, nowMs)
  const passed: Subject = {
    kind: 'threshold',
    of,
    rank: percent,
    endsAt,
    isSilent,
    describe: (locale) => ({
      ...notice,
      ...describeThreshold({ ...names, ...gauge }, cycle, locale),
      facts: { kind: 'quota', plan: planName, model: modelCode, percent },
      alert: { ...names, kind: 'threshold', percent },
    }),
  }
  const { forecast } = gauge
  if (!settings.forecast || forecast.kind === 'notEnough' || forecast.kind === 'exhausted') return [passed]
  // Ends the episode of an earlier forecast when the allowance was expected to last for a day.
  const lasting: Subject = { ...passed, kind: 'forecast', rank: 0, endsAt: new Date(nowMs + dayMs).toISOString() }
  if (forecast.kind === 'lasts') return [passed, lasting]
  const runsOut: Subject = {
    ...lasting,
    rank: 1,
    endsAt,
    describe: (locale) => ({
      ...notice,
      ...describeForecast({ ...names, ...gauge }, forecast, locale),
      facts: { kind: 'forecast', plan: planName, model: modelCode },
      alert: { ...names, kind: 'forecast' },
    }),
  }
  return [passed, runsOut]
}

const budgetThresholds = [80, 100] as const

/** A budget that passed a threshold in its period. Its alert is repeated if its limit changes. */
function budgetSubject(budget: BudgetView, nowMs: number): Subject {
  const { id, name, limit, used, to, action } = budget
  const percent = findHighest(budgetThresholds, used, limit)
  const isRefused = percent >= 100 && action === 'refuse'
  return {
    kind: 'budget',
    of: JSON.stringify([id, limit, to]),
    rank: percent,
    endsAt: findEnd(to, nowMs),
    describe: (locale) => ({
      ...describeBudget(budget, locale),
      path: '/usage/budgets',
      name,
      group: 'alerts',
      facts: { kind: 'budget', budget: name, percent },
      alert: { kind: 'budget', planId: '', planName: '', budgetName: name, percent, isRefused },
    }),
  }
}

/** The highest threshold in percent that an amount has passed. 0 if none. */
const findHighest = (thresholds: readonly number[], used: number, limit: number): number =>
  Math.max(0, ...thresholds.filter((threshold) => used * 100 >= threshold * limit))

/** End of an episode. A day later, because the server's clock may lag, and even later if it still lags then. */
const findEnd = (endsAt: string, nowMs: number): string =>
  new Date(Math.max(Date.parse(endsAt), nowMs) + dayMs).toISOString()

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

const minErrors = 5
const minShare = 0.5
const burstPauseMs = 30 * minuteMs

/**
 * Failing requests by plan (merged with its duplicates) and model. An alert is repeated only after half an hour without
 * a failure. Aborted requests count as neither error nor success.
 */
function burstSubjects({ requests: rows, identity, nowMs }: AlertInput, settings: AlertSettings): Subject[] {
  const completedRows = rows.flatMap((row) => {
    const plan = identity.findLocal(row.planId)
    return plan && row.error !== 'aborted' ? [{ ...row, plan }] : []
  })
  const groups = groupBy(completedRows, ({ plan, modelCode }) => JSON.stringify([plan.id, modelCode]))
  return groups.flatMap((group) => {
    const [{ plan, modelCode }] = group
    const failures = group.flatMap(({ error, requests }) => (error === undefined ? [] : [{ error, requests }]))
    const byError = groupBy(failures, ({ error }) => error).toSorted((a, b) => sumRequests(b) - sumRequests(a))
    const mostly = byError[0]?.[0].error
    if (mostly === undefined) return []
    const [errors, requests] = [sumRequests(failures), sumRequests(group)]
    const isBurst = errors >= minErrors && errors >= minShare * requests
    const ids = { planId: plan.id, origin: plan.origin }
    const planName = plan.label ?? plan.name
    return [
      {
        kind: 'errorBurst',
        of: JSON.stringify([...identity.toName(ids), modelCode]),
        rank: 1,
        endsAt: new Date(nowMs + burstPauseMs).toISOString(),
        isSilent: !isBurst || isSnoozedOrMuted(settings, { planIds: identity.listIds(ids), modelCode }, nowMs),
        describe: (locale): StateNotice => {
          const { t, amount } = createTexts(locale)
          const values = { errors: amount(errors), requests: amount(requests), cause: t(`alerts.errors.${mostly}`) }
          return {
            title: t('alerts.errorBurst.title', { plan: planName, model: modelCode }),
            body: t('alerts.errorBurst.body', values),
            path: toUsagePath({ plan: plan.id, model: modelCode }),
            name: planName,
            group: 'alerts',
            facts: { kind: 'errors', plan: planName, model: modelCode },
            alert: { kind: 'errorBurst', planId: plan.id, planName, modelCode },
          }
        },
      },
    ]
  })
}

const sumRequests = (rows: readonly Pick<RecentRequests, 'requests'>[]): number =>
  rows.reduce((sum, { requests }) => sum + requests, 0)

/** Translations, and formats of amounts and days. */
function createTexts(locale: Locale) {
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' })
  return {
    t: translator(locale),
    amount: new Intl.NumberFormat(locale).format,
    day: (timestamp: string) => days.format(new Date(timestamp)),
  }
}

interface AllowanceValues extends Pick<Allowance['gauge'], 'used' | 'quota'> {
  readonly planName: string
  readonly modelCode: string
  readonly allowance: Allowance['kind']
}

function describeThreshold(values: AllowanceValues, cycle: NonNullable<PlanQuota['cycle']>, locale: Locale) {
  const { t, amount, day } = createTexts(locale)
  const { planName: plan, modelCode: model, allowance, used, quota } = values
  const unit = t(`units.${allowance}`)
  const texts = { plan, model, unit, quota: amount(quota), left: amount(quota - used), until: day(cycle.to) }
  if (used >= quota) return { title: t('alerts.usedUp.title', texts), body: t('alerts.usedUp.body', texts) }
  const percent = formatPercent(used, quota)
  const body = cycle.autoRenew === false ? 'alerts.threshold.bodyExpires' : 'alerts.threshold.bodyEnds'
  return { title: t('alerts.threshold.title', { ...texts, percent }), body: t(body, texts) }
}

function describeForecast(values: AllowanceValues, forecast: Extract<Forecast, { kind: 'runsOut' }>, locale: Locale) {
  const { t, amount, day } = createTexts(locale)
  const { planName: plan, modelCode: model, allowance, used, quota } = values
  const { at, earliest, latest, daysBeforeRenewal } = forecast
  const count = Math.floor(daysBeforeRenewal)
  const early = count < 1 ? t('alerts.forecast.justBefore') : t('alerts.forecast.before', { count })
  const [first, last] = [day(earliest), latest && day(latest)]
  const form = last === undefined ? 'earliest' : first === last ? 'onDay' : 'between'
  const band = first === last && first === day(at) ? '' : t(`alerts.forecast.${form}`, { first, last: last ?? '' })
  const texts = { plan, model, unit: t(`units.${allowance}`), day: day(at), early, band }
  return {
    title: t('alerts.forecast.title', texts),
    body: t('alerts.forecast.body', { ...texts, left: amount(quota - used), quota: amount(quota) }),
  }
}

function describeBudget({ name, limit, used, to, action, unit }: BudgetView, locale: Locale) {
  const { t, amount, day } = createTexts(locale)
  const texts = {
    name,
    unit: t(`units.${unit}`),
    limit: amount(limit),
    left: amount(limit - used),
    until: day(to),
  }
  if (used < limit) {
    const percent = formatPercent(used, limit)
    return { title: t('alerts.budget.title', { ...texts, percent }), body: t('alerts.budget.body', texts) }
  }
  const body = action === 'refuse' ? 'alerts.budget.bodyRefuse' : 'alerts.budget.bodyWarn'
  return { title: t('alerts.budget.usedUp', texts), body: t(body, texts) }
}

/** Used percentage. Rounds down, so that 100 % is only shown when an allowance is used up. */
const formatPercent = (used: number, quota: number): number => Math.floor((used / quota) * 100)
