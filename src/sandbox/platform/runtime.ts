import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../../state/store'
import type { Runtime, RuntimeEndpoint, RuntimeVersion } from '../../state/world'
import { hashText } from '../../text-model/embed'
import { hourMs, minuteMs } from '../../timing'
import { runtimeClientId, runtimeClientSecret } from '../iam'
import {
  type Call,
  integerBetween,
  invalidInput,
  noContent,
  numberBetween,
  okReply,
  type Reply,
  requireIdentifier,
  requireParameter,
  requireRow,
  respondWithPage,
  type Service,
  toCreatedReply,
  wholeNumber,
  withoutFields,
} from '../operation'
import { buildLogLine, countLines, type LogLine, type LogStream, listStreams, versionLog } from './logs'

const points = 60
/** Pseudo-random number from 0 (inclusive) to 1 (exclusive), derived from a text. */
const share = (text: string): number => (hashText(text) % 10_000) / 10_000

/** A load in percent that varies over some hours. */
const getLoad = (id: string, atMs: number): number =>
  Math.round(500 + 200 * Math.sin(2 * Math.PI * (atMs / (5 * hourMs) + share(id)))) / 10

/** CPU and memory in percent per minute of the last hour, oldest first (not in the spec). */
function endpointMetrics({ store, params }: Call): Reply {
  const { id, createdAt } = findEndpoint(findRuntime(store, params.id), params.endpointId)
  const currentMinute = Math.floor(store.nowMs() / minuteMs)
  const firstMinute = Math.max(currentMinute - points + 1, Math.floor(Date.parse(createdAt) / minuteMs))
  const minutes = Array.from({ length: currentMinute - firstMinute + 1 }, (_, index) => firstMinute + index)
  const buildSeries = (name: string) =>
    minutes.map((minute) => ({
      at: new Date(minute * minuteMs).toISOString(),
      value: getLoad(`${id}|${name}`, minute * minuteMs),
    }))
  return okReply({ unit: 'percent', cpu: buildSeries('cpu'), memory: buildSeries('memory') })
}

const text = z.string().min(1, 'must not be empty').max(1_000, 'must have at most 1000 characters')
const PercentageSchema = numberBetween(25, 75, 'must be a percentage from 25 to 75')

const fields = z.looseObject({
  name: z.string(),
  description: z.string().max(1_000, 'must have at most 1000 characters'),
  image: text,
  flavorId: text,
  replicas: integerBetween(1, 10),
  cpuUtilizationThreshold: PercentageSchema,
  memoryUtilizationThreshold: PercentageSchema,
  environment: z.record(z.string(), z.string()),
})

/**
 * PATCH body: any subset of fields. The limits are in the spec ("Limits"), the field names are not. Unknown fields are
 * kept.
 */
const ConfigChange = fields.partial()

/** Body of a new runtime. The spec does not name required fields. */
const NewConfig = ConfigChange.required({ name: true, image: true, flavorId: true })

/** Defaults of a new runtime (not in the spec). */
const defaultConfig = { replicas: 1, cpuUtilizationThreshold: 70, memoryUtilizationThreshold: 70 }

const serverOwnedFields = ['id', 'status', 'version', 'clientId', 'clientSecret', 'createdAt', 'updatedAt']

/** Reads the configuration from a body. Throws 400 for an invalid name or unknown flavor. */
function readConfig(body: z.infer<typeof ConfigChange>): Readonly<Record<string, unknown>> {
  if (body.name !== undefined) requireIdentifier(body.name)
  if (body.flavorId !== undefined && !flavors.some(({ id }) => id === body.flavorId)) {
    throw invalidInput(`flavorId: must be one of ${flavors.map(({ id }) => id).join(', ')}`)
  }
  return withoutFields(body, serverOwnedFields)
}

/**
 * Log range (spec, "Limits"). `from` counts back from the newest line. This meaning and the defaults are not in the
 * spec.
 */
const LogRange = z.looseObject({
  from: integerBetween(0, 5_000).default(0),
  limit: integerBetween(1, 1_000).default(100),
})

