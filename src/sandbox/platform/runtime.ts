import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Runtime, RuntimeEndpoint, RuntimeVersion } from '../state/world'
import { createRandom, hashText } from '../text-model'
import { hourMs, minuteMs } from '../timing'
import { runtimeClientId, runtimeClientSecret } from './iam'
import {
  type Call,
  createCollection,
  createOperation,
  createTimestamps,
  integerBetween,
  integerText,
  invalidInput,
  numberBetween,
  okReply,
  parseQuery,
  type Reply,
  requireIdentifier,
  respondWithPage,
  type Service,
  withoutFields,
} from './operation'

const runtimes = createCollection<'id', Runtime>({
  key: 'id',
  noun: 'runtime',
  rows: ({ store }) => store.world().runtime.runtimes,
  /** A runtime with the configuration of its newest version. */
  view(runtime, { store }) {
    const { id, readyAt, createdAt, updatedAt } = runtime
    const { version, config } = newestVersion(runtime)
    const status = Date.parse(readyAt) > store.nowMs() ? 'CREATING' : 'ACTIVE'
    return { ...config, id, status, version, clientId: runtimeClientId(id), createdAt, updatedAt }
  },
})

const endpoints = createCollection<'id', RuntimeEndpoint>({
  key: 'id',
  param: 'endpointId',
  noun: 'endpoint of the runtime',
  rows: (call) => runtimes.find(call).endpoints,
})

const newestVersion = ({ versions }: Runtime): RuntimeVersion => versions.reduce((_, later) => later)

