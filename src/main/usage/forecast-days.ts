import { isRestDay } from './forecast-growth'
import type { RhythmDay } from './rhythm'

/** A day counts half as much as one that is so many days younger. */
const halfLifeDays = 20
/** A day of the same kind (work or rest), against one of the same weekday. */
const sameKind = 0.5
/** How often a day is followed by the one that followed it: days of much and of little come in rows. */
const goesOn = 0.6
/** So many days in a row count alike. */
const block = 4

/** Gives the place of a day of the rhythm that stands for one of a weekday; undefined: a day without any use. */
export type DayDrawer = (weekday: number) => number | undefined

/**
 * Draws days for one way in which things may go: of the same weekday first, then of the same kind, recent ones more often. How much each
 * day counts is drawn anew each time, because a few days do not tell everything.
 */
export function dayDrawer(days: readonly RhythmDay[], random: () => number): DayDrawer {
  const kinds = [new Pool(), new Pool()]
  const all = new Pool()
  let count = 0
  for (const [at, { age, weekday }] of days.entries()) {
    if (at % block === 0) count = -Math.log(1 - random())
    const weight = count * 0.5 ** (age / halfLifeDays)
    kinds[kindOf(weekday)]?.add(at, weight)
    all.add(at, weight)
  }
  // A kind of day that was not seen yet may be like the others, or without any use.
  const isUnseenIdle = random() < 0.5
  let last: number | undefined
  return (weekday) => {
    const following = last === undefined ? undefined : days[last - 1]
    if (last !== undefined && following && kindOf(following.weekday) === kindOf(weekday) && random() < goesOn) {
      last -= 1
      return last
    }
    const pool = kinds[kindOf(weekday)]
    const isSeen = pool !== undefined && pool.size > 0
    if (!isSeen && isUnseenIdle) return undefined
    const from = isSeen ? pool : all
    do last = from.draw(random)
    while (days[last]?.weekday !== weekday && random() >= sameKind)
    return last
  }
}

const kindOf = (weekday: number): 0 | 1 => (isRestDay(weekday) ? 1 : 0)

/** Places with weights, to draw from. */
class Pool {
  readonly #places: number[] = []
  readonly #sums: number[] = []
  #sum = 0

  get size(): number {
    return this.#places.length
  }

  add(place: number, weight: number): void {
    this.#sum += weight
    this.#places.push(place)
    this.#sums.push(this.#sum)
  }

  draw(random: () => number): number {
    const value = random() * this.#sum
    let at = 0
    while (at < this.#sums.length - 1 && (this.#sums[at] ?? 0) <= value) at += 1
    return this.#places[at] ?? 0
  }
}