/** Lines of several streams, newest first, skipping the first `from`. */
function readNewestLines(
  streams: readonly LogStream[],
  nowMs: number,
  { from, limit }: z.infer<typeof LogRange>,
): readonly LogLine[] {
  const lines: LogLine[] = []
  let skippedUntil = from
  for (const stream of streams) {
    const count = countLines(stream, nowMs)
    for (let index = count - 1 - skippedUntil; index >= 0 && lines.length < limit; index -= 1) {
      lines.push(buildLogLine(stream, index))
    }
    skippedUntil = Math.max(skippedUntil - count, 0)
  }
  return lines
}

async function respondWithLogs({ store, body }: Call, streams: () => readonly LogStream[]): Promise<Reply> {
  streams()
  const logRange = await body(LogRange)
  const nowMs = store.nowMs()
  const parts = streams()
  const total = parts.reduce((sum, stream) => sum + countLines(stream, nowMs), 0)
  return okReply({ from: logRange.from, limit: logRange.limit, total, lines: readNewestLines(parts, nowMs, logRange) })
}

function runtimeLogs(call: Call): Promise<Reply> {
  return respondWithLogs(call, () => listStreams(findRuntime(call.store, call.params.id)))
}

function endpointLogs(call: Call): Promise<Reply> {
  return respondWithLogs(call, () => {
    const runtime = findRuntime(call.store, call.params.id)
    const endpoint = findEndpoint(runtime, call.params.endpointId)
    return runtime.versions
      .filter(({ version }) => version === endpoint.version)
      .map((version) => versionLog(runtime, version))
  })
}

const NewEndpoint = z.looseObject({ name: z.string(), version: z.number().optional() })

/** Returns a page of a runtime's endpoints, oldest first. */
function listEndpoints({ store, params, query }: Call): Reply {
  return respondWithPage(query, findRuntime(store, params.id).endpoints)
}

/** Checks that a runtime has a version. Throws 400 for an unknown version (not in the spec). */
function checkVersion({ versions }: Runtime, requestedVersion: number): void {
  if (versions.some(({ version }) => version === requestedVersion)) return
  throw invalidInput(`version: must be a version of the runtime, from 1 to ${versions.length}`)
}

/** Creates an endpoint for the requested version, or the newest by default. */
async function createEndpoint({ store, params, body }: Call): Promise<Reply> {
  findRuntime(store, params.id)
  const input = await body(NewEndpoint)
  requireIdentifier(input.name)
  const runtime = findRuntime(store, params.id)
  const version = input.version ?? newestVersion(runtime).version
  checkVersion(runtime, version)
  const timestamp = store.nowIso()
  const endpoint: RuntimeEndpoint = { ...input, id: randomUUID(), version, createdAt: timestamp, updatedAt: timestamp }
  replaceRuntime(store, { ...runtime, endpoints: [...runtime.endpoints, endpoint] })
  return toCreatedReply(endpoint)
}

function setEndpointVersion({ store, params, query }: Call): Reply {
  const runtime = findRuntime(store, params.id)
  const endpoint = findEndpoint(runtime, params.endpointId)
  requireParameter(query, 'version')
  const newestNumber = newestVersion(runtime).version
  const version = wholeNumber(query, 'version', { least: 1, max: newestNumber, fallback: newestNumber })
  const updatedEndpoint: RuntimeEndpoint = { ...endpoint, version, updatedAt: store.nowIso() }
  const endpoints = runtime.endpoints.map((otherEndpoint) =>
    otherEndpoint === endpoint ? updatedEndpoint : otherEndpoint,
  )
  replaceRuntime(store, { ...runtime, endpoints })
  return okReply(updatedEndpoint)
}

/** Deletes an endpoint but not its version. */
function deleteEndpoint({ store, params }: Call): Reply {
  const runtime = findRuntime(store, params.id)
  const removedEndpoint = findEndpoint(runtime, params.endpointId)
  replaceRuntime(store, {
    ...runtime,
    endpoints: runtime.endpoints.filter((otherEndpoint) => otherEndpoint !== removedEndpoint),
  })
  return noContent
}

