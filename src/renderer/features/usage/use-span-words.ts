import type { UsageStep } from '@shared/contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { dateParts, dayParts, type Locale, useFormats } from '../../format'
import type { Point } from './points'
import type { Span } from './usage-query'

/** Labels of the time axis, short for ticks and long for tooltips. */
function axisWords(locale: Locale) {
  const of = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, parts)
  const made = {
    time: of({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    day: of(dayParts[locale]),
    dayInFull: of({ weekday: 'short', ...dateParts[locale] }),
    date: of(dateParts[locale]),
    month: of({ month: dayParts[locale].month, year: 'numeric' }),
    monthInFull: of({ month: 'long', year: 'numeric' }),
  }
  const hourTick = (at: Date): string => (at.getHours() === 0 ? made.day : made.time).format(at)
  const tick = (step: UsageStep, at: Date): string =>
    step === 'hour' ? hourTick(at) : (step === 'month' ? made.month : made.day).format(at)
  const inFull = (
    step: UsageStep,
    { start, end }: Pick<Point, 'start' | 'end'>,
    week: (day: string) => string,
  ): string => {
    switch (step) {
      case 'hour':
        return `${made.dayInFull.format(start)}, ${made.time.format(start)}–${made.time.format(end)}`
      case 'day':
        return made.dayInFull.format(start)
      case 'week':
        return week(made.date.format(start))
      case 'month':
        return made.monthInFull.format(start)
    }
  }
  /** Formats a span, for example `Nov 15 – 21, 2026`. */
  const span = ({ from, to }: Span): string => made.date.formatRange(from, new Date(to.getTime() - 1))
  /** Formats times for a period within a day, otherwise dates. */
  const stretch = ({ from, to }: Span): string => {
    const isWithinDay = to.getTime() - from.getTime() < 20 * 3_600_000
    return isWithinDay
      ? `${made.dayInFull.format(from)}, ${made.time.format(from)}–${made.time.format(to)}`
      : span({ from, to })
  }
  return { tick, inFull, span, stretch }
}

export function useAxisWords() {
  const { locale } = useFormats()
  const { t } = useTranslation('usage')
  return useMemo(() => {
    const axisTexts = axisWords(locale)
    return {
      ...axisTexts,
      inFull: (step: UsageStep, point: Pick<Point, 'start' | 'end'>) =>
        axisTexts.inFull(step, point, (day) => t('charts.week', { day })),
    }
  }, [locale, t])
}
