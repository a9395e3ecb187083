/** Milliseconds. */
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** ISO 8601 UTC. */
export const at = (ms: number): string => new Date(ms).toISOString()

/** The beginning of the hour: the seeded past ends there, so that what happens from now on is not mixed into it. */
export const hourOf = (ms: number): number => Math.floor(ms / hourMs) * hourMs
