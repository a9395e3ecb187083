import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolveFromRoot } from '../../scripts/lib/project.mjs'
import { step } from '../../scripts/lib/steps.mjs'
import { generateYearOfRequests } from './ledger/made-up-requests.mjs'
import { createQueries } from './ledger/questions.mjs'
import { measureIdleDelay, measureTraffic } from './ledger/traffic.mjs'
import { getRow, summarize } from './statistics.mjs'

/**
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {import('./ledger/questions.mjs').Question} Question
 * @typedef {{ question: Question, appMs: number[], bareMs: number[] }} Answered
 */

/** Maximum median of any query of the window, up to a million requests and above. */
const goalsMs = { million: 150, beyond: 400 }
const requestsPerSecond = 2000
const trafficMs = 10_000
/** Maximum rounds of plain SQLite, which takes seconds in a large ledger. */
const maxBareRuns = 2
const zone = 'Asia/Ho_Chi_Minh'

/**
 * Fills a ledger with a year of generated requests, runs every query of the window, compared with SQLite summing
 * single requests, and then writes 2,000 requests per second during queries.
 * @param {{ runs: number, folder: string, requests: number, report: (rows: readonly Row[]) => void }} options `report` gets each row once it is measured
 */
export async function benchLedger({ runs, folder, requests, report: tell }) {
  // The bundle must be in a folder from which it finds the database driver. A fresh checkout lacks that folder.
  mkdirSync(resolveFromRoot('node_modules/.cache'), { recursive: true })
  const parts = mkdtempSync(resolveFromRoot('node_modules/.cache/bench-ledger-'))
  try {
    const { createLedger, openLedger, Database } = await bundledParts(parts)
    const nowMs = Date.now()
    const file = join(folder, 'usage.sqlite')
    const million = (requests / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })
    await step(`Filling a ledger with ${million} million requests`, async ({ report }) => {
      const ledger = openLedger({ file, zone })
      let completedCount = 0
      for (const batch of generateYearOfRequests({ count: requests, until: nowMs, batchSize: 5000 })) {
        ledger.add(batch)
        completedCount += batch.length
        report(`${Math.floor((100 * completedCount) / requests)} %`)
      }
      ledger.close()
    })
    const ledger = createLedger({ dataDir: folder, workerPath: resolveFromRoot('out/main/usage.cjs'), zone })
    const bareDatabase = new Database(file)
    const benchQueries = createQueries(nowMs)
    const questionTimings = await step(`Asking ${benchQueries.length} questions, ${runs} times each`, ({ report }) =>
      timeQueries({ ledger, bare: bareDatabase, runs, questions: benchQueries, report }),
    )
    const questionRows = toRows(questionTimings, million)
    tell(questionRows)
    const idleQueryMs = await measureIdleDelay(trafficMs / 2)
    const writeBenchmark = await step(`Writing ${requestsPerSecond} requests a second while questions are asked`, () =>
      measureTraffic(ledger, { perSecond: requestsPerSecond, ms: trafficMs, questions: benchQueries }),
    )
    await ledger.close()
    bareDatabase.close()
    const rows = [...questionRows, ...trafficRows(idleQueryMs, writeBenchmark)]
    return {
      rows,
      notes: listNotes(questionTimings, writeBenchmark, requests <= 1e6 ? goalsMs.million : goalsMs.beyond),
      figures: { quiet: idleQueryMs, traffic: writeBenchmark, slowest: listSlowestQueries(questionTimings) },
    }
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
}

/**
 * @param {string} folder
 * @returns {Promise<typeof import('./ledger/parts')>}
 */
async function bundledParts(folder) {
  const { build } = await import('vite')
  await build({
    root: resolveFromRoot('.'),
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': resolveFromRoot('src/shared') } },
    ssr: { noExternal: true, external: ['libsql'] },
    build: { ssr: resolveFromRoot('test/bench/ledger/parts.ts'), outDir: folder },
  })
  return import(pathToFileURL(join(folder, 'parts.js')).href)
}

/**
 * @param {{ ledger: import('../../src/main/usage/ledger-client').Ledger, bare: import('../../src/main/core/sqlite/database').Database, runs: number,
 *   questions: readonly Question[], report: (text: string) => void }} options
 * @returns {Promise<Answered[]>}
 */
