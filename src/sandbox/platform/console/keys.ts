import { z } from 'zod'
import { addKey, keysOf } from '../../state/key-additions'
import { changeKey } from '../../state/plans'
import { type Call, created, nothing, ok, type Reply } from '../operation'
import { listPaging, pageOf } from '../paging'
import { conflict, invalidInput, invalidName } from '../refusals'
import { keyWith, planWith } from './lookups'
import { viewKey } from './views'

const mostCharacters = 50

const NewKey = z.object({ name: z.string('must be a text: the name of the key') })
const KeyUpdate = NewKey.partial().extend({
  status: z.enum(['ACTIVE', 'DISABLED'], 'must be ACTIVE or DISABLED').optional(),
})

/** Ours (spec: "Key name format: not shown"): 1 to 50 characters of any kind, without the space around them. Throws 400. */
function keyName(text: string): string {
  const name = text.trim()
  const characters = [...name].length
  if (characters >= 1 && characters <= mostCharacters) return name
  throw invalidName(`name: a key name has 1 to ${mostCharacters} characters; this one has ${characters}.`)
}

type Change = Omit<Parameters<typeof changeKey>[1], 'keyId'>

/** Throws 404. */
function applyChange({ store, params }: Call, change: Change): void {
  const world = store.world()
  const { keyId } = keyWith(world, planWith(world, params.planId), params.keyId)
  store.replace(changeKey(world, { ...change, keyId }) ?? world)
}

/** The keys of a plan in the order in which they were made. Throws 404. */
export function listKeys({ store, params, query }: Call): Reply {
  const plan = planWith(store.world(), params.planId)
  return pageOf({ query, paging: listPaging }, keysOf(store.world(), plan.planId), (key) =>
    viewKey({ store }, plan, key),
  )
}

/** Adds a key. Throws 400, 404, and 409 when the plan has its Max keys. */
export async function createKey(call: Call): Promise<Reply> {
  const name = keyName((await call.body(NewKey)).name)
  const { store, params } = call
  const world = store.world()
  const plan = planWith(world, params.planId)
  const added = addKey(world, plan, { name, nowMs: store.nowMs() })
  if (added === undefined) {
    const message = `The token plan "${plan.name}" has all of its ${plan.maxKeys} keys; disabled ones count. Delete one first.`
    throw conflict('KEY_LIMIT_REACHED', message)
  }
  store.replace(added.world)
  return created(viewKey(call, plan, added.key))
}

/** Renames, disables or enables a key; the next request sees it. Throws 400 and 404. */
export async function updateKey(call: Call): Promise<Reply> {
  const { name, status } = await call.body(KeyUpdate)
  if (name === undefined && status === undefined) throw invalidInput('Send a new name, a new status, or both.')
  applyChange(call, { name: name === undefined ? undefined : keyName(name), status })
  const { store, params } = call
  const plan = planWith(store.world(), params.planId)
  return ok(viewKey(call, plan, keyWith(store.world(), plan, params.keyId)))
}

/** Deletes a key for good; the next request with it is refused. Throws 404. */
export function deleteKey(call: Call): Reply {
  applyChange(call, { deleted: true })
  return nothing
}
