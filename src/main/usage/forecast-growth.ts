import type { RhythmDay } from './rhythm'

/** How fast use grows or shrinks, in logarithm per day, and how uncertain that is (a standard deviation). */
export interface Growth {
  readonly perDay: number
  readonly uncertainty: number
}

const week = 7
/** What growth is usual, before anything is known: 2.5 percent a day up or down. */
const usual = 0.025
/** Days of much and of little come in rows, so that they even out less than chance would have it. */
const rows = 1.4

/** The last week against the weeks before it, as far as the ups and downs of single days do not explain the change. */
export function growthOf(days: readonly RhythmDay[]): Growth {
  const recent = days.slice(0, week)
  const older = days.slice(week, week * Math.floor(days.length / week))
  const [now, before] = [meanOf(recent), meanOf(older)]
  if (older.length === 0 || !(now > 0) || !(before > 0)) return { perDay: 0, uncertainty: usual }
  const apartDays = (recent.length + older.length) / 2
  const seen = Math.log(now / before) / apartDays
  const squares = squaresIn(recent) + squaresIn(older)
  const spread = Math.sqrt(squares / (recent.length + older.length)) / meanOf([...recent, ...older])
  const noise = (rows * spread * Math.sqrt(1 / recent.length + 1 / older.length)) / apartDays
  const trust = usual ** 2 / (usual ** 2 + noise ** 2)
  return { perDay: seen * trust, uncertainty: Math.sqrt(trust) * noise }
}

const meanOf = (days: readonly RhythmDay[]): number =>
  days.length === 0 ? 0 : days.reduce((sum, { amount }) => sum + amount, 0) / days.length

/** How far days are from the mean of their kind, squared and added up. */
function squaresIn(days: readonly RhythmDay[]): number {
  return [true, false].reduce((sum, isRest) => {
    const alike = days.filter((day) => isRestDay(day.weekday) === isRest)
    const own = meanOf(alike)
    return sum + alike.reduce((squares, { amount }) => squares + (amount - own) ** 2, 0)
  }, 0)
}

/** Saturday and Sunday. */
export const isRestDay = (weekday: number): boolean => weekday === 0 || weekday === 6
