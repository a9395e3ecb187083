import { expect, it } from 'vitest'
import { forecast } from '../../../../src/main/usage/forecast'
import { Calendar } from '../../../../src/main/usage/ledger/calendar'
import { buildHistory, dayMs, type HourCount, historyKinds, hourMs, type KindName, seededRandom } from './histories'

const calendar = new Calendar('Asia/Ho_Chi_Minh')
const offsetMs = 7 * hourMs
/** `FORECAST_TABLE=400` prints the measurements for this many histories of each kind, as in docs/usage.md. */
const seeds = Number(process.env.FORECAST_TABLE ?? 120)

const sumEntries = (hours: readonly HourCount[]): number => hours.reduce((sum, { amount }) => sum + amount, 0)

/** One history with a held-out future. Compares the forecast at a random time of a 30-day cycle with the outcome. */
function runForecastTrial(name: KindName, seed: number) {
  const random = seededRandom(seed * 7919 + 1)
  const startMs = Date.parse('2026-03-01T00:00:00Z') - offsetMs + Math.floor(random() * 7) * dayMs
  const hours = buildHistory(historyKinds[name], seed, { from: startMs, days: 60, offsetMs })
  const nowMs = startMs + 30 * dayMs + Math.floor(random() * 24) * hourMs
  const cycleStartMs = nowMs - Math.floor((5 + random() * 17) * dayMs)
  const cycle = { from: cycleStartMs, to: cycleStartMs + 30 * dayMs }
  const pastHours = hours.filter(({ start }) => start < nowMs)
  const futureHours = hours.filter(({ start }) => start >= nowMs && start < cycle.to)
  const usedAmount = sumEntries(pastHours.filter(({ start }) => start >= cycle.from))
  const quota = Math.max(usedAmount + 1, Math.round(usedAmount + sumEntries(futureHours) * (0.4 + 1.2 * random())))
  const forecastResult = forecast({ hours: pastHours, used: usedAmount, quota, cycle, nowMs, calendar })
  let sum = usedAmount
  const exhaustedHour = futureHours.find(({ amount }) => {
    sum += amount
    return sum >= quota
  })
  return {
    said: forecastResult,
    outAt: exhaustedHour && exhaustedHour.start + hourMs / 2,
    end: (usedAmount + sumEntries(futureHours)) / quota,
    cycle,
  }
}

function isOutcomeCovered({
  said,
  outAt = Number.POSITIVE_INFINITY,
  end,
}: ReturnType<typeof runForecastTrial>): boolean {
  if (said.kind === 'lasts') return end >= said.low && end <= said.high
  if (said.kind !== 'runsOut') return false
  const latestMs = said.latest ? Date.parse(said.latest) : Number.POSITIVE_INFINITY
  return outAt >= Date.parse(said.earliest) - hourMs && outAt <= latestMs + hourMs
}

function measure(name: KindName) {
  const trials = Array.from({ length: seeds }, (_, seed) => runForecastTrial(name, seed))
  const errors = trials
    .flatMap(({ said, outAt }) => {
      return said.kind === 'runsOut' && outAt ? [Math.abs(Date.parse(said.at) - outAt) / dayMs] : []
    })
    .sort((a, b) => a - b)
  const earlyEndTrials = trials.filter(({ outAt, cycle }) => outAt && outAt < cycle.to - 2 * dayMs)
  const trialsThatLast = trials.filter(({ outAt }) => outAt === undefined)
  const getAlarmRate = (some: typeof trials) => some.filter(({ said }) => said.kind === 'runsOut').length / some.length
  return {
    told: trials.filter(({ said }) => said.kind !== 'notEnough').length / seeds,
    coverage: trials.filter(isOutcomeCovered).length / seeds,
    medianDays: errors[Math.floor(errors.length / 2)] ?? Number.NaN,
    ninthDays: errors[Math.floor(errors.length * 0.9)] ?? Number.NaN,
    foreseen: getAlarmRate(earlyEndTrials),
    falseAlarms: getAlarmRate(trialsThatLast),
  }
}

// Limits that are looser than the table in docs/usage.md, so that a slightly changed constant does not fail the test.
it.each<{ name: KindName; median: number; foreseen: number; falseAlarms: number }>([
  { name: 'flat', median: 1.3, foreseen: 0.85, falseAlarms: 0.2 },
  { name: 'weekday', median: 1.4, foreseen: 0.8, falseAlarms: 0.25 },
  { name: 'bursty', median: 7, foreseen: 0.5, falseAlarms: 0.4 },
  { name: 'growing', median: 1.6, foreseen: 0.75, falseAlarms: 0.15 },
  { name: 'idle, then start', median: 1.5, foreseen: 0.85, falseAlarms: 0.2 },
])('predicts the held-out future of histories that are $name', ({ name, median, foreseen, falseAlarms }) => {
  const measurements = measure(name)
  if (process.env.FORECAST_TABLE) console.info(name, JSON.stringify(measurements))
  expect(measurements.told).toBe(1)
  expect(measurements.coverage).toBeGreaterThanOrEqual(0.73)
  expect(measurements.medianDays).toBeLessThan(median)
  expect(measurements.foreseen).toBeGreaterThan(foreseen)
  expect(measurements.falseAlarms).toBeLessThan(falseAlarms)
})
