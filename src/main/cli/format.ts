import type { AccountPlanView, KeyView, SubscriptionKeyView } from '@shared/contract'
import { dayOf, exactMoment, relativeWords } from '../local-time'

/** A whole number with thousands marks: `1,234,567`. */
export const figure = (value: number): string => new Intl.NumberFormat('en').format(value)

/** An amount of VND. */
export const money = (amount: number): string => `${figure(amount)} VND`

/** A number with its word: `1 key`, `2 keys`. */
export const counted = (count: number, word: string): string => `${figure(count)} ${word}${count === 1 ? '' : 's'}`

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
