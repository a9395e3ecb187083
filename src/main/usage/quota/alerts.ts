import { randomUUID } from 'node:crypto'
import type { MethodInput, PlanView } from '@shared/contract'
import type { AlertSettings, AlertView, BudgetView, PlanQuota } from '@shared/contract/quota'
import { hourMs, minuteMs } from '@shared/durations'
import type { Clock, Log } from '../../core/ports'
import type { AlertsRecord } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import { yieldToEventLoop } from '../../core/work-queue'
import type { Ledger } from '../ports'
import { type Alert, type AlertInput, countErrors, findAlerts } from './find-alerts'
import { type GetPlatformAddress, PlanIdentity } from './plan-identity'

export interface AlertsDeps {
  readonly settings: SettingsStore
  readonly clock: Clock
  readonly log: Log
  readonly quota: { list(): Promise<readonly PlanQuota[]> }
  readonly ledger: Pick<Ledger, 'errorsSince'>
  readonly budgets: { list(): Promise<readonly BudgetView[]> }
  readonly plans: { list(): readonly PlanView[] }
  /** Identifies a connection's platform, because several connections to one platform cause only one alert. */
  readonly getPlatformAddress: GetPlatformAddress
  /** Called with new alerts. The list is never empty. */
  readonly notify: (alerts: readonly Alert[]) => void
  /** Like `setInterval`, but returns a function that cancels. */
  readonly repeat: (run: () => void, ms: number) => () => void
  /** Like `setTimeout`, but returns a function that cancels. */
  readonly after: (run: () => void, ms: number) => () => void
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
  #endRepeat: (() => void) | undefined
  #endNudge: (() => void) | undefined
  #isStopped = false

  constructor(private readonly deps: AlertsDeps) {}

  /** Checks now and every five minutes. */
  start(): void {
    this.#endRepeat ??= this.deps.repeat(() => void this.check(), alertIntervalMs)
    void this.check()
  }

  stop(): void {
    this.#isStopped = true
    this.#endRepeat?.()
    this.#endNudge?.()
  }

  /** Schedules a check soon. Cheap to call often. */
  nudge(): void {
    if (this.#isStopped || this.#endNudge) return
    const elapsedMs = this.deps.clock().getTime() - this.#checkedAt
    const checkSoon = (): void => {
      this.#endNudge = undefined
      void this.check()
    }
    this.#endNudge = this.deps.after(checkSoon, Math.min(nudgeDelayMs, Math.max(0, nudgeDelayMs - elapsedMs)))
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
  const requests = [quota.list(), ledger.errorsSince(nowMs - burstMs), budgets.list()] as const
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
