import type { UsageStep } from '@shared/contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { dateParts, dayParts, type Locale, useFormats } from '../../format'
import type { Point } from './points'
import type { Span } from './usage-query'

/** Texts for the time axis: short ones for ticks, long ones for tooltips. */
function createAxisTexts(locale: Locale) {
  const createDateFormat = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, parts)
  const dateFormats = {
    time: createDateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    day: createDateFormat(dayParts[locale]),
    dayInFull: createDateFormat({ weekday: 'short', ...dateParts[locale] }),
    date: createDateFormat(dateParts[locale]),
    month: createDateFormat({ month: dayParts[locale].month, year: 'numeric' }),
    monthInFull: createDateFormat({ month: 'long', year: 'numeric' }),
  }
  const formatHourTick = (date: Date): string =>
    (date.getHours() === 0 ? dateFormats.day : dateFormats.time).format(date)
  const tick = (step: UsageStep, date: Date): string =>
    step === 'hour' ? formatHourTick(date) : (step === 'month' ? dateFormats.month : dateFormats.day).format(date)
  const formatFullPeriod = (
    step: UsageStep,
    { start, end }: Pick<Point, 'start' | 'end'>,
    week: (day: string) => string,
  ): string => {
    switch (step) {
      case 'hour':
        return `${dateFormats.dayInFull.format(start)}, ${dateFormats.time.format(start)}–${dateFormats.time.format(end)}`
      case 'day':
        return dateFormats.dayInFull.format(start)
      case 'week':
        return week(dateFormats.date.format(start))
      case 'month':
        return dateFormats.monthInFull.format(start)
    }
  }
  /** Formats a period, for example `Nov 15 – 21, 2026`. */
  const span = ({ from, to }: Span): string => dateFormats.date.formatRange(from, new Date(to.getTime() - 1))
  /** Formats times for a period within a day, otherwise dates. */
  const formatPeriod = ({ from, to }: Span): string => {
    const isWithinDay = to.getTime() - from.getTime() < 20 * 3_600_000
    return isWithinDay
      ? `${dateFormats.dayInFull.format(from)}, ${dateFormats.time.format(from)}–${dateFormats.time.format(to)}`
      : span({ from, to })
  }
  return { tick, inFull: formatFullPeriod, span, stretch: formatPeriod }
}

export function useAxisTexts() {
  const { locale } = useFormats()
  const { t } = useTranslation('usage')
  return useMemo(() => {
    const axisTexts = createAxisTexts(locale)
    return {
      ...axisTexts,
      inFull: (step: UsageStep, point: Pick<Point, 'start' | 'end'>) =>
        axisTexts.inFull(step, point, (day) => t('charts.week', { day })),
    }
  }, [locale, t])
}
