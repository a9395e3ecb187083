/** Durations in milliseconds. Use calendar functions for calendar days, which may differ from 24 hours. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Default grace period of a rotation in ms, to notice forgotten uses. */
export const defaultGraceMs = dayMs

/** Default overlap of a rotation in ms when a tool keeps its key in memory. */
export const memoryOverlapMs = hourMs
