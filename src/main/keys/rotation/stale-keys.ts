import type { PlanView, RegisterEntry } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { type Locale, translator } from '../../core/i18n'
import type { HandoutRecord, SentKeyReminder } from '../../core/settings/records'
import { joinNames, type NotificationText } from '../../plans/account/reminders'

/** A key that needs a reminder, because of its age or because its holder has not confirmed the receipt for days. */
export interface AgedKey {
  readonly planId: string
  readonly planName: string
  readonly keyId: string
  readonly keyName: string
  /** Age of the key: whole days since it was saved or handed out. */
  readonly ageDays: number
  /** The highest reminder age in days that the key has reached. */
  readonly days: number
  readonly addedAt: string
  /** Whether the key can be rotated here. A key that was handed over can only be replaced by its sender. */
  readonly canRotate: boolean
  /** Name of the holder. Only set for keys that were handed out or are not on this computer. */
  readonly holder?: string
  /** Whether the key was handed out and its confirmation code was not entered yet. */
  readonly isUnconfirmed?: true
}

export type KeyAge = Omit<AgedKey, 'ageDays' | 'days'> & {
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

/** Keys that reached a reminder age without a reminder of this or a higher age, oldest first. */
export function findAgedKeys(
  keys: readonly KeyAge[],
  days: readonly number[],
  { currentTime, shown }: { readonly currentTime: Date; readonly shown: readonly SentKeyReminder[] },
): AgedKey[] {
  const dueKeys = keys.flatMap(({ remindAt = days, ...key }): AgedKey[] => {
    const { keyId, addedAt } = key
    const ageDays = Math.floor((currentTime.getTime() - Date.parse(addedAt)) / dayMs)
    const [highest] = remindAt.filter((day) => day <= ageDays).toSorted((a, b) => b - a)
    if (highest === undefined) return []
    const isShown = shown.some(
      (reminder) => reminder.keyId === keyId && reminder.addedAt === addedAt && reminder.days >= highest,
    )
    return isShown ? [] : [{ ...key, ageDays, days: highest }]
  })
  return dueKeys.sort((a, b) => b.ageDays - a.ageDays)
}

export function updateShownReminders(
  shownReminders: readonly SentKeyReminder[],
  reminded: readonly AgedKey[],
  keys: readonly KeyAge[],
): SentKeyReminder[] {
  const existingIds = new Set(keys.map(({ keyId }) => keyId))
  const newReminders = reminded.map(({ keyId, addedAt, days }) => ({ keyId, addedAt, days }))
  return [...shownReminders, ...newReminders].filter(({ keyId }) => existingIds.has(keyId))
}

export function formatKeyReminders(keys: readonly AgedKey[], locale: Locale): NotificationText {
  const t = translator(locale)
  const keyNames = keys.map(({ keyName }) => keyName)
  const names = joinNames(keyNames, locale)
  const messageKey = keys.every(({ isUnconfirmed }) => isUnconfirmed) ? 'severalUnconfirmed' : 'severalOld'
  const days = Math.min(...keys.map((key) => key.days))
  return {
    title: t(`keyAge.${messageKey}.title`, { total: keys.length, days }),
    body: t(`keyAge.${messageKey}.body`, { names }),
  }
}

export function formatKeyReminder(
  { keyName: key, planName: plan, ageDays: days, canRotate, holder = '', isUnconfirmed }: AgedKey,
  locale: Locale,
): NotificationText {
  const t = translator(locale)
  const values = { key, plan, days, holder }
  if (isUnconfirmed) return { title: t('keyAge.unconfirmed.title', values), body: t('keyAge.unconfirmed.body', values) }
  const body = holder ? 'bodyHolder' : canRotate ? 'bodyRotate' : 'bodyAsk'
  return { title: t('keyAge.old.title', values), body: t(`keyAge.old.${body}`, values) }
}
