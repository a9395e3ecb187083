import type { PlanView } from '@shared/contract'
import type { AccountPlanView } from '@shared/contract/plans'
import { dayMs } from '@shared/durations'
import { type Locale, translator } from '../../core/i18n'
import { expiryReminderEnd, type StateNotice, type Subject, toExpiryRank } from '../../core/notices'
import type { Account } from './account'

/** Age in ms after which an expiry needs no reminder. */
const recentMs = 7 * dayMs

/**
 * Reminders of plans that expire, have expired or are not renewed, each once per plan, expiry and number of `days`
 * before the expiry.
 */
export const listExpirySubjects = (
  plans: readonly ReminderPlan[],
  days: readonly number[],
  localMs: number,
): Subject[] =>
  plans.flatMap((plan) => {
    const { id, expiresAt, aheadMs = 0, status, autoRenew, isCovered, isRenewalFailing } = plan
    const remainingMs = Date.parse(expiresAt) - localMs - aheadMs
    if (Number.isNaN(remainingMs)) return []
    const describeAs = (kind: ReminderKind) => (locale: Locale) => describeExpiry(plan, kind, remainingMs, locale)
    const episode = { of: JSON.stringify([id, expiresAt]), endsAt: expiryReminderEnd(expiresAt) }
    const toSubject = (daysBefore: number): Subject => {
      const describe = describeAs(daysBefore === 0 ? 'expired' : 'expiring')
      return { ...episode, kind: 'expiry', rank: toExpiryRank(daysBefore), describe }
    }
    const isExpired = status === undefined ? remainingMs <= 0 : status === 'EXPIRED'
    if (isExpired) return remainingMs > -recentMs ? [toSubject(0)] : []
    const reachedDays = days.filter((day) => remainingMs > 0 && remainingMs <= day * dayMs)
    const renewsItself = autoRenew === true && isCovered !== false && !isRenewalFailing
    const expiring = reachedDays.length === 0 || renewsItself ? [] : [toSubject(Math.min(...reachedDays))]
    if (!isRenewalFailing) return expiring
    const [covered] = expiring
    return [{ ...episode, kind: 'renewal', rank: 1, covered, describe: describeAs('renewalFailed') }, ...expiring]
  })

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

/** Plans to remind of: account plans, and local plans with a known expiry. `isComplete`: all accounts responded. */
export async function reminderPlans({
  plans,
  account,
  connectionIds,
}: {
  readonly plans: readonly PlanView[]
  readonly account: Pick<Account, 'get' | 'plans'>
  readonly connectionIds: readonly string[]
}): Promise<{ readonly plans: readonly ReminderPlan[]; readonly isComplete: boolean }> {
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
      path: `${toPlanPath(planId)}?connection=${encodeURIComponent(connectionId)}`,
    }))
  }
  const accountResults = await Promise.allSettled(connectionIds.map(readAccountPlans))
  const localPlans = plans.flatMap(({ id, name, source, expiresAt, aheadMs }): ReminderPlan[] => {
    return source === 'handed-over' && expiresAt ? [{ id, name, expiresAt, aheadMs, path: toPlanPath(id) }] : []
  })
  const accountPlans = accountResults.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const isComplete = accountResults.every(({ status }) => status === 'fulfilled')
  return { plans: [...accountPlans, ...localPlans], isComplete }
}

const toPlanPath = (planId: string): string => `/plans/${encodeURIComponent(planId)}`

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

type ReminderKind = 'expiring' | 'renewalFailed' | 'expired'

function describeExpiry(
  { name, expiresAt, path }: ReminderPlan,
  kind: ReminderKind,
  remainingMs: number,
  locale: Locale,
): StateNotice {
  const t = translator(locale)
  const expiryTime = new Date(expiresAt)
  // The long Vietnamese date starts with "ngày", which the text already contains.
  const day =
    locale === 'vi'
      ? `${expiryTime.getDate()} tháng ${expiryTime.getMonth() + 1} năm ${expiryTime.getFullYear()}`
      : new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(expiryTime)
  const values = { plan: name, count: Math.max(0, Math.ceil(remainingMs / dayMs)), day }
  return {
    title: t(`reminders.${kind}.title`, values),
    body: t(`reminders.${kind}.body`, values),
    path,
    name,
    group: 'plans',
    facts: { kind: 'expiry', plan: name },
  }
}
