import { type Locale, translator } from '../../core/i18n'
import type { Reminder } from './reminders'

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
