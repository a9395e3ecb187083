import type { SandboxHappening } from '@shared/contract'
import type { TFunction } from 'i18next'
import type { Formats, Locale } from '../../format'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const clockParts = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

/** A moment with its weekday, to the minute: `Sat, Nov 21, 2026, 14:40`. */
export function clockText(iso: string, locale: Locale): string {
  return new Intl.DateTimeFormat(locale, clockParts).format(new Date(iso))
}

/** A span in whole hours, or in whole days from two days on: `26 hours`, `7 days`; nothing below half an hour. */
export function spanText(ms: number, locale: Locale): string | undefined {
  const unit = ms >= 2 * dayMs ? 'day' : 'hour'
  const count = Math.round(ms / (unit === 'day' ? dayMs : hourMs))
  if (count === 0) return undefined
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

/** What has become of a plan, as a sentence. */
export function happeningText(happening: SandboxHappening, t: TFunction<'sandbox'>, formats: Formats): string {
  const { kind, plan } = happening
  if (kind === 'renewed') {
    const [date, money] = [formats.date(happening.expiresAt), formats.money(happening.charged)]
    return t('happened.renewed', { plan, date, money })
  }
  if (kind === 'renewalFailed') return t('happened.renewalFailed', { plan, attempts: happening.attempts })
  if (kind === 'expired') return t(`happened.${happening.why}`, { plan })
  return t('happened.cycleBegan', { plan })
}
