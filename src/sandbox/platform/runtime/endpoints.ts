import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Runtime, RuntimeEndpoint } from '../../state/runtime-state'
import { type Call, created, nothing, ok, type Reply } from '../operation'
import { listPaging, pageOf } from '../paging'
import { required, wholeNumber } from '../query'
import { invalidInput } from '../refusals'
import { checkName } from './config'
import { findEndpoint, findRuntime, newestVersion, nowOf, replaceRuntime } from './kept'

const NewEndpoint = z.looseObject({ name: z.string(), version: z.number().optional() })

/** Lists the endpoints of a runtime, oldest first. */
export function listEndpoints({ store, params, query }: Call): Reply {
  return pageOf({ query, paging: listPaging }, findRuntime(store, params.id).endpoints, (endpoint) => endpoint)
}

/** Throws 400 for a version that the runtime does not have (ours). */
function checkVersion({ versions }: Runtime, asked: number): void {
  if (versions.some(({ version }) => version === asked)) return
  throw invalidInput(`version: must be a version of the runtime, from 1 to ${versions.length}`)
}

/** Makes an endpoint that points at the version of the body, or else at the newest. */
export async function createEndpoint({ store, params, body }: Call): Promise<Reply> {
  findRuntime(store, params.id)
  const asked = await body(NewEndpoint)
  checkName(asked.name)
  const runtime = findRuntime(store, params.id)
  const version = asked.version ?? newestVersion(runtime).version
  checkVersion(runtime, version)
  const now = nowOf(store)
  const endpoint: RuntimeEndpoint = { ...asked, id: randomUUID(), version, createdAt: now, updatedAt: now }
  replaceRuntime(store, { ...runtime, endpoints: [...runtime.endpoints, endpoint] })
  return created(endpoint)
}

/** Points an endpoint at the version of the query. */
export function setEndpointVersion({ store, params, query }: Call): Reply {
  const runtime = findRuntime(store, params.id)
  const endpoint = findEndpoint(runtime, params.endpointId)
  required(query, 'version')
  const newest = newestVersion(runtime).version
  const version = wholeNumber(query, 'version', { least: 1, most: newest, usual: newest })
  const updated: RuntimeEndpoint = { ...endpoint, version, updatedAt: nowOf(store) }
  const endpoints = runtime.endpoints.map((one) => (one === endpoint ? updated : one))
  replaceRuntime(store, { ...runtime, endpoints })
  return ok(updated)
}

/** Deletes an endpoint; the version it points at stays. */
export function deleteEndpoint({ store, params }: Call): Reply {
  const runtime = findRuntime(store, params.id)
  const gone = findEndpoint(runtime, params.endpointId)
  replaceRuntime(store, { ...runtime, endpoints: runtime.endpoints.filter((one) => one !== gone) })
  return nothing
}