/** Creates a runtime with version 1 in state `CREATING` (state names not in the spec). */
async function createRuntime({ store, timing, body }: Call): Promise<Reply> {
  const config = { ...defaultConfig, ...readConfig(await body(NewConfig)) }
  const createdAt = store.nowIso()
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
  return toCreatedReply(viewRuntime(store, runtime))
}

/** Returns a page of runtimes, oldest first. */
function listRuntimes({ store, query }: Call): Reply {
  return respondWithPage(query, store.world().runtime.runtimes, (runtime) => viewRuntime(store, runtime))
}

function getRuntime({ store, params }: Call): Reply {
  return okReply(viewRuntime(store, findRuntime(store, params.id)))
}

/**
 * Creates a version, because each PATCH of a runtime does so (spec). The spec does not say that the body replaces only
 * the given fields of the newest configuration.
 */
async function updateRuntime({ store, params, body }: Call): Promise<Reply> {
  findRuntime(store, params.id)
  const change = readConfig(await body(ConfigChange))
  const runtime = findRuntime(store, params.id)
  const { version, config } = newestVersion(runtime)
  const timestamp = store.nowIso()
  const nextVersion = { version: version + 1, createdAt: timestamp, config: { ...config, ...change } }
  const updatedRuntime: Runtime = { ...runtime, versions: [...runtime.versions, nextVersion], updatedAt: timestamp }
  replaceRuntime(store, updatedRuntime)
  return okReply(viewRuntime(store, updatedRuntime))
}

/** Deletes a runtime with versions and endpoints. Revokes the tokens of its service account. */
function deleteRuntime({ store, params }: Call): Reply {
  const removedRuntime = findRuntime(store, params.id)
  replaceRuntimes(store, (runtimes) => runtimes.filter((otherRuntime) => otherRuntime !== removedRuntime))
  return noContent
}

/** Replaces the service account's secret and returns it once. The old secret gets no more tokens. */
function resetServiceAccount({ store, params }: Call): Reply {
  const runtime = findRuntime(store, params.id)
  const updatedAt = store.nowIso()
  const updatedRuntime: Runtime = { ...runtime, secretGeneration: runtime.secretGeneration + 1, updatedAt }
  replaceRuntime(store, updatedRuntime)
  const clientSecret = runtimeClientSecret(store.world(), updatedRuntime)
  return okReply({ id: runtime.id, clientId: runtimeClientId(runtime.id), clientSecret, updatedAt })
}

/** All versions with full configurations, newest first (not in the spec). */
function listVersions({ store, params, query }: Call): Reply {
  const { versions } = findRuntime(store, params.id)
  return respondWithPage(query, versions.toReversed(), ({ version, createdAt, config }) => ({
    ...config,
    version,
    createdAt,
  }))
}

/** Machine type of a replica. The spec does not name its fields. */
interface Flavor {
  readonly id: string
  readonly name: string
  readonly vCPU: number
  readonly memoryGiB: number
  /** Price in VND per replica and hour. */
  readonly pricePerHour: number
}

/** Machine types, smallest first. */
const flavors: readonly Flavor[] = [
  { id: 'flavor-micro', name: 'Micro', vCPU: 0.5, memoryGiB: 1, pricePerHour: 320 },
  { id: 'flavor-small', name: 'Small', vCPU: 1, memoryGiB: 2, pricePerHour: 650 },
  { id: 'flavor-medium', name: 'Medium', vCPU: 2, memoryGiB: 4, pricePerHour: 1_300 },
  { id: 'flavor-large', name: 'Large', vCPU: 4, memoryGiB: 8, pricePerHour: 2_600 },
  { id: 'flavor-memory', name: 'Large memory', vCPU: 4, memoryGiB: 32, pricePerHour: 4_400 },
  { id: 'flavor-xlarge', name: 'Extra large', vCPU: 8, memoryGiB: 16, pricePerHour: 5_200 },
]

