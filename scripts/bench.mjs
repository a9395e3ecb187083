import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchCommands } from '../test/bench/command-rows.mjs'
import { benchLedger } from '../test/bench/ledger-rows.mjs'
import { benchPlayground } from '../test/bench/playground-rows.mjs'
import { benchRelay } from '../test/bench/relay-rows.mjs'
import { benchSandbox } from '../test/bench/sandbox/sandbox-rows.mjs'
import { isGoalMet, rowTable } from '../test/bench/statistics.mjs'
import { benchWindow } from '../test/bench/window-rows.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { ensureElectron } from './ensure-electron.mjs'
import { ensureSystem } from './ensure-system.mjs'
import { withDesktop } from './lib/desktop.mjs'
import { addCleanup } from './lib/processes.mjs'
import { script } from './lib/script.mjs'
import { printLine } from './lib/steps.mjs'

/**
 * @typedef {'window' | 'command' | 'sandbox' | 'relay' | 'ledger' | 'playground'} Part
 * @typedef {import('../test/bench/statistics.mjs').Row} Row
 * @typedef {{ rows: Row[], notes?: readonly string[] }} Measured Rows of one part and notes about them.
 */

/** @type {readonly Part[]} */
const partNames = ['window', 'command', 'sandbox', 'relay', 'ledger', 'playground']

const usage =
  'Usage: npm run bench -- [--only=window|command|sandbox|relay|ledger|playground] [--runs COUNT (at least 2, the first one warms up)] [--json FILE] [--peers (also measures other relays, which it installs)] [--requests COUNT (of the ledger, default 300000. 5000000 takes half an hour)] [--tokens COUNT (of each of four responses in the playground, default 6000 in 20 s. 20000 takes 67 s)]'

/**
 * Measures the app and a minimal program for comparison, alternately on the same machine, and prints the ratios of
 * their results. A missed goal is not a failure, because results depend on the machine.
 * @param {string[]} args
 */
async function runBench(args) {
  const options = readOptions(args)
  if (options === undefined) {
    console.error(usage)
    return 2
  }
  const { runs, json, peers: withPeers, requests, tokens } = options
  const isSelected = (/** @type {Part} */ part) => options.only === undefined || options.only === part
  await ensureDependencies()
  if (isSelected('window') || isSelected('command') || isSelected('relay') || isSelected('playground')) {
    await ensureSystem({ desktop: process.platform === 'linux' })
    await ensureElectron()
  }
  await ensureBuild()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const removeCleanup = addCleanup(() => rmSync(folder, { recursive: true, force: true }))
  try {
    /** @type {Readonly<Record<Part, () => Promise<Measured>>>} */
    const parts = {
      window: () => runOnDesktop((env) => benchWindow({ runs, folder, env, report })),
      command: () => runOnDesktop((env) => benchCommands({ runs, folder, env })),
      sandbox: () => benchSandbox({ runs, folder }),
      relay: () => runOnDesktop((env) => benchRelay({ runs, folder, env, withPeers, report })),
      ledger: () => benchLedger({ runs, folder, requests, report }),
      playground: () => runOnDesktop((env) => benchPlayground({ runs, folder, env, tokens })),
    }
    /** @type {Partial<Record<Part, Measured>>} */
    const results = {}
    for (const part of partNames.filter(isSelected)) {
      const measuredRows = await parts[part]()
      results[part] = measuredRows
      report(measuredRows.rows)
      for (const note of measuredRows.notes ?? []) printLine(`\n${note}`)
    }
    reportGoals(Object.values(results).flatMap(({ rows }) => rows))
    if (json !== undefined) writeJson(json, results)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    removeCleanup()
  }
}

/** @param {string[]} args */
function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string' },
        runs: { type: 'string', default: '7' },
        json: { type: 'string' },
        peers: { type: 'boolean', default: false },
        requests: { type: 'string', default: '300000' },
        tokens: { type: 'string', default: '6000' },
      },
    })
    const runs = Number(values.runs)
    const isKnown = values.only === undefined || partNames.some((part) => part === values.only)
    const requests = Number(values.requests)
    const tokens = Number(values.tokens)
    const areSizesValid =
      isInRange(requests, { min: 1000, max: 100_000_000 }) && isInRange(tokens, { min: 1000, max: 1_000_000 })
    const areOptionsValid = isKnown && areSizesValid && isInRange(runs, { min: 2, max: 1000 })
    return areOptionsValid
      ? { only: values.only, runs, json: values.json, peers: values.peers, requests, tokens }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {number} value
 * @param {{ min: number, max: number }} range
 */
function isInRange(value, { min, max }) {
  return Number.isInteger(value) && value >= min && value <= max
}

/**
 * @template Result
 * @param {(env: NodeJS.ProcessEnv) => Promise<Result>} work
 */
function runOnDesktop(work) {
  return process.platform === 'linux' ? withDesktop(work) : work(process.env)
}

/** @type {Set<Row>} */
const reportedRows = new Set()

/**
 * Prints the result rows that were not printed yet.
 * @param {readonly Row[]} rows
 */
function report(rows) {
  const newRows = rows.filter((row) => !reportedRows.has(row))
  for (const row of newRows) reportedRows.add(row)
  if (newRows.length > 0) printLine(['', ...rowTable(newRows)].join('\n'))
}

/** @param {readonly Row[]} rows */
function reportGoals(rows) {
  const rowsWithGoals = rows.filter(({ goal }) => goal !== undefined)
  const missedGoals = rowsWithGoals.filter((row) => !isGoalMet(row))
  printLine(`\nGoals: ${rowsWithGoals.length - missedGoals.length} of ${rowsWithGoals.length} reached.`)
  if (missedGoals.length > 0) printLine(['', ...rowTable(missedGoals)].join('\n'))
  printLine(`\nRatios compare; the figures themselves belong to this machine (${cpus().length} cores).`)
}

/**
 * @param {string} file
 * @param {object} results
 */
function writeJson(file, results) {
  writeFileSync(file, `${JSON.stringify({ platform: process.platform, cores: cpus().length, ...results }, null, 2)}\n`)
  printLine(`Written: ${file}`)
}

await script(import.meta.url, runBench)
