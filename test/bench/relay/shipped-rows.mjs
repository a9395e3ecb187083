import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { resolveFromRoot } from '../../../scripts/lib/project.mjs'
import { step } from '../../../scripts/lib/steps.mjs'
import { getRow, summarize } from '../statistics.mjs'
import { hasInstruments, startGateway, startLoadGenerator } from './instruments.mjs'
import { pinToCore, readCpuUs, readMegabytes, startBareRelay, startShippedRelay } from './shipped.mjs'

/**
 * @typedef {import('../statistics.mjs').Row} Row
 * @typedef {import('./shipped.mjs').Program} Program
 * @typedef {{ perSecond: number, cpuUs: number, p50Us: number, p99Us: number }} Figures
 * @typedef {'large' | 'small' | 'small16' | 'small64'} Kind
 * @typedef {Readonly<Record<Kind, Figures>>} Measured
 * @typedef {{ cpuUs: number, firstUs: number, chunkP50Us: number, chunkP99Us: number }} StreamFigures
 * @typedef {{ bare: Measured, shipped: Measured, streams: { bare: StreamFigures, shipped: StreamFigures } }} Round
 * @typedef {(program: Program) => Promise<StreamFigures>} MeasureStreams
 */

const roundMs = 1000
/** Delay in ms after a round until its records are in the ledger, so that their cost is measured too. */
const settleDelayMs = 600
/** Number of warm-up requests, after which V8 has compiled the code. */
const warmUps = { small: 10_000, large: 1500, small64: 30_000 }
const streamWarmUps = 150
const [ownCore, otherCore] = [0, 1]
/** Number of concurrent streams, and of chunks per stream (one every 20 ms). */
const [streams, chunks] = [200, 60]
/** Number of single streams, run in sequence as by a single tool. */
const firstCount = 20

// Request of typical size for a coding tool: code with line ends and quotes.
const code = 'const name = "value" // a line of code\n'.repeat(6500)
const helloPrompt = 'Say hello to the bench'

/** @type {Readonly<Record<Kind, { words: string, content: string, inFlight: number, max: number }>>} */
const requestKinds = {
  large: { words: 'request of 260 KB', content: code, inFlight: 1, max: 2 },
  small: { words: 'small request, 1 in flight', content: helloPrompt, inFlight: 1, max: 2 },
  small16: { words: 'small request, 16 in flight', content: helloPrompt, inFlight: 16, max: 2 },
  small64: { words: 'small request, 64 in flight', content: helloPrompt, inFlight: 64, max: 2 },
}
const kindNames = /** @type {readonly Kind[]} */ (Object.keys(requestKinds))
/** Idle time in ms before memory is measured. */
const idleDelayMs = 30_000
const maxIdleMb = 120

/**
 * Loads `companion relay` as a user runs it and a bare pass-through alternately, each with all threads on one core and
 * the load on another. The first round is a warm-up.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ rows: Row[], rounds: Round[], notes: string[] }>}
 */
export async function benchShippedRelay({ runs, folder, env }) {
  if (!hasInstruments()) return { rows: [], rounds: [], notes: [] }
  const gateway = await startGateway(join(folder, 'shipped'))
  const loadProcess = startLoadGenerator(join(folder, 'shipped'))
  const streamLoad = fork(resolveFromRoot('test/bench/relay/stream-load.mjs'), { execArgv: [] })
  /** @type {Program[]} */
  const programs = []
  try {
    const bareRelay = await startBareRelay(gateway.port)
    programs.push(bareRelay)
    const shippedRelay = await startShippedRelay({ gatewayPort: gateway.port, folder: join(folder, 'shipped'), env })
    programs.push(shippedRelay)
    pinToCore([gateway.pid, loadProcess.pid, streamLoad.pid], otherCore)
    pinToCore([bareRelay.pid, shippedRelay.pid], ownCore)
    return await step(`Loading companion relay beside a bare pass-through, ${runs} times each`, async ({ report }) => {
      const measureLoad = (/** @type {Program} */ program, /** @type {Kind} */ kind) =>
        measure(program, kind, loadProcess)
      const measureStreaming = (/** @type {Program} */ program) => measureStreams(program, streamLoad)
      for (const program of programs) await warmUp(program, loadProcess)
      // Run streams until the code is compiled. Before that, a first chunk takes three times as long.
      for (const program of programs)
        for (let run = 0; run < streamWarmUps; run += 1)
          await runStreamMeasurement(program, streamLoad, { count: 1, bench: '2x5' })
      /** @type {Round[]} */
      const rounds = []
      for (let roundIndex = 1; roundIndex <= runs; roundIndex += 1) {
        const roundMeasurements = { bare: /** @type {any} */ ({}), shipped: /** @type {any} */ ({}) }
        for (const kind of kindNames) {
          roundMeasurements.bare[kind] = await measureLoad(bareRelay, kind)
          roundMeasurements.shipped[kind] = await measureLoad(shippedRelay, kind)
        }
        const streams = { bare: await measureStreaming(bareRelay), shipped: await measureStreaming(shippedRelay) }
        rounds.push({ ...roundMeasurements, streams })
        report(`round ${roundIndex} of ${runs}`)
      }
      await wait(idleDelayMs)
      const memory = { bare: [readMegabytes(bareRelay.pid)], app: [readMegabytes(shippedRelay.pid)] }
      const measuredRounds = rounds.slice(1)
      return {
        rows: [
          ...kindNames.flatMap((kind) => toRows(kind, measuredRounds)),
          ...streamRows(measuredRounds),
          memoryRow(memory),
        ],
        rounds: measuredRounds,
        notes: [],
      }
    })
  } finally {
    await Promise.all(programs.map(({ end }) => end()))
    gateway.end()
    loadProcess.end()
    streamLoad.disconnect()
  }
}

