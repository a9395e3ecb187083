import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { endProcess, startProcess } from '../../scripts/lib/processes.mjs'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import { step } from '../../scripts/lib/steps.mjs'
import { withWindowOutput } from './start-window.mjs'
import { getRow } from './statistics.mjs'
import { createBenchSubjects } from './subjects.mjs'

/**
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {{ percent: number, mainPercent: number, maxCallMs: number, maxBlockMs: number }} Idle
 * @typedef {{ bare: Idle, app: Idle, busyBare: Idle, busyApp: Idle }} Round
 */

const observer = resolveFromRoot('test/bench/observe-idle.cjs')
const maxRounds = 4
const writesPerSecond = 10_000

/**
 * Measures the idle app, compared with a bare window, alone and while another program writes into the home folder and
 * the parent of the data folder. The first round is a warm-up.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ rows: Row[], rounds: Round[] }>}
 */
export async function benchIdle({ runs, folder, env: desktop }) {
  const { bareWindow, app, home, dataDir } = createBenchSubjects(join(folder, 'idle'), desktop)
  mkdirSync(dataDir, { recursive: true })
  // Skips the first-start screen, so that the app starts with Home.
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ welcomed: true }))
  const rounds = await step('Watching a bare window and the app do nothing', async ({ report }) => {
    /** @type {Round[]} */
    const measuredRows = []
    for (let run = 1; run <= Math.min(runs, maxRounds); run += 1) {
      measuredRows.push({
        bare: await measureIdleProgram(bareWindow),
        app: await measureIdleProgram(app),
        ...(await runWithFileWriter([home, dirname(dataDir)], async () => ({
          busyBare: await measureIdleProgram(bareWindow),
          busyApp: await measureIdleProgram(app),
        }))),
      })
      report(`round ${run}`)
    }
    return measuredRows.slice(1)
  })
  return { rows: toRows(rounds), rounds }
}

/**
 * @param {readonly Round[]} rounds
 * @returns {Row[]}
 */
function toRows(rounds) {
  const busyCaseName = `while ${writesPerSecond} files a second are written in home`
  const values = (/** @type {(round: Round) => number} */ of) => rounds.map(of)
  return [
    getRow(
      { name: 'idle, all processes', unit: '% of a core', goal: undefined },
      { bare: values(({ bare }) => bare.percent), app: values(({ app }) => app.percent) },
    ),
    getRow(
      {
        name: `idle ${busyCaseName}, beyond a bare window (bare: the 5 allowed)`,
        unit: '% of a core',
        goal: { max: 1 },
      },
      { bare: [5], app: values(({ busyApp, busyBare }) => Math.max(0, busyApp.percent - busyBare.percent)) },
    ),
    getRow(
      { name: `longest call ${busyCaseName} (bare: the 50 allowed)`, unit: 'ms', goal: { max: 1 } },
      { bare: [50], app: values(({ busyApp }) => busyApp.maxCallMs) },
    ),
    getRow(
      { name: `the main process ${busyCaseName}`, unit: '% of a core', goal: undefined },
      { bare: values(({ busyBare }) => busyBare.mainPercent), app: values(({ busyApp }) => busyApp.mainPercent) },
    ),
    getRow(
      { name: `longest block of the main process ${busyCaseName}`, unit: 'ms', goal: undefined },
      { bare: values(({ busyBare }) => busyBare.maxBlockMs), app: values(({ busyApp }) => busyApp.maxBlockMs) },
    ),
  ]
}

/**
 * @param {import('./start-window.mjs').WindowProgram} program
 * @returns {Promise<Idle>}
 */
function measureIdleProgram({ wanted: _, ...program }) {
  return withWindowOutput({ ...program, observer }, (/** @type {Idle} */ message) => message)
}

/**
 * @template Result
 * @param {readonly string[]} folders
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function runWithFileWriter(folders, work) {
  const writer = resolveFromRoot('test/bench/write-files.mjs')
  const child = startProcess(process.execPath, [writer, String(writesPerSecond), ...folders], { stdio: 'ignore' })
  try {
    return await work()
  } finally {
    await endProcess(child, 'SIGTERM')
  }
}