async function timeQueries({ ledger, bare, runs, questions, report }) {
  const questionTimings = []
  for (const benchQuery of questions) {
    const [appMs, bareMs] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])]
    for (let run = 0; run < runs; run += 1) {
      appMs.push(await measureTime(() => benchQuery.ask(ledger)))
      if (run < maxBareRuns) bareMs.push(await measureTime(() => runBareQuery(bare, benchQuery)))
    }
    questionTimings.push({ question: benchQuery, appMs: appMs.slice(1), bareMs: bareMs.slice(1) })
    report(benchQuery.name)
  }
  return questionTimings
}

/** @param {() => unknown} work */
async function measureTime(work) {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/**
 * @param {import('../../src/main/core/sqlite/database').Database} bare
 * @param {Question} question
 */
function runBareQuery(bare, { bare: sql, filter }) {
  const filterPairs = /** @type {const} */ ([
    ['plan', filter.planId],
    ['key', filter.keyId],
    ['tool', filter.toolId],
    ['model', filter.modelCode],
  ]).filter(([, value]) => value !== undefined)
  const origin = filter.scope === 'relay' ? ' AND s.origin = 1' : ''
  const conditions = filterPairs.map(([column]) => ` AND s.${column} = (SELECT id FROM texts WHERE text = ?)`).join('')
  const values = filterPairs.map(([, value]) => value ?? '')
  const totalSql = `SELECT count(*) FROM (${sql.replace('FILTER', conditions + origin)})`
  return bare.row(totalSql, filter.from, filter.to, ...values)
}

/**
 * @param {readonly Answered[]} answered
 * @param {string} million
 * @returns {Row[]}
 */
function toRows(answered, million) {
  const families = [...new Set(answered.map(({ question }) => question.family))]
  return families.map((family, at) => {
    const familyTimings = answered.filter(({ question }) => question.family === family)
    const name =
      at === 0 ? `ledger of ${million} million: ${family} (bare: SQLite without sums)` : `the same: ${family}`
    const values = {
      bare: familyTimings.flatMap(({ bareMs }) => bareMs),
      app: familyTimings.flatMap(({ appMs }) => appMs),
    }
    return getRow({ name, unit: 'ms', goal: undefined }, values)
  })
}

/**
 * @param {import('./ledger/traffic.mjs').Delay} quiet
 * @param {import('./ledger/traffic.mjs').Traffic} traffic
 * @returns {Row[]}
 */
function trafficRows(quiet, traffic) {
  const row = (/** @type {string} */ name, /** @type {'p99Ms' | 'maxMs'} */ of) =>
    getRow({ name, unit: 'µs', goal: undefined }, { bare: [quiet[of] * 1000], app: [traffic[of] * 1000] })
  return [
    row(
      `lateness of the calling thread at ${requestsPerSecond} requests/s and questions, p99 (bare: nothing written)`,
      'p99Ms',
    ),
    row('the same, the most', 'maxMs'),
  ]
}

/**
 * The slowest queries by median, since a single one may have waited for the machine.
 * @param {readonly Answered[]} answered
 */
function listSlowestQueries(answered) {
  return [...medians(answered)].sort((a, b) => b.ms - a.ms).slice(0, 5)
}

/** @param {readonly Answered[]} answered */
function medians(answered) {
  return answered.map(({ question, appMs }) => ({ name: question.name, ms: summarize(appMs).median }))
}

/**
 * @param {readonly Answered[]} answered
 * @param {import('./ledger/traffic.mjs').Traffic} traffic
 * @param {number} goalMs
 */
function listNotes(answered, traffic, goalMs) {
  const metGoalCount = medians(answered).filter(({ ms }) => ms <= goalMs).length
  const slowestTexts = listSlowestQueries(answered).map(({ name, ms }) => `${name} ${Math.round(ms)} ms`)
  return [
    `Ledger: ${metGoalCount} of ${answered.length} questions within ${goalMs} ms at the median; the slowest: ${slowestTexts.join('; ')}.`,
    `Ledger: ${Math.round(traffic.perSecond)} requests/s were kept (${(100 * traffic.kept).toFixed(1)} % of those added) while ${traffic.asked} questions were answered, the slowest in ${Math.round(traffic.slowestMs)} ms.`,
  ]
}
