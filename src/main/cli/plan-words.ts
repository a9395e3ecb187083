import type { AccountPlanView, PlanModelView, PlanView } from '@shared/contract'
import { dayOf, exactMoment, relativeWords } from './moment-words'

/** A whole number with thousands marks: `1,234,567`. */
export const figure = (value: number): string => new Intl.NumberFormat('en').format(value)

/** An amount of VND. */
export const money = (amount: number): string => `${figure(amount)} VND`

/** A number with its word: `1 key`, `2 keys`. */
export const counted = (count: number, word: string): string => `${figure(count)} ${word}${count === 1 ? '' : 's'}`

/** How a plan of an account stands, in a word or two. */
export function standing({ status, provisioned, renewal }: AccountPlanView): string {
  if (status === 'EXPIRED') return 'expired'
  if (renewal) return `renewal failing (${renewal.failedAttempts})`
  return provisioned ? 'active' : 'provisioning'
}

/** How a plan that was handed over by key stands: nothing is known but its last check and perhaps its end. */
export function handedStanding({ expiresAt, lastCheck }: PlanView, now: Date): string {
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()) return 'expired'
  if (lastCheck === undefined) return 'not checked'
  return lastCheck.ok ? 'answers' : 'fails'
}

/** When a plan ends, in words and date. One that is over by another clock than ours has only its date. */
export function ending({ status, expiresAt }: Pick<AccountPlanView, 'status' | 'expiresAt'>, now: Date): string {
  const isOddlyAhead = status === 'EXPIRED' && Date.parse(expiresAt) > now.getTime()
  return isOddlyAhead ? dayOf(expiresAt) : `${relativeWords(expiresAt, now)} (${dayOf(expiresAt)})`
}

/** What happens to a plan at its exact expiry (spec, "States", Plan). */
export function atExpiry({ autoRenew, status, cycleDays, expiresAt, total }: AccountPlanView, now: Date): string {
  const at = exactMoment(expiresAt)
  const when = `${at}, ${relativeWords(expiresAt, now)}`
  if (status === 'EXPIRED') return `It ended ${at}; its keys do not work. "companion plan buy-again" buys a new one.`
  return autoRenew
    ? `It is renewed for another ${counted(cycleDays, 'day')} before ${when}; ${money(total)} is then taken from the credits. If they do not cover it, the platform tries again; when that fails too, the plan expires and every key of it stops.`
    : `It stays active until exactly ${when}. At that moment every key of it stops. Nothing is charged or refunded, and auto-renew can be switched on again until then.`
}

/** Of a quota, from 0 to 1; where nothing was granted nothing runs out. */
const shareLeft = (quota: number, used: number): number => (quota === 0 ? 1 : Math.max(0, quota - used) / quota)

const percent = (share: number): string => `${Math.floor(share * 100)}%`

/** What is left of a quota: `62,000 of 100,000 (62%)`. */
export const left = (quota: number, used: number): string =>
  `${figure(Math.max(0, quota - used))} of ${figure(quota)} (${percent(shareLeft(quota, used))})`

/** The model that runs out first and what is left of what stops it: `aurora-large: 62% of tokens`; `-` without models. */
export function tightest(models: readonly PlanModelView[]): string {
  const allowances = models.flatMap(({ modelCode, tokenQuota, tokensUsed, requestQuota, requestsUsed }) => [
    { modelCode, of: 'tokens', share: shareLeft(tokenQuota, tokensUsed) },
    { modelCode, of: 'requests', share: shareLeft(requestQuota, requestsUsed) },
  ])
  const [first] = allowances.toSorted((a, b) => a.share - b.share)
  return first ? `${first.modelCode}: ${percent(first.share)} of ${first.of}` : '-'
}
