import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { models } from '../catalogue'
import type { Store } from '../state/store'
import type { ApiKey } from '../state/world'
import {
  type Call,
  conflict,
  createCollection,
  createOperation,
  createTimestamps,
  invalidName,
  type Operation,
  okReply,
  requireRow,
  respondWithPage,
  type Service,
  secretReply,
  toAcceptedReply,
  withoutFields,
} from './operation'

/** The spec's `^[a-z0-9\\-]{5,50}$` is an escaped string: the backslashes mean a literal hyphen. */
const namePattern = /^[a-z0-9-]{5,50}$/

const apiKeys = createCollection<'name', ApiKey>({
  key: 'name',
  noun: 'API key',
  rows: ({ store }) => listApiKeys(store),
  view: (key, { store }) => viewKey(store, key),
})

/** Platform API keys. Forgets those whose deletion has finished. */
export function listApiKeys(store: Store): ApiKey[] {
  const { aip } = store.world()
  aip.apiKeys = aip.apiKeys.filter(({ goneAt }) => goneAt === undefined || Date.parse(goneAt) > store.nowMs())
  return aip.apiKeys
}

const serverFields = ['key', 'keyHint', 'status']

function createKey(input: { readonly name: string }, call: Call): ApiKey {
  const { name } = input
  if (!namePattern.test(name)) throw invalidName('name: Use 5 to 50 small letters (a-z), digits and -.')
  const keyWithName = apiKeys.rows(call).find((key) => key.name === name)
  if (keyWithName) {
    const remedy =
      keyWithName.goneAt === undefined ? 'Choose another name.' : 'It is being deleted; try again once it is gone.'
    throw conflict('ALREADY_EXISTS', `There is already an API key named "${name}". ${remedy}`)
  }
  return {
    ...withoutFields(input, serverFields),
    name,
    keyId: `api-key-${randomUUID()}`,
    readyAt: call.store.nowIso(call.timing().asyncMs),
    goneAt: undefined,
    ...createTimestamps(call),
  }
}

/** Requires a status of a key. Throws 409 while the key is being created or deleted (not in the spec). */
function requireKeyStatus(key: ApiKey, { store }: Call, allowed: readonly Status[]): void {
  const status = readKeyStatus(key, store.nowMs())
  if (allowed.includes(status)) return
  const message = `The API key "${key.name}" is ${status}. Only an ACTIVE key can be changed; ask again after a moment.`
  throw conflict('KEY_NOT_ACTIVE', message)
}

/** Removes fields that the body omits, except the name and the key (not in the spec). */
function updateKey(key: ApiKey, input: object, call: Call): ApiKey {
  requireKeyStatus(key, call, ['ACTIVE'])
  const { name, keyId, readyAt, goneAt, createdAt, updatedAt } = key
  return { ...withoutFields(input, serverFields), name, keyId, readyAt, goneAt, createdAt, updatedAt }
}

/** Starts the deletion (spec, "States", Platform API key). Idempotent. */
const remove: Operation['run'] = (call) => {
  const { store, timing } = call
  const key = apiKeys.find(call)
  requireKeyStatus(key, call, ['ACTIVE', 'DELETING'])
  key.goneAt ??= store.nowIso(timing().asyncMs)
  store.changed()
  return toAcceptedReply(viewKey(store, key))
}

const path = '/v1/api-keys'

/**
 * Model and API-key management (spec, "Endpoints", B). Subscription keys of plans are separate (spec, "Subscription
 * key").
 */
export const aipService: Service = {
  base: '/aip',
  access: 'iam',
  operations: [
    apiKeys.listAt(path, 'aip.apiKeys.list'),
    apiKeys.createAt(path, 'aip.apiKeys.create', z.looseObject({ name: z.string() }), createKey, (key, { store }) =>
      toAcceptedReply(viewKey(store, key)),
    ),
    createOperation('aip.apiKeys.get', 'GET', `${path}/{name}`, (call) => {
      const key = apiKeys.find(call)
      const view = viewKey(call.store, key)
      const secretFields = view.status === 'ACTIVE' ? { key: readApiKeySecret(call.store, key) } : {}
      return secretReply(call, okReply({ ...view, ...secretFields }))
    }),
    apiKeys.updateAt(['PUT', `${path}/{name}`], 'aip.apiKeys.update', z.looseObject({}), updateKey),
    createOperation('aip.apiKeys.delete', 'DELETE', `${path}/{name}`, remove),
    createOperation('aip.models.list', 'GET', '/v1/models', ({ query }) => respondWithPage(query, models)),
    createOperation('aip.models.get', 'GET', '/v1/models/detail/{uuid}', ({ params }) => {
      const model = models.find(({ uuid }) => uuid === params.uuid)
      return okReply(requireRow(model, `There is no model with the uuid "${params.uuid?.slice(0, 60)}".`))
    }),
  ],
}

/** Status of a key (spec, "States", Platform API key). Deleted keys have none. */
type Status = 'CREATING' | 'ACTIVE' | 'DELETING'

export function readKeyStatus({ readyAt, goneAt }: ApiKey, nowMs: number): Status {
  if (goneAt !== undefined) return 'DELETING'
  return Date.parse(readyAt) <= nowMs ? 'ACTIVE' : 'CREATING'
}

export const readApiKeySecret = (store: Store, { keyId }: ApiKey): string => store.toSecret(keyId, 'pk-sandbox-')

/** Masks a key's secret except for its last four characters. There is no secret during creation. */
function viewKey(store: Store, key: ApiKey) {
  const { keyId: _, readyAt: _readyAt, goneAt: _goneAt, ...rest } = key
  const status = readKeyStatus(key, store.nowMs())
  return {
    ...rest,
    status,
    ...(status === 'CREATING' ? {} : { keyHint: `****${readApiKeySecret(store, key).slice(-4)}` }),
  }
}
