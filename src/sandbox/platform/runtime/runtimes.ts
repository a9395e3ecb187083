import { randomUUID } from 'node:crypto'
import type { Runtime } from '../../state/runtime-state'
import { runtimeClientId, runtimeClientSecret } from '../iam/clients'
import { type Call, created, nothing, ok, type Reply } from '../operation'
import { listPaging, pageOf } from '../paging'
import { ConfigChange, NewConfig, readConfig, usualConfig } from './config'
import { findRuntime, newestVersion, nowOf, replaceRuntime, replaceRuntimes, viewRuntime } from './kept'

/** Makes a runtime with version 1; it is `CREATING` for a while (the status words are ours). */
export async function createRuntime({ store, timing, body }: Call): Promise<Reply> {
  const config = { ...usualConfig, ...readConfig(await body(NewConfig)) }
  const createdAt = nowOf(store)
  const runtime: Runtime = {
    id: randomUUID(),
    readyAt: new Date(store.nowMs() + timing().asyncMs).toISOString(),
    secretGeneration: 0,
    versions: [{ version: 1, createdAt, config }],
    endpoints: [],
    createdAt,
    updatedAt: createdAt,
  }
  replaceRuntimes(store, (runtimes) => [...runtimes, runtime])
  return created(viewRuntime(store, runtime))
}

/** Lists the runtimes, oldest first. */
export function listRuntimes({ store, query }: Call): Reply {
  return pageOf({ query, paging: listPaging }, store.world().runtime.runtimes, (runtime) => viewRuntime(store, runtime))
}

/** Gives one runtime. */
export function getRuntime({ store, params }: Call): Reply {
  return ok(viewRuntime(store, findRuntime(store, params.id)))
}

/**
 * Makes a new version (spec: "each PATCH of a runtime creates a new version"): the newest configuration with the fields of the body in
 * place of its own, each as a whole (ours).
 */
export async function updateRuntime({ store, params, body }: Call): Promise<Reply> {
  findRuntime(store, params.id)
  const change = readConfig(await body(ConfigChange))
  const runtime = findRuntime(store, params.id)
  const { version, config } = newestVersion(runtime)
  const now = nowOf(store)
  const next = { version: version + 1, createdAt: now, config: { ...config, ...change } }
  const updated: Runtime = { ...runtime, versions: [...runtime.versions, next], updatedAt: now }
  replaceRuntime(store, updated)
  return ok(viewRuntime(store, updated))
}

/** Deletes a runtime with its versions and endpoints; its service account gets no more tokens, and those it has are void. */
export function deleteRuntime({ store, params }: Call): Reply {
  const gone = findRuntime(store, params.id)
  replaceRuntimes(store, (runtimes) => runtimes.filter((one) => one !== gone))
  return nothing
}

/** Gives the service account another secret, which is told here and nowhere else; the one before gets no more tokens. */
export function resetServiceAccount({ store, params }: Call): Reply {
  const runtime = findRuntime(store, params.id)
  const updatedAt = nowOf(store)
  const updated: Runtime = { ...runtime, secretGeneration: runtime.secretGeneration + 1, updatedAt }
  replaceRuntime(store, updated)
  const clientSecret = runtimeClientSecret(store.world(), updated)
  return ok({ id: runtime.id, clientId: runtimeClientId(runtime.id), clientSecret, updatedAt })
}

/** Lists the versions of a runtime with their whole configurations, newest first (ours). */
export function listVersions({ store, params, query }: Call): Reply {
  const { versions } = findRuntime(store, params.id)
  return pageOf({ query, paging: listPaging }, versions.toReversed(), ({ version, createdAt, config }) => ({
    ...config,
    version,
    createdAt,
  }))
}
