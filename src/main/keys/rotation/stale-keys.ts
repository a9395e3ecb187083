import type { PlanView, RegisterEntry } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { type Locale, translator } from '../../core/i18n'
import { keyReminderEnd, type StateNotice, type Subject } from '../../core/notices'
import type { HandoutRecord } from '../../core/settings/records'

export interface KeyAge {
  readonly planId: string
  readonly planName: string
  readonly keyId: string
  readonly keyName: string
  /** Time since which the key's age counts: it was saved or handed out. */
  readonly addedAt: string
  /** Whether the key can be rotated here. A key that was handed over can only be replaced by its sender. */
  readonly canRotate: boolean
  /** Name of the holder. Only set for keys that were handed out or are not on this computer. */
  readonly holder?: string
  /** Whether the key was handed out and its confirmation code was not entered yet. */
  readonly isUnconfirmed?: true
  /** Ages in days for reminders of this key, instead of the ages in the settings. */
  readonly remindAt?: readonly number[]
}

/** Ages of the keys on this computer, without those of the sandbox. */
export const localKeyAges = (plans: readonly PlanView[]): KeyAge[] =>
  plans
    .filter(({ source }) => source !== 'sandbox')
    .flatMap(({ id: planId, name: planName, origin: plan, keys }) =>
      keys.map(({ id: keyId, name: keyName, addedAt, origin }) => {
        const canRotate = plan !== undefined && origin !== undefined
        return { planId, planName, keyId, keyName, addedAt, canRotate }
      }),
    )

/** Active keys with a holder that are not on this computer. */
export const remoteKeyAges = (entries: readonly RegisterEntry[]): KeyAge[] =>
  entries.flatMap(({ planId, planName, keyId, keyName, createdAt: addedAt, holder, isKeptHere, status }) =>
    addedAt === undefined || !holder || isKeptHere || status === 'gone' || status === 'DISABLED'
      ? []
      : [{ planId, planName, keyId, keyName, addedAt, canRotate: true, holder: holder.name }],
  )

/** Days until the reminder of an unconfirmed key: first for the lead who issued it, later for other leads. */
const unconfirmedDays = { here: 3, elsewhere: 7 }

/** Active keys that were issued here or by another lead and never confirmed. */
export const unconfirmedKeyAges = (entries: readonly RegisterEntry[], handouts: readonly HandoutRecord[]): KeyAge[] =>
  entries.flatMap(({ planId, planName, keyId, keyName, origin, holder, alsoServes, status, ...entry }) => {
    const { handedOutAt: addedAt, acknowledgedAt } = entry
    if (!addedAt || acknowledgedAt || !holder || status === 'gone' || status === 'DISABLED') return []
    const isOurs = handouts.some((handout) => (handout.accountKeyId ?? handout.keyId) === (origin?.keyId ?? keyId))
    const remindAt = [isOurs ? unconfirmedDays.here : unconfirmedDays.elsewhere]
    const names = [holder.name, ...alsoServes].join(', ')
    const key = { planId, planName, keyId, keyName, addedAt }
    return [{ ...key, canRotate: true, holder: names, isUnconfirmed: true, remindAt }]
  })

/** Keys that reached a reminder age in days, oldest first. Of several ages, the highest counts. */
export function listKeySubjects(keys: readonly KeyAge[], days: readonly number[], nowMs: number): Subject[] {
  const agedKeys = keys.flatMap((key) => {
    const ageDays = Math.floor((nowMs - Date.parse(key.addedAt)) / dayMs)
    const rank = Math.max(0, ...(key.remindAt ?? days).filter((day) => day <= ageDays))
    return rank === 0 ? [] : [{ key, ageDays, rank }]
  })
  return agedKeys
    .sort((a, b) => b.ageDays - a.ageDays)
    .map(({ key, ageDays, rank }) => ({
      kind: key.isUnconfirmed ? 'unconfirmedKey' : 'oldKey',
      of: JSON.stringify([key.keyId, key.addedAt]),
      rank,
      endsAt: keyReminderEnd(nowMs),
      describe: (locale) => describeKey(key, { ageDays, rank }, locale),
    }))
}

function describeKey(
  { planId, keyId, keyName, planName, canRotate, holder = '', isUnconfirmed }: KeyAge,
  { ageDays, rank }: { readonly ageDays: number; readonly rank: number },
  locale: Locale,
): StateNotice {
  const t = translator(locale)
  const values = { key: keyName, plan: planName, days: ageDays, holder }
  const query = new URLSearchParams({ plan: planId, key: keyId })
  const planPath = canRotate ? `/rotate?${query}` : `/plans/${encodeURIComponent(planId)}`
  const notice = {
    path: holder ? '/register' : planPath,
    name: keyName,
    days: rank,
    facts: { kind: 'key', plan: planName, key: keyName },
  } as const
  if (isUnconfirmed)
    return {
      ...notice,
      group: 'unconfirmedKeys',
      title: t('keyAge.unconfirmed.title', values),
      body: t('keyAge.unconfirmed.body', values),
    }
  const body = holder ? 'bodyHolder' : canRotate ? 'bodyRotate' : 'bodyAsk'
  return { ...notice, group: 'oldKeys', title: t('keyAge.old.title', values), body: t(`keyAge.old.${body}`, values) }
}
