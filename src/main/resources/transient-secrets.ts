import { randomUUID } from 'node:crypto'
import { minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import type { Clock } from '../ports'
import type { Secret } from '../secret'
import type { SecretFacts } from './secret-store'

const holdMs = 15 * minuteMs
const most = 5000

/** A secret, and whose it is. */
export interface HeldSecret {
  readonly secret: Secret
  readonly facts: SecretFacts
}

/** Secrets of answers, in memory for a quarter of an hour, so that the window sees no more than their masked form. */
export interface HeldSecrets {
  /** Holds one and tells its handle; of too many the oldest goes. */
  hold(one: HeldSecret): string
  /** Fails with `key.notFound` when it is no longer held, or of another connection than the one that is to have it. */
  get(handle: string, connectionId?: string): HeldSecret
  /** Whether a text is what the window was shown in place of one that is held. */
  isMasked(text: string): boolean
}

export function createHeldSecrets(clock: Clock): HeldSecrets {
  const held = new Map<string, HeldSecret & { readonly until: number }>()
  const dropOld = (nowMs: number): void => {
    // The oldest come first.
    for (const [handle, { until }] of held) {
      if (until >= nowMs && held.size < most) return
      held.delete(handle)
    }
  }
  return {
    hold({ secret, facts }) {
      const nowMs = clock().getTime()
      dropOld(nowMs)
      const handle = randomUUID()
      held.set(handle, { secret, facts, until: nowMs + holdMs })
      return handle
    },
    get(handle, connectionId) {
      const entry = held.get(handle)
      const isOfIt = connectionId === undefined || entry?.facts.connectionId === connectionId
      if (entry !== undefined && isOfIt && entry.until >= clock().getTime()) return entry
      const message = 'This secret expired after 15 minutes. Request it from the platform again.'
      throw new AppError('key.notFound', message, { field: 'handle' })
    },
    isMasked: (text) => [...held.values()].some(({ secret }) => secret.last4 !== '' && secret.masked === text),
  }
}
