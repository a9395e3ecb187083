import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureAge } from './ensure-age.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { ensureElectron } from './ensure-electron.mjs'
import { ensureSystem } from './ensure-system.mjs'
import { atEnd, run } from './lib/processes.mjs'
import { packageCommand, root } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { duration, explain, say } from './lib/steps.mjs'
import {
  countPlaywright,
  countVitest,
  failedPhase,
  judge,
  oneTest,
  readTally,
  sum,
  summary,
  together,
} from './lib/tally.mjs'

/**
 * @typedef {import('./lib/tally.mjs').Tally} Tally
 * @typedef {'check' | 'unit' | 'e2e'} Part
 * @typedef {{ part: Part, name: string, work: (context: Context) => Promise<Tally | undefined> }} Phase
 * @typedef {{ reports: string, setupFailure: string | undefined, buildFailure: string | undefined, rest: string[] }} Context
 */

/** The phases in order; one without a tally (undefined) adds nothing to the sum. */
const phases = /** @type {readonly Phase[]} */ ([
  { part: 'check', name: 'type check', work: () => oneCommand('typescript', 'tsc', ['-b']) },
  {
    part: 'check',
    name: 'lint',
    work: () => oneCommand('@biomejs/biome', 'biome', ['check', '--error-on-warnings', '.']),
  },
  { part: 'unit', name: 'unit tests', work: unitTests },
  { part: 'e2e', name: 'build', work: build },
  { part: 'e2e', name: 'end to end', work: endToEnd },
])

const parts = ['check', 'unit', 'e2e']

const coverageReporter = './test/support/coverage-reporter.ts'

/**
 * Sets everything up, runs every phase even when an earlier one failed, and closes with one line that sums up.
 * @param {string[]} args `--only=check|unit|e2e`; the rest goes to the test runner of that part
 */
async function test(args) {
  const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length)
  const rest = args.filter((arg) => !arg.startsWith('--only='))
  if ((only !== undefined && !parts.includes(only)) || (only === undefined && rest.length > 0)) {
    console.error('Usage: node scripts/test.mjs [--only=check|unit|e2e [ARGUMENT for the test runner]...]')
    return 2
  }
  const chosen = phases.filter(({ part }) => only === undefined || part === only)
  const reports = mkdtempSync(join(tmpdir(), 'test-reports-'))
  const forget = atEnd(() => rmSync(reports, { recursive: true, force: true }))
  const tallies = await runPhases(chosen, { reports, setupFailure: undefined, buildFailure: undefined, rest })
  rmSync(reports, { recursive: true, force: true })
  forget()
  say(['', ...summary(tallies)].join('\n'))
  return sum(tallies).failed > 0 ? 1 : 0
}

/**
 * @param {readonly Phase[]} chosen
 * @param {Context} context
 */
async function runPhases(chosen, context) {
  /** @type {Map<string, Tally>} */
  const tallies = new Map()
  const noPackages = await failureOf(ensureDependencies)
  if (noPackages !== undefined) return tallies.set('set-up', failedPhase(noPackages))
  if (chosen.some(({ part }) => part === 'e2e')) {
    context.setupFailure = await failureOf(async () => {
      await ensureSystem({ desktop: true })
      await ensureElectron()
    })
  }
  for (const phase of chosen) {
    const tally = await runPhase(phase, context)
    if (tally !== undefined) tallies.set(phase.name, tally)
  }
  return tallies
}

/**
 * @param {Phase} phase
 * @param {Context} context
 */
async function runPhase({ name, work }, context) {
  const started = Date.now()
  say(`\n== ${name}`)
  const tally = await work(context).catch((error) => {
    console.error(explain(error))
    return failedPhase('crashed; the reason is above')
  })
  const word = tally !== undefined && tally.failed > 0 ? 'failed' : 'done'
  say(`== ${name}: ${word} after ${duration(Date.now() - started)}`)
  return tally
}

/**
 * The reason why something failed, after telling it; undefined when it did not.
 * @param {() => Promise<void>} work
 */
async function failureOf(work) {
  try {
    await work()
    return undefined
  } catch (error) {
    console.error(explain(error))
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * @param {string} packageName
 * @param {string} command
 * @param {string[]} args
 */
async function oneCommand(packageName, command, args) {
  const { code } = await run(process.execPath, [packageCommand(packageName, command), ...args], { cwd: root })
  return oneTest(code)
}

/** @param {Context} context */
async function unitTests({ reports, rest }) {
  const report = join(reports, 'unit.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  // Where the public age tool cannot be had, kits are exchanged with the files that it made, and the report counts the rest as skipped.
  const noAge = await failureOf(ensureAge)
  if (noAge !== undefined) say(noAge)
  const { code } = await run(process.execPath, [packageCommand('vitest', 'vitest'), 'run', ...reporters, ...rest], {
    cwd: root,
    env: { ...process.env, ...(noAge === undefined ? { REAL_AGE: '1' } : {}) },
  })
  return judge(countVitest(readText(report)), code)
}

/** @param {Context} context */
async function build(context) {
  context.buildFailure = await failureOf(ensureBuild)
  return context.buildFailure === undefined ? undefined : failedPhase(context.buildFailure)
}

/** @param {Context} context */
async function endToEnd({ reports, setupFailure, buildFailure, rest }) {
  const obstacle = setupFailure ?? buildFailure
  if (obstacle !== undefined) return failedPhase(`not run: ${obstacle}`)
  const report = join(reports, 'e2e.json')
  const coverage = join(reports, 'coverage.json')
  // What all tests together call of the platform can be judged of a whole run only.
  const isWhole = rest.length === 0
  const reporters = ['list', 'json', ...(isWhole ? [coverageReporter] : [])]
  const command = [packageCommand('@playwright/test', 'playwright'), 'test', `--reporter=${reporters}`, ...rest]
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, COVERAGE_TALLY: coverage }
  const { code } = await run(process.execPath, command, { cwd: root, env })
  const counted = countPlaywright(readText(report))
  if (!isWhole || counted === undefined) return judge(counted, code)
  return judge(together(counted, readTally(readText(coverage), 'coverage of the platform')), code)
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

await script(import.meta.url, test)
