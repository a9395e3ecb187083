import type { Formats, Formatted } from '../../format'

/** The end of a plan, and whether the platform says that it is over. */
export interface EndOfPlan {
  readonly expiresAt: string
  readonly isExpired: boolean
}

/**
 * When a plan ends or ended, in words. The platform's clock may run ahead of this computer's: what it calls expired is never said to end in
 * the future, its day is told instead.
 */
export function endWords({ expiresAt, isExpired }: EndOfPlan, formats: Formats, now: Date): Formatted {
  const words = formats.relative(expiresAt, now)
  return isExpired && Date.parse(expiresAt) > now.getTime() ? { ...words, short: formats.date(expiresAt) } : words
}
