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

/** Random source for a log line: returns an integer in a range, or an item of a list. */
interface RandomDraw {
  readonly number: (least: number, max: number) => number
  readonly one: (items: readonly string[]) => string
}

type LogText = Pick<LogLine, 'level' | 'message'>
type Kind = readonly [share: number, level: LogLine['level'], message: (draw: RandomDraw) => string]

const tools = ['search_orders', 'get_weather', 'create_ticket', 'search_documents', 'send_mail', 'list_events']
const models = ['aurora-small', 'aurora-large', 'vega-coder']

const session = ({ number }: RandomDraw): string => `session=s-${number(0x1000, 0xffff).toString(16)}`
const request = (draw: RandomDraw, status: number, ms: number): string =>
  `POST /invocations ${status} ${ms} ms ${session(draw)}`

function traceback(draw: RandomDraw): string {
  const tool = draw.one(tools)
  return [
    `${request(draw, 500, draw.number(400, 6_000))} ToolError: ${tool} failed`,
    'Traceback (most recent call last):',
    `  File "/app/agent/tools.py", line ${draw.number(40, 320)}, in ${tool}`,
    `ConnectionError: no answer from ${draw.one(['orders', 'calendar', 'mail', 'weather'])} after 5000 ms`,
  ].join('\n')
}

const logKinds: readonly Kind[] = [
  [400, 'INFO', (draw) => request(draw, 200, draw.number(320, 2_400))],
  [170, 'INFO', (draw) => `tool ${draw.one(tools)} answered in ${draw.number(20, 900)} ms ${session(draw)}`],
  [
    150,
    'INFO',
    (draw) =>
      `memory: ${draw.number(1, 12)} records read in ${draw.number(8, 90)} ms, best score 0.${draw.number(52, 96)}`,
  ],
  [
    110,
    'DEBUG',
    (draw) =>
      `model ${draw.one(models)}: ${draw.number(300, 4_800)} tokens in, ${draw.number(20, 900)} out ${session(draw)}`,
  ],
  [80, 'INFO', (draw) => `memory: event stored in ${draw.number(4, 40)} ms ${session(draw)}`],
  [40, 'INFO', (draw) => request(draw, 400, draw.number(2, 20))],
  [25, 'WARN', (draw) => `${request(draw, 200, draw.number(8_100, 14_000))}, slower than 8000 ms`],
  [
    15,
    'WARN',
    (draw) => `tool ${draw.one(tools)} gave no answer within 5000 ms, trying again (${draw.number(1, 2)} of 3)`,
  ],
  [10, 'ERROR', traceback],
]

const shareTotal = logKinds.reduce((sum, [share]) => sum + share, 0)
const healthLogInterval = 4

function createRandomDraw(seed: number): RandomDraw {
  const nextRandom = createRandom(seed)
  return {
    number: (least, max) => least + nextRandom(max - least + 1),
    one: (items) => items[nextRandom(items.length)] ?? '',
  }
}

function getBootText({ version: { version, config } }: LogStream, index: number): LogText | undefined {
  const messages = [
    `pulled image ${config.image}`,
    `starting version ${version} with ${config.replicas} replicas on ${config.flavorId}`,
    'listening on 0.0.0.0:8080',
    'GET /health 200 2 ms, version is in service',
  ]
  const message = messages[index]
  return message === undefined ? undefined : { level: 'INFO', message }
}

function routineMessage(index: number, draw: RandomDraw): LogText {
  if (index % healthLogInterval === 0) return { level: 'INFO', message: `GET /health 200 ${draw.number(1, 4)} ms` }
  let remainingShare = draw.number(0, shareTotal - 1)
  for (const [share, level, message] of logKinds) {
    if (remainingShare < share) return { level, message: message(draw) }
    remainingShare -= share
  }
  return { level: 'INFO', message: 'GET /health 200' }
}

/** Builds a line deterministically from runtime, version and index. */
export function buildLogLine(stream: LogStream, index: number): LogLine {
  const randomDraw = createRandomDraw(hashText(`${stream.key}|${index}`))
  const replicas = Number(stream.version.config.replicas)
  const replicaNumber = index < bootLines ? 1 : randomDraw.number(1, replicas)
  const timestamp = new Date(lineAtMs(stream, index)).toISOString()
  return { timestamp, ...(getBootText(stream, index) ?? routineMessage(index, randomDraw)), replica: replicaNumber }
}

/** Log of one runtime version, until `endsMs` exclusive. Generated, never stored. */
export interface LogStream {
  readonly key: string
  readonly version: RuntimeVersion
  readonly endsMs: number
}

const bootLineTimesMs: readonly number[] = [0, 400, 1_200, 2_400]
const slotMs = 7_500
const jitterMs = 2_500

/** Number of lines about the start of a version. */
const bootLines = bootLineTimesMs.length

const createdMs = ({ version }: LogStream): number => Date.parse(version.createdAt)

/** Time of a line by index from 0: one line every 5 to 10 s. */
function lineAtMs(stream: LogStream, index: number): number {
  const bootTimeMs = bootLineTimesMs[index]
  if (bootTimeMs !== undefined) return createdMs(stream) + bootTimeMs
  return createdMs(stream) + (index - bootLines + 1) * slotMs + (hashText(`${stream.key}|${index}|at`) % jitterMs)
}

export function countLines(stream: LogStream, nowMs: number): number {
  const endMs = Math.min(nowMs, stream.endsMs - 1)
  const elapsedMs = endMs - createdMs(stream)
  const startedBootLines = bootLineTimesMs.filter((ms) => ms <= elapsedMs).length
  const slotCount = Math.max(Math.floor(elapsedMs / slotMs), 0)
  const isLastLineWritten = lineAtMs(stream, startedBootLines + slotCount - 1) <= endMs
  return startedBootLines + slotCount - (isLastLineWritten || slotCount === 0 ? 0 : 1)
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
