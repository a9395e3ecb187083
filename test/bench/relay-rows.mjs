import { step } from '../../scripts/lib/steps.mjs'
import { hasInstruments } from './relay/instruments.mjs'
import { measureRelay } from './relay/relay-speed.mjs'
import { benchShippedRelay } from './relay/shipped-rows.mjs'
import { getRow, table } from './statistics.mjs'

/**
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {import('./relay/relay-speed.mjs').Round} Round
 */

const notMeasuredText = 'The relay was not measured: what loads it is built by a C compiler (cc), on Linux.'

// Goals as ratios to the pass-through: at most twice its time, at least half its rate.
const maxGoal = { max: 2 }
const minGoal = { min: 0.5 }

/** @type {readonly (readonly [figure: string, name: string, unit: string, goal: Row['goal']])[]} */
const measures = [
  ['perSecond1', 'relay, small JSON, 1 in flight (bare: node:http)', 'requests/s', minGoal],
  ['perSecondSameCore', 'the same, gateway and tool on the same core', 'requests/s', minGoal],
  ['perSecond16', 'the same, 16 in flight', 'requests/s', minGoal],
  ['perSecond64', 'the same, 64 in flight', 'requests/s', minGoal],
  ['cpuUs16', 'CPU of a request, 16 in flight', 'µs', maxGoal],
  ['largeP50Us', 'request of 260 KB, p50', 'µs', maxGoal],
  ['largeCpuUs', 'CPU of a request of 260 KB', 'µs', maxGoal],
  ['firstUs', 'stream, to its first chunk', 'µs', maxGoal],
  ['chunkAloneUs', 'one stream, gateway to tool, p50 of a chunk', 'µs', maxGoal],
  ['chunkP50Us', '200 streams, gateway to tool, p50 of a chunk', 'µs', maxGoal],
  ['chunkP99Us', 'the same, p99', 'µs', undefined],
  ['streamCpuUs', 'CPU of a stream of 60 chunks', 'µs', maxGoal],
  ['megabytes', 'memory at the end of the streams', 'MB', undefined],
  ['abortMs', 'from leaving to the gateway’s end', 'ms', undefined],
]

const throughputs = /** @type {const} */ ([
  ['perSecondSameCore', '1 in flight, all on the same core'],
  ['perSecond1', '1 in flight, over all cores'],
  ['perSecond16', '16 in flight'],
  ['perSecond64', '64 in flight'],
])

/**
 * Loads the relay and a bare pass-through alternately. The first round is a warm-up. The notes contain all
 * comparisons, and goals that are not ratios.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv, withPeers: boolean, report: (rows: readonly Row[]) => void }} options `env` of a desktop with a keychain; `report` gets each row once it is measured
 * @returns {Promise<{ rows: Row[], rounds: Round[], shipped: object[], notes: string[] }>}
 */
export async function benchRelay({ runs, folder, env, withPeers, report: tell }) {
  if (!hasInstruments()) return { rows: [], rounds: [], shipped: [], notes: [notMeasuredText] }
  const shippedRows = await benchShippedRelay({ runs, folder, env })
  tell(shippedRows.rows)
  const rounds = await step(`Loading a bare pass-through and the relay in turn, ${runs} times each`, ({ report }) =>
    measureRelay({ rounds: runs, folder, withPeers, report }),
  )
  const values = (/** @type {string} */ subject, /** @type {string} */ figure) =>
    rounds.map((round) => round[subject]?.[figure] ?? Number.NaN)
  const allRows = measures.map(([figure, name, unit, goal]) =>
    getRow({ name, unit, goal }, { bare: values('bare', figure), app: values('relay', figure) }),
  )
  // Omit rows without a measurement.
  const rows = allRows.filter(({ app }) => !Number.isNaN(app.median))
  const median = (/** @type {string} */ subject, /** @type {string} */ figure) => {
    const sorted = values(subject, figure).sort((a, b) => a - b)
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  }
  const subjects = Object.keys(rounds[0] ?? {})
  const cells = measures.map(([figure, name, unit]) => [
    `${name.replace(/^relay, | \(bare: node:http\)/g, '')}, ${unit}`,
    ...subjects.map((subject) => formatValue(median(subject, figure))),
  ])
  const notes = [table([['median', ...subjects], ...cells]).join('\n'), ...formatVerdicts(subjects, median)]
  return { rows: [...shippedRows.rows, ...rows], rounds, shipped: shippedRows.rounds, notes }
}

/** @param {number} value */
const formatValue = (value) => (Number.isNaN(value) ? '-' : value.toFixed(value < 10 ? 1 : 0))

/**
 * @param {readonly string[]} subjects
 * @param {(subject: string, figure: string) => number} median
 */
function formatVerdicts(subjects, median) {
  const formatAddedTimes = (/** @type {string} */ figure) => {
    const formatDifference = (/** @type {string} */ subject) =>
      formatValue(median(subject, figure) - median('direct', figure))
    const baselines = ['sockets', 'bare', 'nginx'].filter((subject) => subjects.includes(subject))
    return `${formatDifference('relay')} µs (${baselines.map((subject) => `${subject} ${formatDifference(subject)}`).join(', ')})`
  }
  const abortMs = median('relay', 'abortMs')
  const lines = [
    `Added to a chunk at the median: in one stream ${formatAddedTimes('chunkAloneUs')}, in 200 at once ${formatAddedTimes('chunkP50Us')} (goal: under 300).`,
    `A client that leaves ends the gateway's answer after ${formatValue(abortMs)} ms (goal: within 50).`,
  ]
  const peers = subjects.filter((subject) => !['direct', 'sockets', 'bare', 'relay', 'nginx'].includes(subject))
  for (const [figure, words] of peers.length === 0 ? [] : throughputs) {
    const fastestPeer = Math.max(...peers.map((peer) => median(peer, figure)))
    const formatRatio = (/** @type {string} */ subject) => (median(subject, figure) / fastestPeer).toFixed(1)
    if (Number.isNaN(median('relay', figure))) continue
    const goalText = `goal: at least 7; bare: ${formatRatio('bare')}, joined sockets: ${formatRatio('sockets')}`
    lines.push(`Requests/s, ${words}: ${formatRatio('relay')} times the fastest peer (${goalText}).`)
  }
  return lines
}
