import type { ApiKey } from '../../state/aip-state'
import type { Store } from '../../state/store'
import type { Call } from '../operation'
import { notFound } from '../refusals'

/** Where a key is in its life (spec, "States", Platform API key); one that is gone has no status. */
export type Status = 'CREATING' | 'ACTIVE' | 'DELETING'

/** The status at a moment of the sandbox's clock. */
export function statusOf({ readyAt, goneAt }: ApiKey, nowMs: number): Status {
  if (goneAt !== undefined) return 'DELETING'
  return Date.parse(readyAt) <= nowMs ? 'ACTIVE' : 'CREATING'
}

const isGone = ({ goneAt }: ApiKey, nowMs: number): boolean => goneAt !== undefined && Date.parse(goneAt) <= nowMs

/** The keys that are not gone yet. */
export function keysIn(store: Store): readonly ApiKey[] {
  const nowMs = store.nowMs()
  return store.world().aip.apiKeys.filter((key) => !isGone(key, nowMs))
}

/** The key of the path's name. Throws 404, also for one that is gone. */
export function find({ store, params }: Call): ApiKey {
  const key = keysIn(store).find(({ name }) => name === params.name)
  if (key) return key
  throw notFound(`There is no API key named "${params.name?.slice(0, 60)}".`)
}

/** Puts a list of keys into effect. */
export const replaceKeys = (store: Store, apiKeys: readonly ApiKey[]): void =>
  store.replace({ ...store.world(), aip: { apiKeys } })

/** Puts a key in the place of another. */
export const put = (store: Store, before: ApiKey, next: ApiKey): void =>
  replaceKeys(
    store,
    keysIn(store).map((key) => (key === before ? next : key)),
  )

/** The key in full. */
export const secretOf = (store: Store, { keyId }: ApiKey): string => store.secretOf(keyId, 'pk-sandbox-')

/** A key with no more of its secret than its last four characters; while it is being created there is none. */
export function viewFor(store: Store) {
  return (key: ApiKey) => {
    const { keyId: _, readyAt: _readyAt, goneAt: _goneAt, ...rest } = key
    const status = statusOf(key, store.nowMs())
    return { ...rest, status, ...(status === 'CREATING' ? {} : { keyHint: `****${secretOf(store, key).slice(-4)}` }) }
  }
}