/**
 * @param {Program} program
 * @param {import('./instruments.mjs').Load} load
 */
async function warmUp(program, load) {
  for (const kind of /** @type {const} */ (['small', 'large', 'small64'])) {
    let completedCount = 0
    while (completedCount < warmUps[kind])
      completedCount += (await runLoad(program, kind, load)).perSecond * (roundMs / 1000)
  }
}

/**
 * @param {Program} program
 * @param {Kind} kind
 * @param {import('./instruments.mjs').Load} load
 */
async function runLoad(program, kind, load) {
  const { content, inFlight } = requestKinds[kind]
  const message = buildRequest(program, content)
  const result = await load.run({ port: program.port, message, inFlight, durationMs: roundMs })
  if (result.failed > 0) throw new Error(`${program.name}: ${result.failed} failed`)
  return result
}

/**
 * @param {Program} program
 * @param {Kind} kind
 * @param {import('./instruments.mjs').Load} load
 * @returns {Promise<Figures>}
 */
async function measure(program, kind, load) {
  const cpuBeforeUs = readCpuUs(program.pid)
  const { perSecond, p50Us, p99Us } = await runLoad(program, kind, load)
  await wait(settleDelayMs)
  return { perSecond, p50Us, p99Us, cpuUs: (readCpuUs(program.pid) - cpuBeforeUs) / (perSecond * (roundMs / 1000)) }
}

/**
 * @param {Program} program
 * @param {import('node:child_process').ChildProcess} streamLoad
 * @param {{ count: number, bench: string }} order
 * @returns {Promise<import('./stream-load.mjs').StreamResult>}
 */
async function runStreamMeasurement(program, streamLoad, { count, bench }) {
  const options = { bench, stream: true, stream_options: { include_usage: true } }
  const message = buildRequest(program, helloPrompt, options)
  streamLoad.send({ port: program.port, message, streams: count, leaves: false })
  const [result] = await once(streamLoad, 'message')
  if (result.cut > 0) throw new Error(`${program.name} cut ${result.cut} streams.`)
  return result
}

/**
 * Many concurrent streams, after some single ones for the time to the first chunk.
 * @param {Program} program
 * @param {import('node:child_process').ChildProcess} streamLoad
 * @returns {Promise<StreamFigures>}
 */
async function measureStreams(program, streamLoad) {
  /** @type {number[]} */
  const sequentialResults = []
  for (let run = 0; run < firstCount; run += 1)
    sequentialResults.push((await runStreamMeasurement(program, streamLoad, { count: 1, bench: '2x5' })).firstUs)
  const cpuBeforeUs = readCpuUs(program.pid)
  const { chunkP50Us, chunkP99Us } = await runStreamMeasurement(program, streamLoad, {
    count: streams,
    bench: `${chunks}x20`,
  })
  await wait(settleDelayMs)
  const cpuUs = (readCpuUs(program.pid) - cpuBeforeUs) / (streams * chunks)
  return { cpuUs, firstUs: summarize(sequentialResults).median, chunkP50Us, chunkP99Us }
}

/**
 * @param {Program} program
 * @param {string} content
 * @param {object} [more] of the body
 */
function buildRequest({ port, path, headers }, content, more = {}) {
  const text = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content }], ...more })
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    'accept: */*',
    'user-agent: bench/1',
    ...headers,
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ]
  return head.join('\r\n')
}

/**
 * @param {Kind} kind
 * @param {readonly Round[]} rounds
 * @returns {Row[]}
 */
function toRows(kind, rounds) {
  const { words, max } = requestKinds[kind]
  const row = (
    /** @type {string} */ what,
    /** @type {string} */ unit,
    /** @type {keyof Figures} */ figure,
    /** @type {Row['goal']} */ goal,
  ) => {
    const values = (/** @type {'bare' | 'shipped'} */ of) => rounds.map((round) => round[of][kind][figure])
    const name = `companion relay, ${words}, ${what}`
    return getRow({ name, unit, goal }, { bare: values('bare'), app: values('shipped') })
  }
  return [
    row('CPU of all its threads', 'µs', 'cpuUs', { max }),
    row('throughput', 'requests/s', 'perSecond', { min: 1 / max }),
    row('p50', 'µs', 'p50Us', undefined),
    row('p99', 'µs', 'p99Us', { max: 2 }),
  ]
}

/**
 * @param {readonly Round[]} rounds
 * @returns {Row[]}
 */
function streamRows(rounds) {
  const row = (
    /** @type {string} */ what,
    /** @type {keyof StreamFigures} */ figure,
    /** @type {Row['goal']} */ goal,
  ) => {
    const values = (/** @type {'bare' | 'shipped'} */ of) => rounds.map((round) => round.streams[of][figure])
    const name = `companion relay, ${what}`
    return getRow({ name, unit: 'µs', goal }, { bare: values('bare'), app: values('shipped') })
  }
  return [
    row('stream, to its first chunk', 'firstUs', { max: 2 }),
    row(`${streams} streams, CPU of a chunk`, 'cpuUs', { max: 2 }),
    row(`${streams} streams, p50 of a chunk`, 'chunkP50Us', undefined),
    row(`${streams} streams, p99 of a chunk`, 'chunkP99Us', { max: 2 }),
  ]
}

/**
 * @param {{ bare: readonly number[], app: readonly number[] }} megabytes
 * @returns {Row}
 */
function memoryRow({ bare, app }) {
  const [min = Number.NaN] = bare
  const name = `companion relay, memory ${idleDelayMs / 1000} s behind the load (goal: ${maxIdleMb} MB)`
  return getRow({ name, unit: 'MB', goal: { max: maxIdleMb / min } }, { bare, app })
}
