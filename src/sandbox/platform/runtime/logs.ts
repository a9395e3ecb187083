import type { Runtime, RuntimeVersion } from '../../state/world'
import { createRandom, hashText } from '../../text-model/embed'

export interface LogLine {
  /** ISO 8601 UTC in the sandbox's clock. */
  readonly timestamp: string
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
  readonly message: string
  /** Counted from 1. */
  readonly replica: number
}

const tools = ['search_orders', 'get_weather', 'create_ticket', 'search_documents', 'send_mail', 'list_events']

const bootMessages = ({ version: { version, config } }: LogStream): readonly string[] => [
  `pulled image ${config.image}`,
  `starting version ${version} with ${config.replicas} replicas on ${config.flavorId}`,
  'listening on 0.0.0.0:8080',
  'version is in service',
]

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
export function buildLogLine(stream: LogStream, index: number): LogLine {
  const random = createRandom(hashText(`${stream.key}|${index}`))
  const timestamp = new Date(lineAtMs(stream, index)).toISOString()
  const bootMessage = bootMessages(stream)[index]
  if (bootMessage !== undefined) return { timestamp, level: 'INFO', message: bootMessage, replica: 1 }
  return { timestamp, ...createMessage(random), replica: 1 + random(Number(stream.version.config.replicas)) }
}

/** Log of one runtime version, until `endsMs` exclusive. Generated, never stored. */
export interface LogStream {
  readonly key: string
  readonly version: RuntimeVersion
  readonly endsMs: number
}

const lineIntervalMs = 7_500

const createdMs = ({ version }: LogStream): number => Date.parse(version.createdAt)

/** Time of a line by index from 0. The lines about the start have the same time. */
const lineAtMs = (stream: LogStream, index: number): number =>
  createdMs(stream) + Math.max(0, index - bootLines + 1) * lineIntervalMs

export function countLines(stream: LogStream, nowMs: number): number {
  const elapsedMs = Math.min(nowMs, stream.endsMs - 1) - createdMs(stream)
  return elapsedMs < 0 ? 0 : bootLines + Math.floor(elapsedMs / lineIntervalMs)
}

/** Unbounded log of one version, for endpoints that point at it. */
export function versionLog({ id }: Runtime, version: RuntimeVersion): LogStream {
  return { key: `${id}|${version.version}`, version, endsMs: Number.POSITIVE_INFINITY }
}

/** Log of a runtime, newest first. Each version logs until the next one replaces it. */
export function listStreams(runtime: Runtime): readonly LogStream[] {
  const { versions } = runtime
  return versions
    .map((version, index) => {
      const nextVersion = versions[index + 1]
      return {
        ...versionLog(runtime, version),
        endsMs: nextVersion ? Date.parse(nextVersion.createdAt) : Number.POSITIVE_INFINITY,
      }
    })
    .toReversed()
}