const runtimesPath = '/agent-runtimes'
const runtimePath = `${runtimesPath}/{id}`
const endpoints = `${runtimePath}/endpoints`
const endpoint = `${endpoints}/{endpointId}`

/** Runtimes with their versions, endpoints, logs and metrics (spec, "Endpoints", B). */
export const runtime: Service = {
  base: '/runtime',
  access: 'iam',
  operations: [
    { id: 'runtime.agentRuntimes.create', method: 'POST', path: runtimesPath, run: createRuntime },
    { id: 'runtime.agentRuntimes.list', method: 'GET', path: runtimesPath, run: listRuntimes },
    { id: 'runtime.agentRuntimes.get', method: 'GET', path: runtimePath, run: getRuntime },
    { id: 'runtime.agentRuntimes.update', method: 'PATCH', path: runtimePath, run: updateRuntime },
    { id: 'runtime.agentRuntimes.delete', method: 'DELETE', path: runtimePath, run: deleteRuntime },
    {
      id: 'runtime.agentRuntimes.resetServiceAccount',
      method: 'PATCH',
      path: `${runtimePath}/reset-service-account`,
      run: resetServiceAccount,
    },
    { id: 'runtime.endpoints.list', method: 'GET', path: endpoints, run: listEndpoints },
    { id: 'runtime.endpoints.create', method: 'POST', path: endpoints, run: createEndpoint },
    { id: 'runtime.endpoints.setVersion', method: 'PATCH', path: endpoint, run: setEndpointVersion },
    { id: 'runtime.endpoints.delete', method: 'DELETE', path: endpoint, run: deleteEndpoint },
    { id: 'runtime.versions.list', method: 'GET', path: `${runtimePath}/versions`, run: listVersions },
    { id: 'runtime.flavors.list', method: 'GET', path: '/flavors', run: () => okReply(flavors) },
    { id: 'runtime.agentRuntimes.logs', method: 'POST', path: `${runtimePath}/logs`, run: runtimeLogs },
    { id: 'runtime.endpoints.logs', method: 'POST', path: `${endpoint}/logs`, run: endpointLogs },
    { id: 'runtime.endpoints.metrics', method: 'GET', path: `${endpoint}/metrics`, run: endpointMetrics },
  ],
}

/** Throws 404. */
function findRuntime(store: Store, id = ''): Runtime {
  const runtime = store.world().runtime.runtimes.find((candidate) => candidate.id === id)
  return requireRow(runtime, `There is no runtime with the id "${id.slice(0, 60)}".`)
}

/** Throws 404. */
function findEndpoint(runtime: Runtime, id = ''): RuntimeEndpoint {
  const endpoint = runtime.endpoints.find((candidate) => candidate.id === id)
  return requireRow(endpoint, `The runtime "${runtime.id}" has no endpoint with the id "${id.slice(0, 60)}".`)
}

const newestVersion = ({ versions }: Runtime): RuntimeVersion => versions.reduce((_, later) => later)

function replaceRuntimes(store: Store, change: (runtimes: readonly Runtime[]) => readonly Runtime[]): void {
  const world = store.world()
  store.replace({ ...world, runtime: { runtimes: change(world.runtime.runtimes) } })
}

function replaceRuntime(store: Store, changedRuntime: Runtime): void {
  replaceRuntimes(store, (runtimes) =>
    runtimes.map((otherRuntime) => (otherRuntime.id === changedRuntime.id ? changedRuntime : otherRuntime)),
  )
}

/** A runtime with the configuration of its newest version. */
function viewRuntime(store: Store, runtime: Runtime): unknown {
  const { id, readyAt, createdAt, updatedAt } = runtime
  const { version, config } = newestVersion(runtime)
  const status = Date.parse(readyAt) > store.nowMs() ? 'CREATING' : 'ACTIVE'
  return { ...config, id, status, version, clientId: runtimeClientId(id), createdAt, updatedAt }
}
