import type { Handover } from '@shared/contract'
import { hourMs, minuteMs } from '@shared/durations'
import type { RotationRecord } from '../settings/records'
import { isEnded, nextStep } from './journal'
import type { RotationPorts } from './ports'

/** What is followed. */
interface Followed {
  readonly records: () => readonly RotationRecord[]
  /** Carries out what is due. Never rejects. */
  readonly run: (record: RotationRecord) => Promise<void>
}

type FollowPorts = Pick<RotationPorts, 'clock' | 'sleep' | 'log' | 'handoverOf'>
type DuePorts = Pick<RotationPorts, 'clock' | 'handoverOf'>

/** Waits for the ends of grace periods, and until holders have their new keys; looks at least every hour, since the machine may sleep and others may write. */
export class RotationScheduler {
  readonly #ports: FollowPorts
  readonly #followed: Followed
  readonly #ending = new AbortController()
  #pause = new AbortController()
  #isFollowing = false

  constructor(ports: FollowPorts, followed: Followed) {
    this.#ports = ports
    this.#followed = followed
  }

  /** Looks now, and follows from now on. */
  look(): void {
    this.wake()
    if (this.#isFollowing) return
    this.#isFollowing = true
    void this.#pursue().catch((error: unknown) => this.#ports.log.error('rotation.follow', error))
  }

  /** Looks now, if it follows. */
  wake(): void {
    this.#pause.abort()
  }

  end(): void {
    this.#ending.abort()
    this.#pause.abort()
  }

  async #pursue(): Promise<void> {
    const { sleep } = this.#ports
    while (!this.#ending.signal.aborted) {
      this.#pause = new AbortController()
      for (const record of this.#followed.records()) {
        if (isDue(record, this.#ports) && !this.#ending.signal.aborted) await this.#followed.run(record)
      }
      const ms = nextDueMs(this.#followed.records(), this.#ports)
      if (!this.#ending.signal.aborted) await sleep(ms, this.#pause.signal).catch(() => undefined)
    }
  }
}

/** When the old key is to be disabled or deleted without anybody asking, in ms since 1970; undefined: not at all, or not yet known. */
function dueMs(record: RotationRecord, ports: DuePorts): number | undefined {
  const { deleteAt, disableBy, direction, state, steps } = record
  const next = nextStep(record)?.id
  if (state === 'waiting' && next === 'disable') {
    if (!waitsForHolders(record, ports)) return ports.clock().getTime()
    return disableBy === undefined ? undefined : Date.parse(disableBy)
  }
  const isAtEnd = direction === 'forward' && (next === 'grace' || next === 'delete')
  if (deleteAt === undefined || !isAtEnd || isEnded(record) || state === 'stopped') return undefined
  const { at: failedAt, failure } = (state === 'failed' && steps.find(({ id }) => id === next)) || {}
  const wasLost = failure?.code.startsWith('net.') || failure?.code === 'account.unknownOutcome'
  // A deletion that failed is left alone for an hour; not so long where nobody was reached, as at the start of a machine.
  const restMs = wasLost ? minuteMs : hourMs
  return failedAt === undefined ? Date.parse(deleteAt) : Date.parse(failedAt) + restMs
}

/** True when a rotation that waits can go on; a deletion that failed is tried again later. */
export function isDue(record: RotationRecord, ports: DuePorts): boolean {
  return (dueMs(record, ports) ?? Number.POSITIVE_INFINITY) <= ports.clock().getTime()
}

/** How long until the next of them is due, at most an hour, in ms. */
function nextDueMs(records: readonly RotationRecord[], ports: DuePorts): number {
  const nowMs = ports.clock().getTime()
  const waits = records.flatMap((record) => dueMs(record, ports) ?? []).map((ms) => ms - nowMs)
  return Math.max(0, Math.min(hourMs, ...waits.filter((ms) => ms > 0)))
}

/** Those who hold the old key of a rotation, and how far they have the new one. */
export const findHandover = (
  { planId, oldKey, newKey }: RotationRecord,
  ports: Pick<RotationPorts, 'handoverOf'>,
): readonly Handover[] => ports.handoverOf({ planId, oldKeyId: oldKey.id, newKeyId: newKey.id })

/** Whether the old key still has to work: somebody holds it who has not confirmed the new one, and the last day is not over. */
export function waitsForHolders(record: RotationRecord, ports: Pick<RotationPorts, 'handoverOf' | 'clock'>): boolean {
  const { disableBy } = record
  if (disableBy !== undefined && Date.parse(disableBy) <= ports.clock().getTime()) return false
  return findHandover(record, ports).some(({ state }) => state !== 'confirmed')
}
