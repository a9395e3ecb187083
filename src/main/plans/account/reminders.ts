import type { PlanView } from '@shared/contract'
import type { AccountPlanView } from '@shared/contract/plans'
import { dayMs, hourMs, minuteMs } from '@shared/durations'
import { type Locale, translator } from '../../core/i18n'
import type { Clock, Log } from '../../core/ports'
import type { SentReminder, SettingsStore } from '../../core/settings/settings'
import type { Account } from './account'

/** Data of a reminder. Its text is added when the notification is shown. */
export interface Reminder {
  readonly kind: 'expiring' | 'renewalFailed' | 'expired'
  readonly planId: string
  readonly planName: string
  readonly expiresAt: string
  /** Whole days until the plan's expiry, at least 1. 0 after the expiry. */
  readonly daysLeft: number
  readonly path: string
}

interface RemindersDeps {
  readonly clock: Clock
  readonly settings: SettingsStore
  readonly log: Log
  readonly plans: () => Promise<ReminderAnswers>
  /** Called with at least one reminder. */
  readonly notify: (reminders: readonly Reminder[]) => void
  /** Like `setTimeout`; returns a cancel function. */
  readonly later: (run: () => void, ms: number) => () => void
}

/** Age in ms after which an expiry needs no reminder. */
const recentMs = 7 * dayMs

/** Time in ms to remember shown reminders after the expiry. */
const reminderRetentionMs = 90 * dayMs

/** Shows each reminder once per plan, expiry and day. After sleep, shows only the latest one per plan. */
export function createReminders(deps: RemindersDeps) {
  let runningCheck: Promise<boolean> | undefined
  let cancel: (() => void) | undefined
  let isStopped = false

  const checkPlans = async (): Promise<boolean> => {
    if (!deps.settings.read().reminders.enabled) return true
    try {
      const { plans, isComplete } = await deps.plans()
      if (!isStopped) sendReminders(plans, deps)
      return isComplete
    } catch (error) {
      deps.log.error('reminders.check', error)
      return false
    }
  }
  const check = (): Promise<boolean> => {
    runningCheck ??= checkPlans().finally(() => {
      runningCheck = undefined
    })
    return runningCheck
  }
  const checkPeriodically = async (againMs = minuteMs): Promise<void> => {
    const isComplete = await check()
    if (isStopped) return
    const pauseMs = isComplete ? hourMs : Math.min(againMs, hourMs)
    cancel = deps.later(() => void checkPeriodically(isComplete ? minuteMs : 2 * againMs), pauseMs)
  }
  return {
    /** Checks once; concurrent calls share one check. Resolves to whether every account answered. Never rejects. */
    check,
    /** Checks now and hourly. Retries sooner while accounts are unreachable, for example before the network is up. */
    start: (): void => void checkPeriodically(),
    stop: (): void => {
      isStopped = true
      cancel?.()
    },
  }
}

function sendReminders(plans: readonly ReminderPlan[], { clock, settings, notify }: RemindersDeps): void {
  const { reminders, shownReminders: shown } = settings.read()
  const localMs = clock().getTime()
  const { pendingReminders, newReminders } = findReminders(plans, { days: reminders.days, shown, localMs })
  if (pendingReminders.length === 0) return
  notify(pendingReminders)
  settings.update(({ shownReminders: savedReminders }) => ({
    shownReminders: addShownReminders(savedReminders, newReminders, localMs),
  }))
}

export const addShownReminders = (
  savedReminders: readonly SentReminder[],
  newReminders: readonly SentReminder[],
  localMs: number,
): SentReminder[] => [
  ...savedReminders.filter((reminder) => Date.parse(reminder.expiresAt) > localMs - reminderRetentionMs),
  ...newReminders,
]

/** Due reminders that were not shown yet, and the records that mark them as shown. `days`: days before the expiry. */
export function findReminders(
  plans: readonly ReminderPlan[],
  { days, shown, localMs }: { days: readonly number[]; shown: readonly SentReminder[]; localMs: number },
): { readonly pendingReminders: readonly Reminder[]; readonly newReminders: readonly SentReminder[] } {
  const shownKeys = new Set(shown.map(toKey))
  const pendingReminders: Reminder[] = []
  const newReminders: SentReminder[] = []
  for (const { id: planId, name: planName, expiresAt, path, aheadMs = 0, ...plan } of plans) {
    const nowMs = localMs + aheadMs
    const toSentReminder = (what: string): SentReminder => ({ planId, expiresAt, what })
    const isReminderShown = (mark: string): boolean => shownKeys.has(toKey(toSentReminder(mark)))
    const dueReminder = listDueReminders({ expiresAt, ...plan }, nowMs, days).find(
      ({ marks: [nearest] }) => !isReminderShown(nearest),
    )
    if (!dueReminder) continue
    const { kind } = dueReminder
    const daysLeft = kind === 'expired' ? 0 : Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / dayMs))
    pendingReminders.push({ kind, planId, planName, expiresAt, daysLeft, path })
    const marks = dueReminder.marks.filter((mark) => !isReminderShown(mark)).map(toSentReminder)
    for (const mark of marks) shownKeys.add(toKey(mark))
    newReminders.push(...marks)
  }
  return { pendingReminders, newReminders }
}

interface DueReminder {
  readonly kind: Reminder['kind']
  /** Ids to mark as shown. The first identifies the reminder itself. */
  readonly marks: readonly [string, ...string[]]
}