/** Number of points of a metric. */
const points = 60
/** CPU and memory in percent per minute of the last hour, oldest first (not in the spec). */
function endpointMetrics(call: Call): Reply {
  const { id, createdAt } = endpoints.find(call)
  const currentMinute = Math.floor(call.store.nowMs() / minuteMs)
  const firstMinute = Math.max(currentMinute - points + 1, Math.floor(Date.parse(createdAt) / minuteMs))
  const minutes = Array.from({ length: currentMinute - firstMinute + 1 }, (_, index) => firstMinute + index)
  const buildSeries = (name: string) => {
    const phase = (hashText(`${id}|${name}`) % 10_000) / 10_000
    return minutes.map((minute) => {
      const atMs = minute * minuteMs
      // A load that varies over some hours.
      const value = Math.round(500 + 200 * Math.sin(2 * Math.PI * (atMs / (5 * hourMs) + phase))) / 10
      return { at: new Date(atMs).toISOString(), value }
    })
  }
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

/** Reads the configuration from a body. Throws 400 for an invalid name or unknown flavor. */
function readConfig(body: z.infer<typeof ConfigChange>): Readonly<Record<string, unknown>> {
  if (body.name !== undefined) requireIdentifier(body.name)
  if (body.flavorId !== undefined && !flavors.some(({ id }) => id === body.flavorId))
    throw invalidInput(`flavorId: must be one of ${flavors.map(({ id }) => id).join(', ')}`)
  return withoutFields(body, ['id', 'status', 'version', 'clientId', 'clientSecret', 'createdAt', 'updatedAt'])
}

interface LogLine {
  /** ISO 8601 UTC in the sandbox's clock. */
  readonly timestamp: string
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
  readonly message: string
  /** Counted from 1. */
  readonly replica: number
}

const tools = ['search_orders', 'get_weather', 'create_ticket', 'search_documents', 'send_mail', 'list_events']

/** Number of lines about the start of a version. */
const bootLines = 4

/** A message of a running agent. Warnings and errors are rare. */
function createMessage(random: (max: number) => number): Pick<LogLine, 'level' | 'message'> {
  const tool = tools[random(tools.length)]
  const session = `session=s-${random(0xffff).toString(16)}`
  const share = random(100)
  if (share < 1) {
    const lines = [
      `POST /invocations 500 ${400 + random(6_000)} ms ${session} ToolError: ${tool} failed`,
      'Traceback (most recent call last):',
      `  File "/app/agent/tools.py", line ${40 + random(280)}, in ${tool}`,
      'ConnectionError: no answer after 5000 ms',
    ]
    return { level: 'ERROR', message: lines.join('\n') }
  }
  if (share < 4) return { level: 'WARN', message: `tool ${tool} gave no answer within 5000 ms, trying again` }
  if (share < 15) return { level: 'DEBUG', message: `model aurora-small: ${300 + random(4_500)} tokens in ${session}` }
  if (share < 40) return { level: 'INFO', message: `GET /health 200 ${1 + random(4)} ms` }
  if (share < 55) return { level: 'INFO', message: `memory: ${1 + random(12)} records read in ${8 + random(80)} ms` }
  if (share < 70) return { level: 'INFO', message: `tool ${tool} answered in ${20 + random(880)} ms ${session}` }
  return { level: 'INFO', message: `POST /invocations 200 ${320 + random(2_000)} ms ${session}` }
}

/** Builds a line deterministically from runtime, version and index. */
function buildLogLine(stream: LogStream, index: number): LogLine {
  const random = createRandom(hashText(`${stream.key}|${index}`))
  // The lines about the start have the same time.
  const atMs = stream.startedMs + Math.max(0, index - bootLines + 1) * lineIntervalMs
  const timestamp = new Date(atMs).toISOString()
  const { version, config } = stream.version
  const bootMessage = [
    `pulled image ${config.image}`,
    `starting version ${version} with ${config.replicas} replicas on ${config.flavorId}`,
    'listening on 0.0.0.0:8080',
    'version is in service',
  ][index]
  if (bootMessage !== undefined) return { timestamp, level: 'INFO', message: bootMessage, replica: 1 }
  return { timestamp, ...createMessage(random), replica: 1 + random(Number(config.replicas)) }
}

type LogStream = ReturnType<typeof toLogStream>

const lineIntervalMs = 7_500

/** Log of one version, until the next one replaces it. Unbounded without `nextVersion`. Generated, never stored. */
const toLogStream = ({ id }: Runtime, version: RuntimeVersion, nextVersion?: RuntimeVersion) => ({
  key: `${id}|${version.version}`,
  version,
  startedMs: Date.parse(version.createdAt),
  endsMs: nextVersion ? Date.parse(nextVersion.createdAt) : Number.POSITIVE_INFINITY,
})

/**
 * Log range (spec, "Limits"). `from` counts back from the newest line. This meaning and the defaults are not in the
 * spec.
 */
const LogRange = z.looseObject({
  from: integerBetween(0, 5_000).default(0),
  limit: integerBetween(1, 1_000).default(100),
})

/** Lines of several streams, newest first. */
async function respondWithLogs({ store, body }: Call, streams: () => readonly LogStream[]): Promise<Reply> {
  streams()
  const { from, limit } = await body(LogRange)
  const nowMs = store.nowMs()
  const lines: LogLine[] = []
  let total = 0
  for (const stream of streams()) {
    const elapsedMs = Math.min(nowMs, stream.endsMs - 1) - stream.startedMs
    const count = elapsedMs < 0 ? 0 : bootLines + Math.floor(elapsedMs / lineIntervalMs)
    const skippedCount = Math.max(0, from - total)
    for (let index = count - 1 - skippedCount; index >= 0 && lines.length < limit; index -= 1)
      lines.push(buildLogLine(stream, index))
    total += count
  }
  return okReply({ from, limit, total, lines })
}

/** Body of an operation that needs none. */
const NoBody = z.looseObject({})

const NewEndpoint = z.looseObject({ name: z.string(), version: z.number().optional() })

/** Creates an endpoint for the requested version, or the newest by default. */
function createEndpoint(input: z.infer<typeof NewEndpoint>, call: Call): RuntimeEndpoint {
  const runtime = runtimes.find(call)
  requireIdentifier(input.name)
  const version = input.version ?? newestVersion(runtime).version
  // Our choice, because the spec does not define the response to an unknown version.
  if (!runtime.versions.some((knownVersion) => knownVersion.version === version))
    throw invalidInput(`version: must be a version of the runtime, from 1 to ${runtime.versions.length}`)
  return { ...input, id: randomUUID(), version, ...createTimestamps(call) }
}

function setEndpointVersion(endpoint: RuntimeEndpoint, _: object, call: Call): RuntimeEndpoint {
  const newestNumber = newestVersion(runtimes.find(call)).version
  return { ...endpoint, ...parseQuery(call.query, { version: integerText(1, newestNumber) }) }
}

/** Creates a runtime with version 1 in state `CREATING` (state names not in the spec). */
function createRuntime(body: z.infer<typeof NewConfig>, call: Call): Runtime {
  const config = { ...defaultConfig, ...readConfig(body) }
  const timestamps = createTimestamps(call)
  return {
    id: randomUUID(),
    readyAt: call.store.nowIso(call.timing().asyncMs),
    secretGeneration: 0,
    versions: [{ version: 1, createdAt: timestamps.createdAt, config }],
    endpoints: [],
    ...timestamps,
  }
}

/**
 * Creates a version, because each PATCH of a runtime does so (spec). The spec does not say that the body replaces only
 * the given fields of the newest configuration.
 */
function updateRuntime(runtime: Runtime, body: z.infer<typeof ConfigChange>): Runtime {
  const { version, config } = newestVersion(runtime)
  const nextVersion = { version: version + 1, createdAt: runtime.updatedAt, config: { ...config, ...readConfig(body) } }
  return { ...runtime, versions: [...runtime.versions, nextVersion] }
}

/** Machine types of a replica, smallest first, with the price in VND per replica and hour (fields not in the spec). */
const flavors = [
  { id: 'flavor-micro', name: 'Micro', vCPU: 0.5, memoryGiB: 1, pricePerHour: 320 },
  { id: 'flavor-small', name: 'Small', vCPU: 1, memoryGiB: 2, pricePerHour: 650 },
  { id: 'flavor-medium', name: 'Medium', vCPU: 2, memoryGiB: 4, pricePerHour: 1_300 },
  { id: 'flavor-large', name: 'Large', vCPU: 4, memoryGiB: 8, pricePerHour: 2_600 },
  { id: 'flavor-memory', name: 'Large memory', vCPU: 4, memoryGiB: 32, pricePerHour: 4_400 },
  { id: 'flavor-xlarge', name: 'Extra large', vCPU: 8, memoryGiB: 16, pricePerHour: 5_200 },
]

const runtimesPath = '/agent-runtimes'
const runtimePath = `${runtimesPath}/{id}`
const endpointsPath = `${runtimePath}/endpoints`
const endpointPath = `${endpointsPath}/{endpointId}`

/** Runtimes with their versions, endpoints, logs and metrics (spec, "Endpoints", B). */
export const runtime: Service = {
  base: '/runtime',
  access: 'iam',
  operations: [
    runtimes.createAt(runtimesPath, 'runtime.agentRuntimes.create', NewConfig, createRuntime),
    runtimes.listAt(runtimesPath, 'runtime.agentRuntimes.list'),
    runtimes.getAt(runtimePath, 'runtime.agentRuntimes.get'),
    runtimes.updateAt(['PATCH', runtimePath], 'runtime.agentRuntimes.update', ConfigChange, updateRuntime),
    // Also deletes versions and endpoints, and revokes the tokens of the service account.
    runtimes.removeAt(runtimePath, 'runtime.agentRuntimes.delete'),
    // Replaces the service account's secret and returns it once. The old secret gets no more tokens.
    runtimes.updateAt(
      ['PATCH', `${runtimePath}/reset-service-account`],
      'runtime.agentRuntimes.resetServiceAccount',
      NoBody,
      (runtime) => ({ ...runtime, secretGeneration: runtime.secretGeneration + 1 }),
      (runtime, { store }) => {
        const { id, updatedAt } = runtime
        const clientSecret = runtimeClientSecret(store.world(), runtime)
        return okReply({ id, clientId: runtimeClientId(id), clientSecret, updatedAt })
      },
    ),
    endpoints.listAt(endpointsPath, 'runtime.endpoints.list'),
    endpoints.createAt(endpointsPath, 'runtime.endpoints.create', NewEndpoint, createEndpoint),
    endpoints.updateAt(['PATCH', endpointPath], 'runtime.endpoints.setVersion', NoBody, setEndpointVersion),
    // Does not delete the version.
    endpoints.removeAt(endpointPath, 'runtime.endpoints.delete'),
    // Newest first (not in the spec).
    createOperation('runtime.versions.list', 'GET', `${runtimePath}/versions`, (call) =>
      respondWithPage(call.query, runtimes.find(call).versions.toReversed(), ({ config, ...version }) => ({
        ...config,
        ...version,
      })),
    ),
    createOperation('runtime.flavors.list', 'GET', '/flavors', () => okReply(flavors)),
    createOperation('runtime.agentRuntimes.logs', 'POST', `${runtimePath}/logs`, (call) =>
      respondWithLogs(call, () => {
        const runtime = runtimes.find(call)
        const { versions } = runtime
        return versions.map((version, index) => toLogStream(runtime, version, versions[index + 1])).toReversed()
      }),
    ),
    createOperation('runtime.endpoints.logs', 'POST', `${endpointPath}/logs`, (call) =>
      respondWithLogs(call, () => {
        const runtime = runtimes.find(call)
        const { version: shownVersion } = endpoints.find(call)
        const versions = runtime.versions.filter(({ version }) => version === shownVersion)
        return versions.map((version) => toLogStream(runtime, version))
      }),
    ),
    createOperation('runtime.endpoints.metrics', 'GET', `${endpointPath}/metrics`, endpointMetrics),
  ],
}
