import type { UsageStep } from '@shared/contract'
import { hourMs } from '@shared/durations'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { dateParts, dayParts, useFormats } from '../../format'
import type { Point } from './points'
import type { Span } from './usage-query'

/** Texts for the time axis: short ones for ticks, long ones for tooltips. */
export function useAxisTexts() {
  const { locale } = useFormats()
  const { t } = useTranslation('usage')
  return useMemo(() => {
    const createDateFormat = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, parts)
    const time = createDateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    const day = createDateFormat(dayParts[locale])
    const dayInFull = createDateFormat({ weekday: 'short', ...dateParts[locale] })
    const date = createDateFormat(dateParts[locale])
    const month = createDateFormat({ month: dayParts[locale].month, year: 'numeric' })
    const monthInFull = createDateFormat({ month: 'long', year: 'numeric' })
    const formatTimes = (from: Date, to: Date): string =>
      `${dayInFull.format(from)}, ${time.format(from)}–${time.format(to)}`
    /** Formats a period, for example `Nov 15 – 21, 2026`. */
    const span = ({ from, to }: Span): string => date.formatRange(from, new Date(to.getTime() - 1))
    return {
      span,
      /** Formats times for a period within a day, otherwise dates. */
      stretch: ({ from, to }: Span): string =>
        to.getTime() - from.getTime() < 20 * hourMs ? formatTimes(from, to) : span({ from, to }),
      tick: (step: UsageStep, start: Date): string => {
        if (step === 'month') return month.format(start)
        return (step === 'hour' && start.getHours() !== 0 ? time : day).format(start)
      },
      inFull: (step: UsageStep, { start, end }: Pick<Point, 'start' | 'end'>): string => {
        switch (step) {
          case 'hour':
            return formatTimes(start, end)
          case 'day':
            return dayInFull.format(start)
          case 'week':
            return t('charts.week', { day: date.format(start) })
          case 'month':
            return monthInFull.format(start)
        }
      },
    }
  }, [locale, t])
}
