import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { models } from '../catalogue'
import type { Store } from '../state/store'
import type { ApiKey } from '../state/world'
import {
  type Call,
  conflict,
  invalidName,
  type Operation,
  okReply,
  requireRow,
  respondWithPage,
  type Service,
  toAcceptedReply,
} from './operation'

/** The spec's `^[a-z0-9\\-]{5,50}$` is an escaped string: the backslashes mean a literal hyphen. */
const namePattern = /^[a-z0-9-]{5,50}$/

/** Removes server-owned fields from a body. */
function withoutSecretFields<Body extends Readonly<Record<string, unknown>>>(body: Body) {
  const { key: _, keyHint: _hint, status: _status, ...kept } = body
  return kept
}

const NewApiKey = z.looseObject({ name: z.string() })
const ChangedApiKey = z.looseObject({})

function rejectTakenName(store: Store, name: string): void {
  const keyWithName = listStoredKeys(store).find((key) => key.name === name)
  if (!keyWithName) return
  const remedy =
    keyWithName.goneAt === undefined ? 'Choose another name.' : 'It is being deleted; try again once it is gone.'
  throw conflict('ALREADY_EXISTS', `There is already an API key named "${name}". ${remedy}`)
}

const create: Operation['run'] = async ({ store, timing, body }) => {
  const input = await body(NewApiKey)
  const { name } = input
  if (!namePattern.test(name)) throw invalidName('name: Use 5 to 50 small letters (a-z), digits and -.')
  rejectTakenName(store, name)
  const nowMs = store.nowMs()
  const toIso = (ms: number) => new Date(ms).toISOString()
  const key: ApiKey = {
    ...withoutSecretFields(input),
    name,
    keyId: `api-key-${randomUUID()}`,
    readyAt: toIso(nowMs + timing().asyncMs),
    goneAt: undefined,
    createdAt: toIso(nowMs),
    updatedAt: toIso(nowMs),
  }
  replaceKeys(store, [...listStoredKeys(store), key])
  return toAcceptedReply(createView(store)(key))
}

const listApiKeys: Operation['run'] = ({ store, query }) =>
  respondWithPage(query, listStoredKeys(store), createView(store))

const getApiKey: Operation['run'] = (call) => {
  const { store, exchange } = call
  const key = findApiKey(call)
  const view = createView(store)(key)
  exchange.response.setHeader('cache-control', 'no-store')
  return okReply(view.status === 'ACTIVE' ? { ...view, key: readApiKeySecret(store, key) } : view)
}

/** Requires a status of a key. Throws 409 while the key is being created or deleted (not in the spec). */
function requireKeyStatus(key: ApiKey, { store }: Call, allowed: readonly Status[]): void {
  const status = readKeyStatus(key, store.nowMs())
  if (allowed.includes(status)) return
  const message = `The API key "${key.name}" is ${status}. Only an ACTIVE key can be changed; ask again after a moment.`
  throw conflict('KEY_NOT_ACTIVE', message)
}

/** Removes fields that the body omits, except the name and the key (not in the spec). */
const update: Operation['run'] = async (call) => {
  const { store } = call
  findApiKey(call)
  const input = await call.body(ChangedApiKey)
  const keyBefore = findApiKey(call)
  requireKeyStatus(keyBefore, call, ['ACTIVE'])
  const { name, keyId, readyAt, goneAt, createdAt } = keyBefore
  const serverFields = { name, keyId, readyAt, goneAt, createdAt, updatedAt: store.nowIso() }
  const key = { ...withoutSecretFields(input), ...serverFields }
  replaceKey(store, keyBefore, key)
  return okReply(createView(store)(key))
}

/** Starts the deletion (spec, "States", Platform API key). Idempotent. */
const remove: Operation['run'] = (call) => {
  const { store, timing } = call
  const keyBefore = findApiKey(call)
  requireKeyStatus(keyBefore, call, ['ACTIVE', 'DELETING'])
  const key = { ...keyBefore, goneAt: keyBefore.goneAt ?? new Date(store.nowMs() + timing().asyncMs).toISOString() }
  replaceKey(store, keyBefore, key)
  return toAcceptedReply(createView(store)(key))
}

const path = '/v1/api-keys'

/** Platform API keys. Subscription keys of plans are separate (spec, "Subscription key"). */
const apiKeyOperations: readonly Operation[] = [
  { id: 'aip.apiKeys.list', method: 'GET', path, run: listApiKeys },
  { id: 'aip.apiKeys.create', method: 'POST', path, run: create },
  { id: 'aip.apiKeys.get', method: 'GET', path: `${path}/{name}`, run: getApiKey },
  { id: 'aip.apiKeys.update', method: 'PUT', path: `${path}/{name}`, run: update },
  { id: 'aip.apiKeys.delete', method: 'DELETE', path: `${path}/{name}`, run: remove },
]

const listModels: Operation['run'] = ({ query }) => respondWithPage(query, models)

const getModel: Operation['run'] = ({ params }) => {
  const model = models.find(({ uuid }) => uuid === params.uuid)
  return okReply(requireRow(model, `There is no model with the uuid "${params.uuid?.slice(0, 60)}".`))
}

const modelOperations: readonly Operation[] = [
  { id: 'aip.models.list', method: 'GET', path: '/v1/models', run: listModels },
  { id: 'aip.models.get', method: 'GET', path: '/v1/models/detail/{uuid}', run: getModel },
]

/** Model and API-key management (spec, "Endpoints", B). */
export const aipService: Service = {
  base: '/aip',
  access: 'iam',
  operations: [...apiKeyOperations, ...modelOperations],
}

/** Status of a key (spec, "States", Platform API key). Deleted keys have none. */
type Status = 'CREATING' | 'ACTIVE' | 'DELETING'

export function readKeyStatus({ readyAt, goneAt }: ApiKey, nowMs: number): Status {
  if (goneAt !== undefined) return 'DELETING'
  return Date.parse(readyAt) <= nowMs ? 'ACTIVE' : 'CREATING'
}

const isKeyDeleted = ({ goneAt }: ApiKey, nowMs: number): boolean => goneAt !== undefined && Date.parse(goneAt) <= nowMs

export function listStoredKeys(store: Store): readonly ApiKey[] {
  const nowMs = store.nowMs()
  return store.world().aip.apiKeys.filter((key) => !isKeyDeleted(key, nowMs))
}

/** Finds the key named in the path. Throws 404 if it is missing or deleted. */
function findApiKey({ store, params }: Call): ApiKey {
  const key = listStoredKeys(store).find(({ name }) => name === params.name)
  return requireRow(key, `There is no API key named "${params.name?.slice(0, 60)}".`)
}

const replaceKeys = (store: Store, apiKeys: readonly ApiKey[]): void =>
  store.replace({ ...store.world(), aip: { apiKeys } })

const replaceKey = (store: Store, keyBefore: ApiKey, keyAfter: ApiKey): void =>
  replaceKeys(
    store,
    listStoredKeys(store).map((key) => (key === keyBefore ? keyAfter : key)),
  )

export const readApiKeySecret = (store: Store, { keyId }: ApiKey): string => store.toSecret(keyId, 'pk-sandbox-')

/** Masks a key's secret except for its last four characters. There is no secret during creation. */
function createView(store: Store) {
  return (key: ApiKey) => {
    const { keyId: _, readyAt: _readyAt, goneAt: _goneAt, ...rest } = key
    const status = readKeyStatus(key, store.nowMs())
    return {
      ...rest,
      status,
      ...(status === 'CREATING' ? {} : { keyHint: `****${readApiKeySecret(store, key).slice(-4)}` }),
    }
  }
}
