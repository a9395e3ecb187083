import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import { step } from '../../scripts/lib/steps.mjs'
import { runNode } from './run-command.mjs'
import { withWindowOutput } from './start-window.mjs'
import { getRow } from './statistics.mjs'

/**
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {{ firstMs: number, againMs: readonly number[], answeredMs: number }} Look
 * @typedef {Look & { bareMs: number }} DiffRound
 * @typedef {{ name: string, goalMs: number, text: () => string }} Size
 */

const observer = resolveFromRoot('test/bench/observe-diff.cjs')
const maxRounds = 5
/** Tool whose settings are strict JSON, which plain Node can parse too. */
const toolId = 'claude-code'
const setting = 'ANTHROPIC_BASE_URL'

/** @type {readonly Size[]} */
const sizes = [
  { name: 'small', goalMs: 100, text: () => readText(5) },
  { name: '5 MB', goalMs: 1000, text: () => readText(36_000) },
]

/**
 * Text of a settings file with a list and an object, each with `entries` entries.
 * @param {number} entries
 */
function readText(entries) {
  const texts = Array.from({ length: entries }, (_, at) => `a value that is long enough to fill a file, number ${at}`)
  const ownSettings = {
    theme: 'dark',
    list: texts,
    members: Object.fromEntries(texts.map((text, at) => [`own-${at}`, text])),
  }
  return `${JSON.stringify(ownSettings, null, 2)}\n`
}

/**
 * Measures the preview of a tool's configuration for a small settings file and one of 5 MB, compared with Node reading
 * and writing the same file. The first round is a warm-up. Each round restarts the app.
 * @param {{ runs: number, subjects: { app: import('./start-window.mjs').WindowProgram, dataDir: string, home: string } }} options
 * @returns {Promise<{ rows: Row[], notes: string[], rounds: { [size: string]: DiffRound[] } }>}
 */
export async function benchDiffs({ runs, subjects }) {
  const rounds = await step('Looking at the diff of a small file and of one of 5 MB', async ({ report }) => {
    /** @type {{ [size: string]: DiffRound[] }} */
    const measuredTimes = Object.fromEntries(sizes.map(({ name }) => [name, []]))
    for (let run = 1; run <= Math.min(runs, maxRounds); run += 1) {
      for (const { name, text } of sizes) measuredTimes[name]?.push(await round(subjects, text()))
      report(`round ${run}`)
    }
    return Object.fromEntries(Object.entries(measuredTimes).map(([name, all]) => [name, all.slice(1)]))
  })
  return { rows: sizes.flatMap(({ name }) => toRows(name, rounds[name] ?? [])), notes: [describeGoals(rounds)], rounds }
}

/**
 * @param {Parameters<typeof benchDiffs>[0]['subjects']} subjects
 * @param {string} text
 * @returns {Promise<DiffRound>}
 */
async function round({ app, dataDir, home }, text) {
  const file = join(home, '.claude', 'settings.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  const [plan] = JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')).plans
  const { wanted: _, ...program } = app
  const choice = { toolId, planId: plan.id, modelCode: plan.models[0] }
  const env = { ...app.env, BENCH_DIFF: JSON.stringify({ choice, setting, looks: 3 }) }
  const plainRun = await runNode(['-e', readAndWrite, file], { env: app.env })
  return withWindowOutput(
    { ...program, env, observer },
    (/** @type {{ shownMs: number[], answeredMs: number }} */ told) => {
      const [firstMs = Number.NaN, ...againMs] = told.shownMs
      return { firstMs, againMs, answeredMs: told.answeredMs, bareMs: plainRun.durationMs }
    },
  )
}

const readAndWrite =
  "process.stdout.write(JSON.stringify(JSON.parse(require('node:fs').readFileSync(process.argv[1], 'utf8')), null, 2))"

/**
 * @param {string} size
 * @param {readonly DiffRound[]} rounds
 * @returns {Row[]}
 */
function toRows(size, rounds) {
  const plainTimesMs = rounds.map(({ bareMs }) => bareMs)
  const row = (/** @type {string} */ name, /** @type {(look: Look) => number | readonly number[]} */ value) =>
    getRow({ name, unit: 'ms', goal: undefined }, { bare: plainTimesMs, app: rounds.flatMap(value) })
  return [
    row(`diff of a ${size} file, from the click (bare: node reads and writes it)`, ({ againMs }) => againMs),
    row('the same, the first since the app was started', ({ firstMs }) => firstMs),
    row('the same, only until the page has the answer', ({ answeredMs }) => answeredMs),
  ]
}

/** @param {{ [size: string]: readonly DiffRound[] }} rounds */
function describeGoals(rounds) {
  const goalResults = sizes.map(({ name, goalMs }) => {
    const allTimes = (rounds[name] ?? []).flatMap(({ firstMs, againMs }) => [firstMs, ...againMs])
    return `of a ${name} file ${allTimes.filter((ms) => ms <= goalMs).length} of ${allTimes.length} times within ${goalMs} ms`
  })
  return `The diff was on the screen: ${goalResults.join(', ')}.`
}
