import type { PlanRecord, RegisterRecord } from '../settings/settings'

/** A key of an account, or, without a connection, one that was handed over to this machine. */
export interface KeyAddress {
  /** Empty for a key of this machine alone. */
  readonly connectionId: string
  readonly planId: string
  readonly keyId: string
}

type Plan = Pick<PlanRecord, 'id' | 'origin'>
type Key = Pick<PlanRecord['keys'][number], 'id' | 'origin'>

/** Where a key that is kept here belongs. */
export function addressOf({ id, origin }: Plan, key: Key): KeyAddress {
  return origin && key.origin ? { ...origin, keyId: key.origin.keyId } : { connectionId: '', planId: id, keyId: key.id }
}

/** The same text for the same key. */
export const textOf = ({ connectionId, planId, keyId }: KeyAddress): string =>
  JSON.stringify([connectionId, planId, keyId])

/** Whether two are the same key. */
export const isSame = (one: KeyAddress, other: KeyAddress): boolean => textOf(one) === textOf(other)

/** The address alone of what has more. */
export const bare = ({ connectionId, planId, keyId }: KeyAddress | RegisterRecord): KeyAddress => ({
  connectionId,
  planId,
  keyId,
})