function listDueReminders(
  plan: Omit<ReminderPlan, 'id' | 'name' | 'path'>,
  nowMs: number,
  days: readonly number[],
): DueReminder[] {
  const remainingMs = Date.parse(plan.expiresAt) - nowMs
  const isExpired = plan.status === undefined ? remainingMs <= 0 : plan.status === 'EXPIRED'
  if (isExpired) return remainingMs > -recentMs ? [{ kind: 'expired', marks: ['expired'] }] : []
  const reachedDays = days.filter((day) => remainingMs > 0 && remainingMs <= day * dayMs).sort((a, b) => a - b)
  const [nearest, ...farther] = reachedDays.map(String)
  const renewsItself = plan.autoRenew === true && plan.isCovered !== false && !plan.isRenewalFailing
  const expiringReminders: DueReminder[] =
    nearest === undefined || renewsItself ? [] : [{ kind: 'expiring', marks: [nearest, ...farther] }]
  if (!plan.isRenewalFailing) return expiringReminders
  return [{ kind: 'renewalFailed', marks: ['renewalFailed', ...reachedDays.map(String)] }, ...expiringReminders]
}

const toKey = ({ planId, expiresAt, what }: SentReminder): string => JSON.stringify([planId, expiresAt, what])

export interface ReminderPlan {
  readonly id: string
  readonly name: string
  readonly expiresAt: string
  /** Offset of the server's clock in ms. */
  readonly aheadMs?: number | undefined
  readonly status?: 'ACTIVE' | 'EXPIRED' | undefined
  readonly autoRenew?: boolean | undefined
  /** Whether the credits cover the next cycle. */
  readonly isCovered?: boolean | undefined
  /** Whether automatic renewal keeps failing. */
  readonly isRenewalFailing?: boolean | undefined
  readonly path: string
}

interface ReminderSources {
  readonly plans: { list(): readonly PlanView[] }
  readonly account: Pick<Account, 'get' | 'plans'>
  readonly connectionIds: () => readonly string[]
  readonly getPath: (planId: string, connectionId?: string) => string
}

interface ReminderAnswers {
  readonly plans: readonly ReminderPlan[]
  /** Whether all accounts responded. If not, the plans of some accounts are missing. */
  readonly isComplete: boolean
}

/** Plans to remind of: account plans, and local plans with a known expiry. */
export async function reminderPlans(sources: ReminderSources): Promise<ReminderAnswers> {
  const { plans, account, connectionIds, getPath } = sources
  const readAccountPlans = async (connectionId: string): Promise<ReminderPlan[]> => {
    const ref = { connectionId }
    const [{ credits }, accountPlans] = await Promise.all([account.get(ref), account.plans(ref)])
    const coveredPlanIds = findCoveredPlans(credits, accountPlans)
    return accountPlans.map(({ planId, name, expiresAt, aheadMs, status, autoRenew, renewal }) => ({
      id: `${connectionId}/${planId}`,
      name,
      expiresAt,
      aheadMs,
      status,
      autoRenew,
      isCovered: coveredPlanIds.has(planId),
      isRenewalFailing: renewal !== undefined && renewal.failedAttempts > 0,
      path: getPath(planId, connectionId),
    }))
  }
  const accountResults = await Promise.allSettled(connectionIds().map(readAccountPlans))
  const localPlans = plans.list().flatMap(({ id, name, source, expiresAt, aheadMs }): ReminderPlan[] => {
    return source === 'handed-over' && expiresAt ? [{ id, name, expiresAt, aheadMs, path: getPath(id) }] : []
  })
  const accountPlans = accountResults.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const isComplete = accountResults.every(({ status }) => status === 'fulfilled')
  return { plans: [...accountPlans, ...localPlans], isComplete }
}

function findCoveredPlans(credits: number, plans: readonly AccountPlanView[]): ReadonlySet<string> {
  const renewingPlans = plans.filter(({ status, autoRenew }) => status === 'ACTIVE' && autoRenew)
  const coveredPlanIds = new Set<string>()
  let remainingCredits = credits
  for (const { planId, total } of renewingPlans.toSorted((a, b) => a.expiresAt.localeCompare(b.expiresAt))) {
    if (remainingCredits < total) continue
    remainingCredits -= total
    coveredPlanIds.add(planId)
  }
  return coveredPlanIds
}

type PlanEnding = Pick<Reminder, 'kind' | 'planName' | 'expiresAt' | 'daysLeft'>

export interface NotificationText {
  readonly title: string
  readonly body: string
}

export function formatReminders(endings: readonly PlanEnding[], locale: Locale): NotificationText {
  const t = translator(locale)
  const names = endings.map(({ planName }) => planName)
  return {
    title: t('reminders.several.title', { total: endings.length }),
    body: t('reminders.several.body', { names: joinNames(names, locale) }),
  }
}

export function formatReminder(
  { kind, planName: plan, daysLeft: count, expiresAt }: PlanEnding,
  locale: Locale,
): NotificationText {
  const t = translator(locale)
  const expiryTime = new Date(expiresAt)
  // The long Vietnamese date starts with "ngày", which the text already contains.
  const day =
    locale === 'vi'
      ? `${expiryTime.getDate()} tháng ${expiryTime.getMonth() + 1} năm ${expiryTime.getFullYear()}`
      : new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(expiryTime)
  const values = { plan, count, day }
  return { title: t(`reminders.${kind}.title`, values), body: t(`reminders.${kind}.body`, values) }
}

export interface Notice extends NotificationText {
  readonly path: string
}

const maxNames = 2

/** Joins the first unique names and counts the rest. */
export function joinNames(names: readonly string[], locale: Locale): string {
  const t = translator(locale)
  const uniqueNames = [...new Set(names)]
  const count = uniqueNames.length - maxNames
  if (count > 0) return t('andMore', { first: uniqueNames.slice(0, maxNames).join(', '), count })
  const [first = '', last] = uniqueNames
  return last === undefined ? first : t('and', { first, last })
}
