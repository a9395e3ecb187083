const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How long the old key may stay at most, in ms (contract). */
const longestGraceMs = 30 * dayMs

/** The periods that can be chosen with one press, in ms. */
export const gracePeriods = [0, hourMs, dayMs, 7 * dayMs] as const

/** What a period of one's own is counted in, and how long one of them is, in ms. */
export const graceUnits = { hour: hourMs, day: dayMs } as const
export type GraceUnit = keyof typeof graceUnits

/** A period as it is chosen: one of those offered (in ms), or typed. */
export interface Grace {
  readonly chosen: number | 'custom'
  readonly amount: string
  readonly unit: GraceUnit
}

/** A day: long enough to notice what was forgotten. */
export const firstGrace: Grace = { chosen: dayMs, amount: '3', unit: 'day' }

/** The period in ms; nothing when what was typed is no whole number, or more than 30 days. */
export function graceMsOf({ chosen, amount, unit }: Grace): number | undefined {
  if (chosen !== 'custom') return chosen
  if (!/^\d{1,3}$/.test(amount.trim())) return undefined
  const ms = Number(amount) * graceUnits[unit]
  return ms <= longestGraceMs ? ms : undefined
}

/** A period in the unit that a person would say it in. */
export function inUnits(ms: number): { readonly unit: GraceUnit; readonly count: number } {
  const isWhole = ms % dayMs === 0
  return isWhole ? { unit: 'day', count: ms / dayMs } : { unit: 'hour', count: Math.round(ms / hourMs) }
}
