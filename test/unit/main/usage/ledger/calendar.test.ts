import { expect, test } from 'vitest'
import { Calendar, getPreviousSpan } from '../../../../../src/main/usage/ledger/calendar'

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)

test.each([
  ['a day of a zone ahead', 'Asia/Ho_Chi_Minh', 'day', '2025-03-01T20:00', 28, ['01T17:00', '02T17:00']],
  ['hours of a zone half an hour off', 'Asia/Kolkata', 'hour', '2025-03-01T20:10', 1, ['01T19:30', '01T20:30']],
  ['hours of a zone a quarter off', 'Asia/Kathmandu', 'hour', '2025-03-01T20:10', 1, ['01T19:15', '01T20:15']],
  ['the hour left out in spring', 'Europe/Berlin', 'hour', '2025-03-30T00:30', 1, ['30T00:00', '30T01:00']],
  ['the hour that comes twice', 'Europe/Berlin', 'hour', '2025-10-26T00:00', 2, ['26T00:00', '26T01:00']],
  [
    'half an hour that comes twice',
    'Australia/Lord_Howe',
    'hour',
    '2025-04-05T14:30',
    2.5,
    ['05T14:00', '05T15:00', '05T15:30', '05T16:30'],
  ],
  ['days of 23 and of 24 hours', 'America/New_York', 'day', '2025-03-09T05:00', 43, ['09T05:00', '10T04:00']],
  ['a day of 25 hours', 'America/New_York', 'day', '2025-11-02T12:00', 36, ['02T04:00', '03T05:00']],
  ['a day without its midnight', 'America/Santiago', 'day', '2025-09-06T12:00', 36, ['06T04:00', '07T04:00']],
  ['a day left out', 'Pacific/Apia', 'day', '2011-12-29T12:00', 48, ['29T10:00', '30T10:00', '31T10:00']],
  ['weeks from Monday', 'Asia/Ho_Chi_Minh', 'week', '2025-03-05T00:00', 168, ['02T17:00', '09T17:00']],
  [
    'months over a year',
    'Asia/Ho_Chi_Minh',
    'month',
    '2024-12-15T00:00',
    1824,
    ['30T17:00', '31T17:00', '31T17:00', '28T17:00'],
  ],
] as const)('starts %s at local time', (_, zone, step, from, hours, expected) => {
  const fromMs = Date.parse(`${from}Z`)
  const starts = new Calendar(zone).starts(step, fromMs, fromMs + hours * 3_600_000)
  expect(starts.map((start) => iso(start).slice(8))).toEqual(expected)
})

test.each([
  ['days', '2025-03-08T05:00Z', '2025-03-11T04:00Z', '2025-03-05T05:00'],
  ['months', '2025-03-01T05:00Z', '2025-06-01T04:00Z', '2024-12-01T05:00'],
  ['a century', '2000-01-01T05:00Z', '2099-12-31T05:00Z', '1900-01-01T05:00'],
  ['hours', '2025-03-01T06:00Z', '2025-03-01T08:30Z', '2025-03-01T03:30'],
])('compares %s with as many before them', (_, from, to, expected) => {
  const span = { from: Date.parse(from), to: Date.parse(to) }
  const previousSpan = getPreviousSpan(new Calendar('America/New_York'), span)
  expect([iso(previousSpan.from), previousSpan.to]).toEqual([expected, span.from])
})

test.each([['Asia/Kathmandu'], ['America/New_York'], ['Australia/Lord_Howe'], ['Pacific/Apia']])(
  'assigns each quarter of an hour of %s to the day in which it starts',
  (zone) => {
    const calendar = new Calendar(zone)
    const startSlot = Math.floor(Date.parse('2011-12-20T00:00Z') / 900_000)
    for (let slot = startSlot; slot < startSlot + 96 * 400; slot += 3) {
      const day = calendar.toDay(slot)
      const [dayStart, nextDayStart] = [calendar.firstSlot(day), calendar.firstSlot(day + 1)]
      if (!(dayStart <= slot && slot < nextDayStart))
        expect.fail(`slot ${slot} of day ${day} is not in [${dayStart}, ${nextDayStart})`)
    }
  },
)
