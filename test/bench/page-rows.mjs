import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import { step } from '../../scripts/lib/steps.mjs'
import { createSavedPlans, planConnections, planCount, startManyPlans } from '../support/many-plans.mjs'
import { connectAccount } from './scroll-rows.mjs'
import { withWindowOutput } from './start-window.mjs'
import { getRow } from './statistics.mjs'
import { createBenchSubjects } from './subjects.mjs'

/**
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {{ path: string, rowsMs: number, contentMs: number, maxTaskMs: number, nodes: number }} Opened
 */

const observer = resolveFromRoot('test/bench/observe-pages.cjs')
const maxRounds = 4

/** Limits for opening each page for the first time, with `planCount` plans. */
const measures = /** @type {const} */ ([
  { value: 'rowsMs', name: 'until its first rows are there', unit: 'ms', max: 150 },
  { value: 'maxTaskMs', name: 'longest task', unit: 'ms', max: 100 },
  { value: 'nodes', name: 'nodes', unit: '', max: 5_000 },
])

/**
 * Opens every page with plans in an app with 500 of them. The first round is a warm-up.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ rows: Row[], notes: string[], rounds: Opened[][] }>}
 */
export async function benchPages({ runs, folder, env: desktop }) {
  const rounds = await step(`Opening every page with ${planCount} plans`, async ({ report }) => {
    const { app, env, dataDir } = createBenchSubjects(join(folder, 'pages'), desktop)
    const console = await startManyPlans()
    try {
      await connectAccount({ dataDir, env }, console.connection)
      keepPlans(join(dataDir, 'settings.json'))
      const { wanted: _, ...program } = app
      const openOptions = {
        ...program,
        env: { ...env, BENCH_PLACES: JSON.stringify({ ...planConnections, '/usage/left': 'Usage' }) },
        observer,
      }
      /** @type {Opened[][]} */
      const measuredRounds = []
      for (let run = 1; run <= Math.min(runs, maxRounds); run += 1) {
        measuredRounds.push(
          await withWindowOutput({ ...openOptions, timeoutMs: 180_000 }, (/** @type {Opened[]} */ message) => message),
        )
        report(`round ${run}`)
      }
      return measuredRounds.slice(1)
    } finally {
      await console.close()
    }
  })
  return { rows: toRows(rounds), notes: listNotes(rounds), rounds }
}

/** @param {string} file of settings, which an account was connected in */
function keepPlans(file) {
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...settings, plans: createSavedPlans(settings.connections.at(-1).id) }))
}

/**
 * Converts the measurements to table rows, with the worst page of each round.
 * @param {readonly Opened[][]} rounds
 */
const toRows = (rounds) =>
  measures.map(({ value, name, unit, max }) =>
    getRow(
      {
        name: `a page with ${planCount} plans: ${name}, at the worst (bare: the ${max} allowed)`,
        unit,
        goal: { max: 1 },
      },
      { bare: [max], app: rounds.map((opened) => Math.max(...opened.map((one) => one[value]))) },
    ),
  )

/** @param {readonly Opened[][]} rounds */
function listNotes(rounds) {
  const listRowsOverLimit = (rounds.at(-1) ?? []).filter((one) => measures.some(({ value, max }) => one[value] > max))
  const lines = listRowsOverLimit.map(
    ({ path, rowsMs, contentMs, maxTaskMs, nodes }) =>
      `${path}: first rows ${Math.round(rowsMs)} ms, all ${Math.round(contentMs)} ms, longest task ${Math.round(maxTaskMs)} ms, ${nodes} nodes`,
  )
  return lines.length === 0 ? [] : [['Pages over what is allowed, in the last round:', ...lines].join('\n')]
}
