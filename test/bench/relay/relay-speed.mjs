import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { resolveFromRoot } from '../../../scripts/lib/project.mjs'
import { startGateway, startLoadGenerator } from './instruments.mjs'
import { startPeers } from './peers.mjs'
import { runOnSameCore } from './same-core.mjs'
import { createDirectSubject, nginxSubject, plainSubject, relaySubject } from './subjects.mjs'

/**
 * @typedef {import('./subjects.mjs').Subject} Subject
 * @typedef {Readonly<Record<string, number>>} Figures of one subject in one round, by the names of `measures`
 * @typedef {Readonly<Record<string, Figures>>} Round by subject
 */

const roundMs = 1000
const settleDelayMs = 100
const concurrencyLevels = [1, 16, 64]
const streams = 200
const chunks = 60

/**
 * Loads all subjects alternately, each in its own process. The first round is a warm-up.
 * @param {{ rounds: number, folder: string, withPeers: boolean, report?: (text: string) => void }} options
 * @returns {Promise<Round[]>}
 */
export async function measureRelay({ rounds, folder, withPeers, report }) {
  const gateway = await startGateway(join(folder, 'instruments'))
  const loadProcess = startLoadGenerator(join(folder, 'instruments'))
  const streamLoad = fork(resolveFromRoot('test/bench/relay/stream-load.mjs'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  /** @type {Subject[]} */
  const subjects = []
  try {
    const { port } = gateway
    const nginx = await nginxSubject(port, join(folder, 'nginx'))
    subjects.push(createDirectSubject(port), await plainSubject('sockets', port), await plainSubject('bare', port))
    subjects.push(await relaySubject(port, join(folder, 'relay')))
    if (nginx !== undefined) subjects.push(nginx)
    if (withPeers) subjects.push(...(await startPeers(port, join(folder, 'peers'), report)))
    /** @type {Round[]} */
    const results = []
    for (let round = 1; round <= rounds; round += 1) {
      results.push(await measureRound(subjects, { gateway, load: loadProcess, streamLoad }))
      report?.(`round ${round} of ${rounds}`)
    }
    return results.slice(1)
  } finally {
    await Promise.all(subjects.map(({ end }) => end()))
    gateway.end()
    loadProcess.end()
    streamLoad.disconnect()
  }
}

/**
 * @typedef {object} Means
 * @property {import('./instruments.mjs').Gateway} gateway
 * @property {import('./instruments.mjs').Load} load
 * @property {import('node:child_process').ChildProcess} streamLoad
 */

/**
 * Measures each figure for all subjects directly after another, so that a slow machine affects all of them.
 * @param {readonly Subject[]} subjects
 * @param {Means} means
 * @returns {Promise<Round>}
 */
async function measureRound(subjects, means) {
  /** @type {Record<string, Figures>} */
  const round = {}
  for (const measure of measurements)
    for (const subject of subjects) round[subject.name] = { ...round[subject.name], ...(await measure(subject, means)) }
  return round
}

/** @type {readonly ((subject: Subject, means: Means) => Promise<Figures>)[]} */
const measurements = [
  ...concurrencyLevels.map((inFlight) => async (/** @type {Subject} */ subject, /** @type {Means} */ means) => {
    const result = await measureLoad(subject, means, { message: smallRequest(subject), inFlight })
    return {
      [`perSecond${inFlight}`]: result.perSecond,
      [`p50Us${inFlight}`]: result.p50Us,
      [`cpuUs${inFlight}`]: result.cpuUs,
    }
  }),
  async (subject, means) => {
    const pids = [...subject.pids, means.load.pid, means.gateway.pid].filter((pid) => pid !== undefined)
    const order = { message: smallRequest(subject), inFlight: 1 }
    const result = await runOnSameCore(pids, () => measureLoad(subject, means, order))
    return { perSecondSameCore: result?.perSecond ?? Number.NaN }
  },
  async (subject, means) => {
    // Request of typical size for a coding tool: code with line ends and quotes.
    const code = 'const name = "value" // a line of code\n'.repeat(6500)
    const message = buildRequest(subject, { messages: [{ role: 'user', content: code }] })
    const { p50Us, cpuUs } = await measureLoad(subject, means, { message, inFlight: 1 })
    return { largeP50Us: p50Us, largeCpuUs: cpuUs }
  },
  measureStreams,
  async (subject, means) => ({ abortMs: await measureAbort(subject, means) }),
]

/** @param {Subject} subject */
const smallRequest = (subject) =>
  buildRequest(subject, { messages: [{ role: 'user', content: 'Say hello to the bench' }] })

/**
 * @param {Subject} subject
 * @param {object} body
 */
function buildRequest({ port, path, headers }, body) {
  const options = { stream_options: { include_usage: true } }
  const text = JSON.stringify({ model: 'bench', ...body, ...('stream' in body ? options : {}) })
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    'accept: */*',
    'user-agent: bench/1',
    'accept-language: *',
    'accept-encoding: gzip, deflate',
    ...headers,
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ]
  return head.join('\r\n')
}

/**
 * @param {Subject} subject
 * @param {Means} means
 * @param {{ message: string, inFlight: number }} order
 */
async function measureLoad({ name, port, measure: taken }, { load }, order) {
  const usageBefore = await taken()
  const result = await load.run({ ...order, port, durationMs: roundMs })
  if (result.failed > 0) throw new Error(`${name}: ${result.failed} failed`)
  const usageAfter = await taken()
  const answers = result.perSecond * (roundMs / 1000)
  return { perSecond: result.perSecond, p50Us: result.p50Us, cpuUs: (usageAfter.cpuUs - usageBefore.cpuUs) / answers }
}

/**
 * @param {Subject} subject
 * @param {Means} means
 * @returns {Promise<Figures>}
 */
async function measureStreams(subject, { streamLoad }) {
  const openStreams = async (/** @type {number} */ count, /** @type {string} */ bench) => {
    const message = buildRequest(subject, { bench, stream: true, messages: [] })
    streamLoad.send({ port: subject.port, message, streams: count, leaves: false })
    const [result] = await once(streamLoad, 'message')
    if (result.cut > 0) throw new Error(`${subject.name} cut ${result.cut} streams.`)
    return result
  }
  // Run some streams in sequence, like a single tool.
  /** @type {import('./stream-load.mjs').StreamResult[]} */
  const sequentialResults = []
  for (let run = 0; run < 10; run += 1) sequentialResults.push(await openStreams(1, '10x10'))
  const getMedian = (/** @type {'firstUs' | 'chunkP50Us'} */ figure) =>
    sequentialResults.map((result) => result[figure]).sort((a, b) => a - b)[Math.floor(sequentialResults.length / 2)] ??
    Number.NaN
  const usageBefore = await subject.measure()
  const multiChunkResult = await openStreams(streams, `${chunks}x20`)
  const usageAfter = await subject.measure()
  return {
    firstUs: getMedian('firstUs'),
    chunkP50Us: multiChunkResult.chunkP50Us,
    chunkP99Us: multiChunkResult.chunkP99Us,
    chunkAloneUs: getMedian('chunkP50Us'),
    streamCpuUs: (usageAfter.cpuUs - usageBefore.cpuUs) / streams,
    megabytes: usageAfter.bytes / 1024 / 1024,
  }
}

/**
 * Time in ms until the gateway stops after the client disconnected. NaN if it does not within two seconds.
 * @param {Subject} subject
 * @param {Means} means
 */
async function measureAbort(subject, { gateway, streamLoad }) {
  const timeoutPromise = new Promise((resolve) => setTimeout(resolve, 2000))
  const disconnectPromise = Promise.race([gateway.left(), timeoutPromise])
  const message = buildRequest(subject, { bench: '200x20', stream: true, messages: [] })
  streamLoad.send({ port: subject.port, message, streams: 1, leaves: true })
  const [{ leftAt }] = await once(streamLoad, 'message')
  const endedMs = await disconnectPromise
  await new Promise((resolve) => setTimeout(resolve, settleDelayMs))
  return endedMs === undefined ? Number.NaN : Math.max(0, Number(endedMs - BigInt(leftAt[0])) / 1e6)
}
