import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import { step } from '../../scripts/lib/steps.mjs'
import { conversationFile } from './playground/conversation.mjs'
import { startTokenServer } from './playground/token-server.mjs'
import { withWindowOutput } from './start-window.mjs'
import { getRow } from './statistics.mjs'
import { createBenchSubjects, skipWelcome } from './subjects.mjs'

/**
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {import('./start-window.mjs').WindowProgram} WindowProgram
 *
 * @typedef {object} Streams four answers as they came side by side
 * @property {number} seconds
 * @property {number} framesPerSecond
 * @property {number} frameP95Ms
 * @property {number} wallOver50 tasks
 * @property {number} wallLongestMs
 * @property {number} cpuOver50 tasks
 * @property {number} cpuLongestMs
 * @property {number} cpuSeconds of the page's main thread
 * @property {number} earlyMb
 * @property {number} lateMb
 *
 * @typedef {{ openedMs: number, answeredMs: number, frameP95Ms: number, maxFrameMs: number }} Opened
 * @typedef {{ bare: Streams, tall: Streams, cases: Streams, short: Opened, long: Opened }} Round
 */

const tokensPerSecond = 300
/** Maximum duration in ms of the start, the navigation and writing the trace. */
const pauseMs = 90_000
const maxRounds = 3
const lengths = { short: 20, long: 5000 }

/**
 * Streams four concurrent answers in the app and in a bare page that appends the same text, and opens and scrolls
 * conversations of 5,000 and of 20 messages. The first round is a warm-up.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv, tokens: number }} options tokens of each answer
 * @returns {Promise<{ rows: Row[], notes: string[], rounds: Round[] }>}
 */
export async function benchPlayground({ runs, folder, env: desktop, tokens }) {
  const subjects = prepare(join(folder, 'playground'), desktop)
  const server = await startTokenServer({ tokens, tokensPerSecond })
  const name = `Four answers of ${tokens} tokens side by side, and a conversation of ${lengths.long} messages`
  try {
    const rounds = await step(name, async ({ report }) => {
      await measureOpen(subjects, 'short', subjects.files)
      /** @type {Round[]} */
      const measuredRows = []
      for (let run = 1; run <= Math.min(runs, maxRounds); run += 1) {
        measuredRows.push(await round(subjects, { url: server.url, tokens }))
        report(`round ${run}`)
      }
      return measuredRows.slice(1)
    })
    return { rows: toRows(rounds), notes: rounds.map(describeGoals), rounds }
  } finally {
    server.close()
  }
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} desktop
 */
function prepare(folder, desktop) {
  const { bareWindow, app, dataDir } = createBenchSubjects(folder, desktop)
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'settings.json'), '{}')
  skipWelcome(join(dataDir, 'settings.json'))
  const files = Object.entries(lengths).map(([title, messages]) => {
    const file = join(folder, `${title}.json`)
    writeFileSync(file, conversationFile({ title, messages }))
    return file
  })
  return { bareWindow, app, files }
}

/**
 * @param {ReturnType<typeof prepare>} subjects
 * @param {{ url: string, tokens: number }} of
 * @returns {Promise<Round>}
 */
async function round(subjects, { url, tokens }) {
  const streamOptions = { tokens, tokensPerSecond }
  return {
    bare: await measureStream(subjects.bareWindow, streamOptions),
    tall: await measureStream(subjects.app, { ...streamOptions, url, cases: 0 }),
    cases: await measureStream(subjects.app, { ...streamOptions, url, cases: 1 }),
    short: await measureOpen(subjects, 'short'),
    long: await measureOpen(subjects, 'long'),
  }
}

/**
 * @param {WindowProgram} program
 * @param {{ tokens: number, url?: string, cases?: number }} wanted
 * @returns {Promise<Streams>}
 */
