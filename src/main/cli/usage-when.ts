import { AppError } from '@shared/failure'
import { Calendar, slotMs } from '../usage/ledger/calendar'
import { endOfStep, startOfStep } from '../usage/steps'

/** One end of a span: `from` is the first moment in it, `to` the first one behind it. */
export type SpanEnd = 'from' | 'to'

/** Now, in ms, and the person's time zone. */
export interface Present {
  readonly now: number
  readonly zone: string
}

const dayMs = 86_400_000
const ago = /^(\d{1,3})([hdw])$/
const day = /^(\d{4})-(\d{2})-(\d{2})$/
const moment = /^\d{4}-\d{2}-\d{2}T/

/**
 * Reads when a span begins or ends, in ms: a day (the whole of it is in the span), a moment in ISO 8601, `today`, `month` (this
 * one), or a time back from now (`7d`: the last seven days, today among them). Fails with `input.invalid`.
 */
export function readWhen(text: string, end: SpanEnd, { now, zone }: Present): number {
  const calendar = new Calendar(zone)
  const word = text.trim().toLowerCase()
  const found =
    ofWord(word, end, { now, calendar }) ?? ofAgo(word, { now, calendar }) ?? ofDate(text.trim(), end, calendar)
  if (found !== undefined) return found
  const message = `--${end} ${text}: give a day (2026-11-01), a moment (2026-11-01T08:00Z), today, month, or 24h, 7d, 2w.`
  throw new AppError('input.invalid', message, { field: end })
}

interface Moment {
  readonly now: number
  readonly calendar: Calendar
}

function ofWord(word: string, end: SpanEnd, { now, calendar }: Moment): number | undefined {
  if (word === 'now') return now
  const step = word === 'today' ? 'day' : word === 'month' ? 'month' : undefined
  if (step === undefined) return undefined
  return end === 'from' ? startOfStep(calendar, now, { step }) : endOfStep(calendar, now, step)
}

function ofAgo(word: string, { now, calendar }: Moment): number | undefined {
  const [, count, unit] = ago.exec(word) ?? []
  if (count === undefined) return undefined
  const back = Number(count) * (unit === 'w' ? 7 : 1) - 1
  return back < 0 ? undefined : startOfStep(calendar, now, { step: unit === 'h' ? 'hour' : 'day', back })
}

function ofDate(text: string, end: SpanEnd, calendar: Calendar): number | undefined {
  const [, year, month, date] = day.exec(text) ?? []
  if (year !== undefined) {
    const utc = Date.UTC(Number(year), Number(month) - 1, Number(date))
    if (new Date(utc).toISOString().slice(0, 10) !== text) return undefined
    const start = calendar.firstSlotOf(utc / dayMs) * slotMs
    return end === 'from' ? start : endOfStep(calendar, start, 'day')
  }
  const ms = moment.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
