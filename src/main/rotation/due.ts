import type { RotationRecord } from '../settings/rotation-record'
import { isEnded, nextStep } from './journal'

/** How long a deletion that failed is left alone, in ms; not so long where nobody was reached, as at the start of a machine. */
const hourMs = 3_600_000
const minuteMs = 60_000

/** When the old key is to be deleted without anybody asking, in ms since 1970; undefined: not at all, or not yet known. */
function dueMs(record: RotationRecord): number | undefined {
  const { deleteAt, direction, state, steps } = record
  const next = nextStep(record)?.id
  const isAtEnd = direction === 'forward' && (next === 'grace' || next === 'delete')
  if (deleteAt === undefined || !isAtEnd || isEnded(record) || state === 'stopped') return undefined
  const { at: failedAt, failure } = (state === 'failed' && steps.find(({ id }) => id === next)) || {}
  const wasLost = failure?.code.startsWith('net.') || failure?.code === 'account.unknownOutcome'
  const restMs = wasLost ? minuteMs : hourMs
  return failedAt === undefined ? Date.parse(deleteAt) : Date.parse(failedAt) + restMs
}

/** True when the grace period of a rotation is over; a deletion that failed is tried again later. */
export function isDue(record: RotationRecord, now: Date): boolean {
  return (dueMs(record) ?? Number.POSITIVE_INFINITY) <= now.getTime()
}

/** How long until the next of them is due, at most an hour, in ms. */
export function nextDueMs(records: readonly RotationRecord[], now: Date): number {
  const waits = records.flatMap((record) => dueMs(record) ?? []).map((ms) => ms - now.getTime())
  return Math.max(0, Math.min(hourMs, ...waits.filter((ms) => ms > 0)))
}