function measureStream({ wanted: _, ...program }, wanted) {
  const observer = resolveFromRoot('test/bench/playground/observe-streams.cjs')
  const env = { ...program.env, BENCH_STREAMS: JSON.stringify(wanted) }
  const maxMs = pauseMs + (2000 * wanted.tokens) / tokensPerSecond
  return withWindowOutput({ ...program, env, observer, timeoutMs: maxMs }, (/** @type {Streams} */ message) => message)
}

/**
 * @param {Pick<ReturnType<typeof prepare>, 'app'>} subjects
 * @param {string} title
 * @param {readonly string[]} [files] taken in before
 * @returns {Promise<Opened>}
 */
function measureOpen({ app: { wanted: _, ...program } }, title, files = []) {
  const observer = resolveFromRoot('test/bench/playground/observe-conversation.cjs')
  const env = { ...program.env, BENCH_CONVERSATION: JSON.stringify({ title, files }) }
  return withWindowOutput({ ...program, env, observer, timeoutMs: pauseMs }, (/** @type {Opened} */ message) => message)
}

/**
 * @param {readonly Round[]} rounds
 * @returns {Row[]}
 */
function toRows(rounds) {
  return [
    ...streamRows(rounds, 'tall', 'four answers side by side'),
    ...streamRows(rounds, 'cases', 'four answers in a row of a table'),
    ...listOpeningRows(rounds),
  ]
}

/** @type {readonly { name: string, unit: string, value: (of: Streams) => number }[]} */
const streamMeasurements = [
  { name: 'frames per second', unit: '', value: ({ framesPerSecond }) => framesPerSecond },
  { name: '95 of 100 frames within', unit: 'ms', value: ({ frameP95Ms }) => frameP95Ms },
  { name: 'longest task by CPU time', unit: 'ms', value: ({ cpuLongestMs }) => cpuLongestMs },
  { name: 'longest task by the clock', unit: 'ms', value: ({ wallLongestMs }) => wallLongestMs },
  {
    name: 'CPU time of the page',
    unit: '% of a core',
    value: ({ cpuSeconds, seconds }) => (100 * cpuSeconds) / seconds,
  },
  { name: 'memory near the beginning', unit: 'MB', value: ({ earlyMb }) => earlyMb },
  { name: 'memory at the end', unit: 'MB', value: ({ lateMb }) => lateMb },
]

/**
 * @param {readonly Round[]} rounds
 * @param {'tall' | 'cases'} which
 * @param {string} title
 * @returns {Row[]}
 */
function streamRows(rounds, which, title) {
  return streamMeasurements.map(({ name, unit, value }) =>
    getRow(
      { name: `${title}: ${name}`, unit, goal: undefined },
      { bare: rounds.map(({ bare }) => value(bare)), app: rounds.map((round) => value(round[which])) },
    ),
  )
}

/** @type {readonly { name: string, value: (of: Opened) => number }[]} */
const openingMeasures = [
  { name: 'opened, from the press to its last message', value: ({ openedMs }) => openedMs },
  { name: 'read again, only until the page has the answer', value: ({ answeredMs }) => answeredMs },
  { name: 'scrolled, 95 of 100 frames within', value: ({ frameP95Ms }) => frameP95Ms },
]

/**
 * @param {readonly Round[]} rounds
 * @returns {Row[]}
 */
function listOpeningRows(rounds) {
  return openingMeasures.map(({ name, value }) =>
    getRow(
      { name: `${lengths.long} messages ${name} (bare: ${lengths.short} messages)`, unit: 'ms', goal: undefined },
      { bare: rounds.map(({ short }) => value(short)), app: rounds.map(({ long }) => value(long)) },
    ),
  )
}

/** @param {Round} round */
function describeGoals({ bare, tall, cases }) {
  const tasks = (/** @type {Streams} */ { cpuOver50, wallOver50 }) => `${cpuOver50} (by the clock ${wallOver50})`
  return `Tasks with more than 50 ms of CPU: bare ${tasks(bare)}, side by side ${tasks(tall)}, in a table ${tasks(cases)}.`
}
