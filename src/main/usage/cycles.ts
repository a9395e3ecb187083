import type { UsageCycle } from '@shared/contract/usage'

/** What is known of a plan's time; days in 24 hours, moments in ISO 8601. */
export interface CycleFacts {
  readonly expiresAt?: string | undefined
  /** Absent: not known; a plan is usually 30 days long (spec, "What the service does"). */
  readonly cycleDays?: number | undefined
  /** Nothing of it was used before; `isExact`: its first cycle began then. */
  readonly begunAt: string
  readonly isExact: boolean
}

const dayMs = 86_400_000
const minuteMs = 60_000
const usualDays = 30
const mostCycles = 24

/** The cycles of a plan, the newest first, worked back from its end; none when that is not known. */
export function cyclesOf(
  { expiresAt, cycleDays = usualDays, begunAt, isExact }: CycleFacts,
  now: number,
): UsageCycle[] {
  if (expiresAt === undefined || cycleDays === 0) return []
  const [end, begun, length] = [Date.parse(expiresAt), Date.parse(begunAt), cycleDays * dayMs]
  const remainder = (end - begun) % length
  const fits = isExact && Math.min(remainder, length - remainder) < minuteMs
  const cycles: UsageCycle[] = []
  for (let to = end; to > begun + minuteMs && cycles.length < mostCycles; to -= length) {
    const from = to - length
    cycles.push({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      isCurrent: from <= now && now < to,
      isEstimated: !fits,
    })
  }
  return cycles
}
