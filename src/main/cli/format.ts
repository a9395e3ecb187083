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
import { dayMs, hourMs, minuteMs } from '@shared/durations'

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

/** Each unit with its length and up to where it is used, in ms. */
const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, sizeMs: number, belowMs: number])[] = [
  ['minute', minuteMs, 59.5 * minuteMs],
  ['hour', hourMs, 23.5 * hourMs],
  ['day', dayMs, 45 * dayMs],
  ['month', 30.44 * dayMs, 345 * dayMs],
  ['year', 365.25 * dayMs, Number.POSITIVE_INFINITY],
]

/** How far a moment is from now: `in 5 days`, `2 hours ago`. */
export function relativeWords(iso: string, now: Date): string {
  const ms = Date.parse(iso) - now.getTime()
  const [unit, sizeMs] = units.find(([, , belowMs]) => Math.abs(ms) < belowMs) ?? ['year', 365.25 * dayMs]
  return new Intl.RelativeTimeFormat('en').format(Math.round(ms / sizeMs), unit)
}

/** The present moment by the clock of the place that a plan is of, by which it ends. */
export const nowThere = (now: Date, { aheadMs = 0 }: { readonly aheadMs?: number | undefined }): Date =>
  new Date(now.getTime() + aheadMs)

const two = { year: 'numeric', month: '2-digit', day: '2-digit' } as const

/** A day of this computer's clock, as the window tells it: `2026-12-31`. */
export const dayOf = (iso: string): string => new Intl.DateTimeFormat('sv', two).format(new Date(iso))

/** A moment to the second by this computer's clock: `2026-12-31 23:59:59 GMT+7`. */
export function exactMoment(iso: string): string {
  const at = new Date(iso)
  const time = new Intl.DateTimeFormat('sv', { timeStyle: 'medium' }).format(at)
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(at)
  return `${dayOf(iso)} ${time} ${zone.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`
}

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
