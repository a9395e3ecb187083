/** Durations on the sandbox's clock, except `paceMs`. */
export interface Timing {
  /** Between the pieces of a streamed answer, in real time. */
  readonly paceMs: number
  /** From payment to a gateway and keys that are shown in full (spec, "States", Plan). */
  readonly provisioningMs: number
  /** For the creation and the deletion of platform API keys, and for runtimes and memories to be ready. */
  readonly asyncMs: number
  /** The life of an IAM token. */
  readonly tokenLifetimeS: number
}

export const usualTiming: Timing = { paceMs: 12, provisioningMs: 4_000, asyncMs: 3_000, tokenLifetimeS: 600 }

/** Durations in milliseconds. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
