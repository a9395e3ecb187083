import type {
  AccountPlanView,
  ConnectionDraft,
  ConnectionTestView,
  ConnectionView,
  KeyView,
  PlanModelView,
  PlanView,
  SubscriptionKeyView,
} from '@shared/contract'
import { dayOf, exactMoment, relativeWords } from '../local-time'

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
  if (lastCheck === undefined) return 'not tested'
  return lastCheck.ok ? 'passed' : 'failed'
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
  if (status === 'EXPIRED')
    return `Expired ${at}. Its keys no longer work. Buy a new one with "companion plan buy-again".`
  return autoRenew
    ? `It renews for another ${counted(cycleDays, 'day')} before ${when}, for ${money(total)} from the credits. If the credits are not enough, the platform tries again. If that fails too, the plan expires and its keys stop working.`
    : `It stays active until ${when}. Then all its keys stop working. Nothing is charged or refunded. You can turn auto-renew on again until then.`
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

/** The present moment by the clock of the place that a plan is of, by which it ends. */
export const nowThere = (now: Date, { aheadMs = 0 }: { readonly aheadMs?: number | undefined }): Date =>
  new Date(now.getTime() + aheadMs)

/** What stands above the keys of a plan. */
export const keyHeadings = ['KEY', 'NAME', 'STATUS', 'CREATED', 'SAVED', 'USED BY', 'ID'] as const

const keptWords: Readonly<Record<KeyView['kept'], string>> = {
  keychain: 'in the keychain',
  session: 'until the app quits',
  missing: 'missing',
}

/** A key of an account as a row, masked. */
export function keyRow({ masked, name, status, createdAt, kept, usedBy, keyId }: SubscriptionKeyView): string[] {
  const here = kept === undefined ? 'no' : keptWords[kept]
  return [masked, name, status.toLowerCase(), dayOf(createdAt), here, usedBy.join(', ') || '-', keyId]
}

/** A key of this machine as a row, masked: when it was made, and of one that was handed over whether it works, only its account knows. */
export function localKeyRow({ masked, name, status, kept, id }: KeyView): string[] {
  return [masked, name, status?.toLowerCase() ?? '-', '-', keptWords[kept], '-', id]
}

/** What stands above the connections of `connection list`. */
export const connectionHeadings = ['', 'NAME', 'SIGN-IN', 'SECRET', 'ADDRESSES'] as const

/** A connection as a row; a star marks the active one. */
export function connectionRow({ name, isActive, tokenSource, secret, addresses }: ConnectionView): string[] {
  const places = Object.keys(addresses).map((key) => key.replace(/(Api)?(Url)$/, ''))
  return [isActive ? '*' : ' ', name, tokenSource?.kind ?? '-', secretWords[secret], places.join(', ') || '-']
}

const secretWords: Readonly<Record<ConnectionView['secret'], string>> = {
  keychain: 'in the keychain',
  session: 'until the app quits',
  missing: 'missing',
  none: '-',
}

const provenWords = { used: 'works', reached: 'is reachable, access not verified' } as const

/** The outcome of one test as one line: what failed, why, and what to do. */
export function testLine(test: ConnectionTestView): string {
  const at = test.requestAddress === undefined ? '' : ` ${test.requestAddress}`
  const took = `${Math.round(test.durationMs)} ms`
  const part = test.part.padEnd('inference'.length)
  if (test.ok) return `ok      ${part} ${provenWords[test.proven]} (${took})${at}`
  return `failed  ${part} ${test.failure.message.replace(/\s+/g, ' ')} (${test.failure.code}, ${took})${at}`
}

/** What was put right in the addresses of a file, one line each. */
export function correctionLines(corrections: ConnectionDraft['corrections']): string[] {
  const lines = corrections.map(({ field, correction }) => `Corrected ${field}: ${correction}`)
  return [...new Set(lines)]
}
