import type { PlanView, RegisterEntry } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { type Locale, translator } from '../../core/i18n'
import type { HandoutRecord, ShownKeyReminder } from '../../core/settings/records'
import { joinNames, type NotificationText } from '../../plans/account/notification-text'

/** A key that is old enough to be reminded of, or that its holder has not confirmed for days. */
export interface AgedKey {
  readonly planId: string
  readonly planName: string
  readonly keyId: string
  readonly keyName: string
  /** Whole days since it came to this machine, or since it was handed out. */
  readonly ageDays: number
  /** The highest age to remind at that it has reached. */
  readonly days: number
  /** False for a key that was handed over: only who gave it can give another. */
  readonly canRotate: boolean
  /** Holder of a key that was issued or is not on this computer. */
  readonly holder?: string
  /** It was handed out, and its code did not come back. */
  readonly isUnconfirmed?: true
  readonly marks: readonly ShownKeyReminder[]
}

/** A key whose age is known. */
type KeyAge = Pick<AgedKey, 'planId' | 'planName' | 'keyId' | 'keyName' | 'canRotate' | 'holder' | 'isUnconfirmed'> & {
  readonly addedAt: string
  /** The ages to remind at, where they are not those that were chosen. */
  readonly remindAt?: readonly number[]
}

/** The keys of this machine, those of the sandbox left out. */
export const agesHere = (plans: readonly PlanView[]): KeyAge[] =>
  plans
    .filter(({ source }) => source !== 'sandbox')
    .flatMap(({ id: planId, name: planName, origin: plan, keys }) =>
      keys.map(({ id: keyId, name: keyName, addedAt, origin }) => {
        const canRotate = plan !== undefined && origin !== undefined
        return { planId, planName, keyId, keyName, addedAt, canRotate }
      }),
    )

/** Active keys with a holder that are not on this computer. */
export const agesElsewhere = (entries: readonly RegisterEntry[]): KeyAge[] =>
  entries.flatMap(({ planId, planName, keyId, keyName, createdAt: addedAt, holder, isKeptHere, status }) =>
    addedAt === undefined || !holder || isKeptHere || status === 'gone' || status === 'DISABLED'
      ? []
      : [{ planId, planName, keyId, keyName, addedAt, canRotate: true, holder: holder.name }],
  )

/** The issuing lead is reminded first, then the other leads. */
const unconfirmedDays = { here: 3, elsewhere: 7 }

/** Active keys that were issued here or by another lead and never confirmed. */
export const agesUnconfirmed = (entries: readonly RegisterEntry[], handouts: readonly HandoutRecord[]): KeyAge[] =>
  entries.flatMap(({ planId, planName, keyId, keyName, origin, holder, alsoServes, status, ...entry }) => {
    const { handedOutAt: addedAt, acknowledgedAt } = entry
    if (!addedAt || acknowledgedAt || !holder || status === 'gone' || status === 'DISABLED') return []
    const isOurs = handouts.some((one) => (one.accountKeyId ?? one.keyId) === (origin?.keyId ?? keyId))
    const remindAt = [isOurs ? unconfirmedDays.here : unconfirmedDays.elsewhere]
    const names = [holder.name, ...alsoServes].join(', ')
    return [
      { planId, planName, keyId, keyName, addedAt, canRotate: true, holder: names, isUnconfirmed: true, remindAt },
    ]
  })

/** Keys that have reached one of these ages and were not reminded of it yet, the oldest first. */
export function agedKeys(
  keys: readonly KeyAge[],
  days: readonly number[],
  { currentTime, shown }: { readonly currentTime: Date; readonly shown: readonly ShownKeyReminder[] },
): AgedKey[] {
  const aged = keys.flatMap(({ addedAt, remindAt = days, ...key }): AgedKey[] => {
    const { keyId } = key
    const ageDays = Math.floor((currentTime.getTime() - Date.parse(addedAt)) / dayMs)
    const reached = remindAt.filter((day) => day <= ageDays).sort((a, b) => b - a)
    const isShown = (day: number) =>
      shown.some((one) => one.keyId === keyId && one.addedAt === addedAt && one.days === day)
    const [highest] = reached
    if (highest === undefined || isShown(highest)) return []
    const marks = reached.filter((day) => !isShown(day)).map((day) => ({ keyId, addedAt, days: day }))
    return [{ ...key, ageDays, days: highest, marks }]
  })
  return aged.sort((a, b) => b.ageDays - a.ageDays)
}

/** Records reminders and drops those of deleted keys. */
export function shownAfter(
  shown: readonly ShownKeyReminder[],
  told: readonly AgedKey[],
  keys: readonly KeyAge[],
): ShownKeyReminder[] {
  const existingIds = new Set(keys.map(({ keyId }) => keyId))
  return [...shown, ...told.flatMap(({ marks }) => marks)].filter(({ keyId }) => existingIds.has(keyId))
}

/** The texts of one notification of several old keys. */
export function keysAgeWords(keys: readonly AgedKey[], locale: Locale): NotificationText {
  const t = translator(locale)
  const names = joinNames(
    keys.map(({ keyName }) => keyName),
    locale,
  )
  const form = keys.every(({ isUnconfirmed }) => isUnconfirmed) ? 'severalUnconfirmed' : 'severalOld'
  const days = Math.min(...keys.map((key) => key.days))
  return { title: t(`keyAge.${form}.title`, { total: keys.length, days }), body: t(`keyAge.${form}.body`, { names }) }
}

/** The texts of a notification of an old key. */
export function keyAgeWords(
  { keyName: key, planName: plan, ageDays: days, canRotate, holder = '', isUnconfirmed }: AgedKey,
  locale: Locale,
): NotificationText {
  const t = translator(locale)
  const values = { key, plan, days, holder }
  if (isUnconfirmed) return { title: t('keyAge.unconfirmed.title', values), body: t('keyAge.unconfirmed.body', values) }
  const body = holder ? 'bodyHolder' : canRotate ? 'bodyRotate' : 'bodyAsk'
  return { title: t('keyAge.old.title', values), body: t(`keyAge.old.${body}`, values) }
}
