import { dayMs, hourMs, minuteMs } from '@shared/durations'

/** The clock of a time zone, as days and hours count there. */
export interface LocalClock {
  /** A moment as the clocks on the wall show it, in ms since 1970 there. */
  toLocal(ms: number): number
  /** The moment at which the clocks show a time; of two, the one by the offset half a day before. */
  fromLocal(localMs: number): number
}

/** Asking for a zone's offset is slow, so it is asked for twice a day of the time looked at, and hour by hour only when it changes between. */
export function localClock(zone: string): LocalClock {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const asked = new Map<number, number>()
  const ask = (ms: number): number => {
    const known = asked.get(ms)
    if (known !== undefined) return known
    const offset = offsetIn(format.format(ms))
    asked.set(ms, offset)
    return offset
  }
  const offsetAt = (ms: number): number => {
    const start = Math.floor(ms / dayMs) * dayMs
    const offset = ask(start)
    return offset === ask(start + dayMs) ? offset : ask(Math.floor(ms / hourMs) * hourMs)
  }
  return {
    toLocal: (ms) => ms + offsetAt(ms),
    fromLocal: (localMs) => localMs - offsetAt(localMs - offsetAt(localMs - dayMs / 2)),
  }
}

/** Of a text such as `3/1/2026, GMT+07:00`, in ms; plain `GMT` is none. */
function offsetIn(text: string): number {
  const [, sign, hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text) ?? []
  const ms = Number(hours) * hourMs + Number(minutes) * minuteMs
  return sign === '-' ? -ms : ms
}

/** A cycle of a plan, `[from, to)` in ms since 1970. */
export interface Cycle {
  readonly from: number
  readonly to: number
}

/**
 * The cycle that a moment lies in, worked back from the end of the last cycle that is paid for: a renewal moves that before the current
 * cycle ends. Undefined once everything has ended.
 */
export function cycleAt(endsAt: number, cycleDays: number, now: number): Cycle | undefined {
  const lengthMs = cycleDays * dayMs
  if (!(lengthMs > 0) || !(now < endsAt)) return undefined
  const wholeAhead = Math.ceil((endsAt - now) / lengthMs) - 1
  const to = endsAt - wholeAhead * lengthMs
  return { from: to - lengthMs, to }
}

/** The fraction of an allowance, 0 to 1, that an even spend over the cycle would have used by now. */
export function evenPace({ from, to }: Cycle, now: number): number {
  return Math.min(1, Math.max(0, (now - from) / (to - from)))
}
