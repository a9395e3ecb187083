import type { Runtime, RuntimeEndpoint, RuntimeVersion } from '../../state/runtime-state'
import type { Store } from '../../state/store'
import { runtimeClientId } from '../iam/clients'
import { notFound } from '../refusals'

/** The runtime of a path. Throws 404. */
export function findRuntime(store: Store, id = ''): Runtime {
  const runtime = store.world().runtime.runtimes.find((one) => one.id === id)
  if (runtime) return runtime
  throw notFound(`There is no runtime with the id "${id.slice(0, 60)}".`)
}

/** The endpoint of a path. Throws 404. */
export function findEndpoint(runtime: Runtime, id = ''): RuntimeEndpoint {
  const endpoint = runtime.endpoints.find((one) => one.id === id)
  if (endpoint) return endpoint
  throw notFound(`The runtime "${runtime.id}" has no endpoint with the id "${id.slice(0, 60)}".`)
}

/** The version whose configuration is in force. */
export const newestVersion = ({ versions }: Runtime): RuntimeVersion => versions.reduce((_, later) => later)

/** Puts a list of all runtimes into effect. */
export function replaceRuntimes(store: Store, change: (runtimes: readonly Runtime[]) => readonly Runtime[]): void {
  const world = store.world()
  store.replace({ ...world, runtime: { runtimes: change(world.runtime.runtimes) } })
}

/** Puts another state of one runtime into effect. */
export function replaceRuntime(store: Store, next: Runtime): void {
  replaceRuntimes(store, (runtimes) => runtimes.map((one) => (one.id === next.id ? next : one)))
}

/** The sandbox's time as resources tell it. */
export const nowOf = (store: Store): string => new Date(store.nowMs()).toISOString()

/** A runtime as answers tell it: the configuration of its newest version, and what the server says of it. */
export function viewRuntime(store: Store, runtime: Runtime): unknown {
  const { id, readyAt, createdAt, updatedAt } = runtime
  const { version, config } = newestVersion(runtime)
  const status = Date.parse(readyAt) > store.nowMs() ? 'CREATING' : 'ACTIVE'
  return { ...config, id, status, version, clientId: runtimeClientId(id), createdAt, updatedAt }
}
