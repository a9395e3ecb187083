import { nextKeyId } from './plan-ids'
import type { Key, Plan, World } from './world'

/** A key to be made. */
export interface NewKey {
  readonly planId: string
  readonly name: string
  readonly nowMs: number
}

/** The keys of a plan that were not deleted, the oldest first; disabled ones are among them and count. */
export function keysOf(world: World, planId: string): readonly Key[] {
  return world.keys.filter((key) => key.planId === planId && !key.deleted)
}

/** The world with one more active key, whatever its plan allows. */
export function withKey(world: World, { planId, name, nowMs }: NewKey): { readonly world: World; readonly key: Key } {
  const createdAt = new Date(nowMs).toISOString()
  const key: Key = { keyId: nextKeyId(world), planId, name, status: 'ACTIVE', deleted: false, createdAt }
  return { world: { ...world, keys: [...world.keys, key] }, key }
}

/** Adds an active key to a plan; `undefined` when the plan has as many keys as it may (spec, "States", Subscription key). */
export function addKey(
  world: World,
  { planId, maxKeys }: Plan,
  rest: Omit<NewKey, 'planId'>,
): { readonly world: World; readonly key: Key } | undefined {
  return keysOf(world, planId).length < maxKeys ? withKey(world, { planId, ...rest }) : undefined
}
