import { realpathSync } from 'node:fs'
import { hourMs, minuteMs, relativeParts } from '@shared/durations'

const dayFormat = { year: 'numeric', month: '2-digit', day: '2-digit' } as const

/** A local day: `2026-12-31`. */
export const formatDay = (iso: string): string => new Intl.DateTimeFormat('sv', dayFormat).format(new Date(iso))

/** A local time in seconds: `2026-12-31 23:59:59 GMT+7`. */
export function formatExactTime(iso: string): string {
  const localTime = new Date(iso)
  const time = new Intl.DateTimeFormat('sv', { timeStyle: 'medium' }).format(localTime)
  const zoneName = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(localTime)
  return `${formatDay(iso)} ${time} ${zoneName.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`
}

/** Relative time: `in 5 days`, `2 hours ago`. */
export const relativeWords = (iso: string, currentTime: Date): string =>
  new Intl.RelativeTimeFormat('en').format(...relativeParts(currentTime, new Date(iso)))

/**
 * This computer's time zone: an IANA name, or a fixed offset such as `+07:00` if there is none (`TZ=ICT-7`). The zone
 * agrees with `Date`. `Calendar` and all functions of this file accept it.
 */
export function timeZone(): string {
  const { timeZone: name } = Intl.DateTimeFormat().resolvedOptions()
  if (isTimeZone(name)) return name
  const offsetMs = -new Date().getTimezoneOffset() * minuteMs
  const system = systemZone()
  if (system !== undefined && zoneOffset(system)(Date.now()) === offsetMs) return system
  return offsetMs === 0 ? 'UTC' : formatOffset(offsetMs)
}

/** Intl returns `Etc/Unknown` or nothing for an unnamed zone. */
export function isTimeZone(name: string | undefined): name is string {
  if (name === undefined || name === '') return false
  try {
    zoneOffset(name)
    return true
  } catch {
    return false
  }
}

/** Zone of `TZ=:/etc/localtime`, or else of the system. */
function systemZone(): string | undefined {
  const configuredZone = process.env.TZ?.replace(/^:/, '')
  try {
    const path = realpathSync(configuredZone?.startsWith('/') ? configuredZone : '/etc/localtime')
    const name = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(path)?.[1]
    return isTimeZone(name) ? name : undefined
  } catch {
    return undefined
  }
}

/** UTC offset of a zone by time, in ms. Fails with a RangeError for an unknown zone. */
export function zoneOffset(zone: string): (ms: number) => number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? []
  if (sign !== undefined) {
    const zoneOffsetMs = Number(hours) * hourMs + Number(minutes) * minuteMs
    return () => (sign === '-' ? -zoneOffsetMs : zoneOffsetMs)
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (ms) => {
    const [month = 1, day = 1, year = 1970, ...time] = (format.format(ms).match(/\d+/g) ?? []).map(Number)
    const [hour = 0, minute = 0, second = 0] = time
    return Date.UTC(year, month - 1, day, hour, minute, second) - ms + (((ms % 1000) + 1000) % 1000)
  }
}

const formatOffset = (offsetMs: number): string => {
  const toTwoDigits = (amount: number): string => String(Math.floor(amount)).padStart(2, '0')
  const absoluteOffsetMs = Math.abs(offsetMs)
  return `${offsetMs < 0 ? '-' : '+'}${toTwoDigits(absoluteOffsetMs / hourMs)}:${toTwoDigits((absoluteOffsetMs % hourMs) / minuteMs)}`
}

/** Formats times as ISO 8601 with a zone's offset: `2026-12-31T23:59:59.000+07:00`. */
export function createIsoFormat(zone: string): (ms: number) => string {
  const getZoneOffset = zoneOffset(zone)
  return (ms) => {
    const offsetMs = getZoneOffset(ms)
    return `${new Date(ms + offsetMs).toISOString().slice(0, -1)}${formatOffset(offsetMs)}`
  }
}
