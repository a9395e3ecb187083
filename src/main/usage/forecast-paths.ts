import { dayDrawer } from './forecast-days'
import { growthOf } from './forecast-growth'
import { seededRandom } from './forecast-random'
import { dayOf, type Rhythm, shareBefore, timeOfShare, weekdayOf } from './rhythm'
import type { LocalClock } from './rhythm-hours'

/** From now to the end of a cycle. */
export interface Ahead {
  readonly now: number
  readonly to: number
  /** What may still be used. */
  readonly left: number
  readonly clock: LocalClock
}

/** One way in which the rest of a cycle may go. */
export interface Path {
  /** What is used until the end, were there enough. */
  readonly amount: number
  /** When nothing is left, in ms since 1970; infinite when something is to the end. */
  readonly runsOutAt: number
}

const dayMs = 86_400_000
const mostPaths = 200
const leastPaths = 80
/** Days that are drawn at most, but for the least paths: a cycle of a year takes its time otherwise. */
const mostDraws = 6000
/** Growth ends at some time: it is followed so many days ahead. */
const growthDays = 14
/** Nobody's use grows faster for long: 5 percent a day is fourfold in a month. */
const mostGrowth = 0.05

/** Many ways the rest of a cycle may go: days drawn from those of the rhythm, alike in weekday and recent ones more often. Always the same for the same. */
export function pathsAhead(rhythm: Rhythm, ahead: Ahead): readonly Path[] {
  const random = seededRandom(20_260_301)
  const growth = growthOf(rhythm.days)
  const legs = legsOf(rhythm, ahead)
  const count = Math.max(leastPaths, Math.min(mostPaths, Math.floor(mostDraws / legs.length)))
  return Array.from({ length: count }, () => {
    const draw = dayDrawer(rhythm.days, random)
    const drawn = growth.perDay + growth.uncertainty * normal(random)
    const perDay = Math.min(mostGrowth, Math.max(-mostGrowth, drawn))
    const dayAmount = (weekday: number, daysAhead: number): number => {
      const at = draw(weekday)
      const day = at === undefined ? undefined : rhythm.days[at]
      return day ? day.amount * Math.exp(perDay * (day.age + Math.min(daysAhead, growthDays))) : 0
    }
    return walk(legs, ahead, { rhythm, dayAmount })
  })
}

/** A day ahead, or the part of one between two shares of its use. */
interface Leg {
  readonly day: number
  readonly daysAhead: number
  readonly fromShare: number
  readonly toShare: number
}

function legsOf({ shareByHour }: Rhythm, { now, to, clock }: Ahead): readonly Leg[] {
  const [start, end] = [clock.toLocal(now), clock.toLocal(to)]
  const [first, last] = [dayOf(start), dayOf(end)]
  return Array.from({ length: last - first + 1 }, (_, daysAhead) => {
    const day = first + daysAhead
    const fromShare = daysAhead === 0 ? shareBefore(shareByHour, start - day * dayMs) : 0
    return { day, daysAhead, fromShare, toShare: day === last ? shareBefore(shareByHour, end - day * dayMs) : 1 }
  })
}

interface Steps {
  readonly rhythm: Rhythm
  readonly dayAmount: (weekday: number, daysAhead: number) => number
}

function walk(legs: readonly Leg[], { now, to, left, clock }: Ahead, { rhythm, dayAmount }: Steps): Path {
  let amount = 0
  let runsOutAt = Number.POSITIVE_INFINITY
  for (const { day, daysAhead, fromShare, toShare } of legs) {
    const whole = dayAmount(weekdayOf(day), daysAhead)
    const next = amount + whole * (toShare - fromShare)
    if (amount < left && next >= left) {
      const time = timeOfShare(rhythm.shareByHour, fromShare + (left - amount) / whole)
      runsOutAt = Math.min(to, Math.max(now, clock.fromLocal(day * dayMs + time)))
    }
    amount = next
  }
  return { amount, runsOutAt }
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
