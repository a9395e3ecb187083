export interface HourCount {
  readonly start: number
  readonly amount: number
}

/** Deterministic random numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixedState = Math.imul(state ^ (state >>> 15), state | 1)
    mixedState ^= mixedState + Math.imul(mixedState ^ (mixedState >>> 7), mixedState | 61)
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 4_294_967_296
  }
}
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** A simulated user with the mean usage of a day. `day` 0 is the first of the history. */
interface Kind {
  /** Expected usage of a day. `person.began` is the day of the first use. */
  readonly dayAmount: (day: number, weekday: number, person: Person) => number
  /** Standard deviation of the daily usage, on a logarithmic scale. */
  readonly spread: number
}

interface Person {
  readonly began: number
  readonly growth: number
  readonly isBurst: (day: number) => boolean
}

const isWeekend = (weekday: number): boolean => weekday === 0 || weekday === 6

export type KindName = 'flat' | 'weekday' | 'bursty' | 'growing' | 'idle, then start'

export const historyKinds: Readonly<Record<KindName, Kind>> = {
  flat: { dayAmount: () => 1, spread: 0.25 },
  weekday: { dayAmount: (_, weekday) => (isWeekend(weekday) ? 0 : 1), spread: 0.35 },
  bursty: { dayAmount: (day, _, { isBurst }) => (isBurst(day) ? 6 : 0.3), spread: 0.6 },
  growing: {
    dayAmount: (day, weekday, { growth }) => Math.exp(growth * day) * (isWeekend(weekday) ? 0.4 : 1),
    spread: 0.3,
  },
  'idle, then start': {
    dayAmount: (day, weekday, { began }) => (day < began ? 0 : isWeekend(weekday) ? 0.5 : 1),
    spread: 0.4,
  },
}

/** Hourly usage for this many days from a start time. */
export function buildHistory(
  kind: Kind,
  seed: number,
  { from, days, offsetMs }: { from: number; days: number; offsetMs: number },
) {
  const random = seededRandom(seed)
  const randomNormal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const burstDays = Array.from({ length: days + 3 }, () => random() < 0.12)
  const person: Person = {
    began: 14 + Math.floor(random() * 10),
    growth: 0.01 + 0.025 * random(),
    isBurst: (day) => burstDays.slice(day, day + 2).some(Boolean),
  }
  const [opens, closes] = [7 + Math.floor(random() * 3), 16 + Math.floor(random() * 6)]
  const level = 200_000 * Math.exp(randomNormal())
  const hours: HourCount[] = []
  for (let day = 0; day < days; day += 1) {
    const start = from + day * dayMs
    const weekday = new Date(start + offsetMs).getUTCDay()
    const amount = level * kind.dayAmount(day, weekday, person) * Math.exp(kind.spread * randomNormal())
    const hourWeights = Array.from({ length: 24 }, (_, hour) => (hour >= opens && hour < closes ? 0.2 + random() : 0))
    const sum = hourWeights.reduce((total, weight) => total + weight, 0)
    for (const [hour, weight] of hourWeights.entries()) {
      const roundedAmount = Math.round((amount * weight) / sum)
      if (roundedAmount > 0) hours.push({ start: start + hour * hourMs, amount: roundedAmount })
    }
  }
  return hours
}
