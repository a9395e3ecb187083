/** What is told of a plan that ends. */
interface Ending {
  readonly kind: 'expiring' | 'renewalFailed' | 'expired'
  readonly planName: string
  readonly expiresAt: string
  /** Whole days until then. */
  readonly daysLeft: number
}

type Locale = 'en' | 'vi'

/** What a notification says. */
export interface NotificationText {
  readonly title: string
  readonly body: string
}

const words: Record<Locale, (ending: Ending, day: string) => NotificationText> = {
  en: ({ kind, planName, daysLeft }, day) => {
    if (kind === 'expired')
      return { title: `${planName} has expired`, body: 'Its keys no longer work. Buy it again to go on.' }
    if (kind === 'renewalFailed')
      return { title: `Couldn’t renew ${planName}`, body: `Not enough credits. It expires on ${day}.` }
    const left = daysLeft === 1 ? '1 day' : `${daysLeft} days`
    return { title: `${planName} expires in ${left}`, body: `Its keys stop working on ${day}.` }
  },
  vi: ({ kind, planName, daysLeft }, day) => {
    if (kind === 'expired')
      return { title: `${planName} đã hết hạn`, body: 'Key của gói không còn dùng được. Hãy mua lại để tiếp tục.' }
    if (kind === 'renewalFailed')
      return {
        title: `Không gia hạn được ${planName}`,
        body: `Không đủ credit. Gói hết hạn ngày ${day}.`,
      }
    return {
      title: `${planName} sẽ hết hạn sau ${daysLeft} ngày`,
      body: `Key của gói ngừng hoạt động ngày ${day}.`,
    }
  },
}

/** The words of one notification of several plans, in the window's language. */
export function remindersWords(endings: readonly Ending[], locale: Locale): NotificationText {
  const { length: count } = endings
  const names = joinNames(
    endings.map(({ planName }) => planName),
    locale,
  )
  return locale === 'vi'
    ? { title: `${count} gói sắp hết hạn hoặc đã hết hạn`, body: `${names}.` }
    : { title: `${count} plans expire soon or have expired`, body: `${names}.` }
}

/** The words of a notification, in the window's language. */
export function reminderWords(ending: Ending, locale: Locale): NotificationText {
  const at = new Date(ending.expiresAt)
  const day =
    locale === 'vi'
      ? `${at.getDate()} tháng ${at.getMonth() + 1} năm ${at.getFullYear()}`
      : new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(at)
  return words[locale](ending, day)
}

/** What the system shows, and the place of the window that it leads to. */
export interface Notice extends NotificationText {
  readonly path: string
}

const mostSingly = 4
const mostNames = 2

/** A notice of each or, of more than a few, one of all: nobody reads a screen full of them, and each takes the system a while. */
export function batchNotifications<T>(
  told: readonly T[],
  { one, all }: { readonly one: (each: T) => Notice; readonly all: (told: readonly T[]) => Notice },
): readonly Notice[] {
  return told.length > mostSingly ? [all(told)] : told.map(one)
}

/** The first of some names, each once, and how many more there are. */
export function joinNames(names: readonly string[], locale: 'en' | 'vi'): string {
  const each = [...new Set(names)]
  const more = each.length - mostNames
  if (more <= 0) return each.join(locale === 'vi' ? ' và ' : ' and ')
  const first = each.slice(0, mostNames).join(', ')
  return locale === 'vi' ? `${first} và ${more} mục khác` : `${first} and ${more} more`
}
