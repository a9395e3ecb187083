import { dayMs, hourMs } from '@shared/durations'

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
  const ms = Number(hours) * hourMs + Number(minutes) * 60_000
  return sign === '-' ? -ms : ms
}
