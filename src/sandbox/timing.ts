/** Durations on the sandbox's clock, except `paceMs`. */
export interface Timing {
  /** Delay between pieces of a streamed answer, in real time. */
  readonly paceMs: number
  /** Time from payment to an active gateway with visible keys (spec, "States", Plan). */
  readonly provisioningMs: number
  /** Duration of creating and deleting platform API keys, and of starting runtimes and memories. */
  readonly asyncMs: number
  readonly tokenLifetimeS: number
}

export const defaultTiming: Timing = { paceMs: 12, provisioningMs: 4_000, asyncMs: 3_000, tokenLifetimeS: 600 }

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
