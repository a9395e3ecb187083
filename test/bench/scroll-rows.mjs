import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import { step } from '../../scripts/lib/steps.mjs'
import { planCount, startManyPlans } from '../support/many-plans.mjs'
import { runNode } from './run-command.mjs'
import { withWindowOutput } from './start-window.mjs'
import { getRow } from './statistics.mjs'
import { createBenchSubjects, skipWelcome } from './subjects.mjs'

/**
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {{ maxTaskMs: number, maxFrameMs: number }} Scrolling
 * @typedef {{ bare: Scrolling, app: Scrolling }} Round
 */

const observer = resolveFromRoot('test/bench/observe-scrolling.cjs')
const maxRounds = 4
/** Size of a plain table that resembles the app's table of plans. */
const table = { rows: planCount, columns: 7, rowHeight: 56 }

/**
 * Scrolls the table of 500 plans and a table of as many plain rows in a bare window alternately. The first round is a
 * warm-up.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ rows: Row[], rounds: Round[] }>}
 */
export async function benchScrolling({ runs, folder, env: desktop }) {
  const rounds = await step(`Scrolling ${planCount} rows in a bare window and in the app`, async ({ report }) => {
    const { bareWindow, app, env, dataDir } = createBenchSubjects(join(folder, 'scrolling'), desktop)
    const console = await startManyPlans()
    try {
      await connectAccount({ dataDir, env }, console.connection)
      /** @type {Round[]} */
      const measuredRows = []
      for (let run = 1; run <= Math.min(runs, maxRounds); run += 1) {
        measuredRows.push({ bare: await measureScroll(bareWindow), app: await measureScroll(app, '#/plans') })
        report(`round ${run}`)
      }
      return measuredRows.slice(1)
    } finally {
      await console.close()
    }
  })
  return { rows: measures.map(({ of, value }) => getRow(of, toValues(rounds, value))), rounds }
}

/** @type {readonly { of: Pick<Row, 'name' | 'unit' | 'goal'>, value: (one: Scrolling) => number }[]} */
const measures = [
  {
    of: { name: `scrolling ${planCount} plans: longest task (50: none longer)`, unit: 'ms', goal: { max: 1 } },
    value: ({ maxTaskMs }) => maxTaskMs,
  },
  {
    of: { name: 'the same, longest time between two frames', unit: 'ms', goal: undefined },
    value: ({ maxFrameMs }) => maxFrameMs,
  },
]

/**
 * @param {readonly Round[]} rounds
 * @param {(one: Scrolling) => number} value
 */
function toValues(rounds, value) {
  return { bare: rounds.map(({ bare }) => value(bare)), app: rounds.map(({ app }) => value(app)) }
}

/**
 * @param {import('./start-window.mjs').WindowProgram} program
 * @param {string} [path] where the app shows the table
 * @returns {Promise<Scrolling>}
 */
function measureScroll({ wanted: _, ...program }, path) {
  const env = { ...program.env, BENCH_TABLE: JSON.stringify({ ...table, ...(path === undefined ? {} : { path }) }) }
  return withWindowOutput({ ...program, env, observer }, (/** @type {Scrolling} */ message) => message)
}

/**
 * Connects the app to an account, and dismisses its first screen.
 * @param {{ dataDir: string, env: NodeJS.ProcessEnv }} app
 * @param {object} connection
 */
export async function connectAccount({ dataDir, env }, connection) {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, '..', 'connection.json')
  writeFileSync(file, JSON.stringify(connection))
  const cli = resolveFromRoot('out/main/cli.cjs')
  const command = [cli, '--data-dir', dataDir, 'connection', 'add', '--file', file, '--secret-stdin']
  await runNode(command, { env, input: 'any-token' })
  skipWelcome(join(dataDir, 'settings.json'))
}
