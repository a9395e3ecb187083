import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureStart } from '../test/bench/start-window.mjs'
import { printSpread, spreadOf, table } from '../test/bench/statistics.mjs'
import { makeSubjects } from '../test/bench/subjects.mjs'
import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { ensureElectron } from './ensure-electron.mjs'
import { ensureSystem } from './ensure-system.mjs'
import { withDesktop } from './lib/desktop.mjs'
import { atEnd } from './lib/processes.mjs'
import { script } from './lib/script.mjs'
import { say, step } from './lib/steps.mjs'

/**
 * @typedef {import('../test/bench/start-window.mjs').WindowStart} WindowStart
 * @typedef {{ bare: WindowStart, app: WindowStart, bareNodeMs: number, printKeyMs: number }} Pair
 * @typedef {{ name: string, unit: string, goal?: number, bare: (pair: Pair) => number, app: (pair: Pair) => number }} Measure
 */

const usage = 'Usage: npm run bench -- [--runs PAIRS (at least 2; the first warms up and does not count)] [--json FILE]'

/** @type {readonly Measure[]} */
const measures = [
  {
    name: 'first contentful paint',
    unit: 'ms',
    goal: 1.5,
    bare: ({ bare }) => bare.paintedMs,
    app: ({ app }) => app.paintedMs,
  },
  {
    name: 'home usable (bare: DOM content loaded)',
    unit: 'ms',
    bare: ({ bare }) => bare.loadedMs,
    app: ({ app }) => app.completedMs,
  },
  {
    name: 'private memory, all processes',
    unit: 'MB',
    goal: 1.5,
    bare: ({ bare }) => privateMb(bare),
    app: ({ app }) => privateMb(app),
  },
  { name: 'processes', unit: '', bare: ({ bare }) => bare.memory.length, app: ({ app }) => app.memory.length },
  {
    name: 'companion key print (bare: node -e 0)',
    unit: 'ms',
    bare: ({ bareNodeMs }) => bareNodeMs,
    app: ({ printKeyMs }) => printKeyMs,
  },
]

/**
 * Measures the app beside a bare window, in turn and on the same machine, and prints how many times more it needs.
 * Over a goal is no failure: it depends on the machine.
 * @param {string[]} args
 */
async function bench(args) {
  const options = readOptions(args)
  if (options === undefined) {
    console.error(usage)
    return 2
  }
  await ensureDependencies()
  await ensureSystem({ desktop: process.platform === 'linux' })
  await ensureElectron()
  await ensureBuild()
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const forget = atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const work = (/** @type {NodeJS.ProcessEnv} */ env) => measurePairs(options.runs, folder, env)
  try {
    const pairs = process.platform === 'linux' ? await withDesktop(work) : await work(process.env)
    report(pairs, options.json)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    forget()
  }
}

/** @param {string[]} args */
function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: { runs: { type: 'string', default: '7' }, json: { type: 'string' } },
    })
    const runs = Number(values.runs)
    return Number.isInteger(runs) && runs >= 2 && runs <= 1000 ? { runs, json: values.json } : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {number} runs
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
async function measurePairs(runs, folder, env) {
  const subjects = await step('Preparing a data folder with three plans', () => makeSubjects(folder, env))
  return step(`Starting a bare window and the app in turn, ${runs} times each`, async ({ report }) => {
    /** @type {Pair[]} */
    const pairs = []
    for (let run = 1; run <= runs; run += 1) {
      const bare = await measureStart(subjects.bareWindow)
      const app = await measureStart(subjects.app)
      pairs.push({ bare, app, bareNodeMs: await subjects.bareNode(), printKeyMs: await subjects.printKey() })
      report(`pair ${run} of ${runs}`)
    }
    return pairs.slice(1)
  })
}

/** @param {WindowStart} start */
function privateMb({ memory }) {
  return memory.reduce((sum, { privateMb: one }) => sum + one, 0)
}

/**
 * @param {readonly Pair[]} pairs
 * @param {string | undefined} jsonFile
 */
function report(pairs, jsonFile) {
  const results = measures.flatMap(({ name, unit, goal, ...of }) => {
    const counted = pairs.filter((pair) => of.bare(pair) > 0 && of.app(pair) > 0)
    if (counted.length === 0) return []
    const [bare, app] = [spreadOf(counted.map(of.bare)), spreadOf(counted.map(of.app))]
    return { name, unit, bare, app, ratio: app.median / bare.median, goal, pairs: counted.length }
  })
  const rows = results.map(({ name, unit, bare, app, ratio, goal }) => {
    const verdict = goal === undefined ? '' : `${ratio <= goal ? 'within' : 'over'} the goal of ${goal}`
    return [unit === '' ? name : `${name}, ${unit}`, printSpread(bare), printSpread(app), ratio.toFixed(2), verdict]
  })
  say(['', ...table([['median (range)', 'bare', 'app', 'ratio', ''], ...rows])].join('\n'))
  const isShared = pairs.some(({ bare, app }) => bare.memory.length === 0 || app.memory.length === 0)
  if (isShared && process.platform === 'linux')
    say('\nAnother Electron ran meanwhile and shared pages with these: memory counts the pairs without it only.')
  say(
    `\nRatios compare; the figures themselves belong to this machine (${cpus().length} cores, ${pairs.length} pairs).`,
  )
  if (jsonFile === undefined) return
  writeFileSync(
    jsonFile,
    `${JSON.stringify({ platform: process.platform, cores: cpus().length, results, pairs }, null, 2)}\n`,
  )
  say(`Written: ${jsonFile}`)
}

await script(import.meta.url, bench)
