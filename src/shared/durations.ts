/** Durations in milliseconds. A day is 24 hours: where a day of a calendar is meant, ask the calendar. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
