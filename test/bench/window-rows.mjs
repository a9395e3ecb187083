import { join } from 'node:path'
import { step } from '../../scripts/lib/steps.mjs'
import { benchDiffs } from './diff-rows.mjs'
import { benchIdle } from './idle-rows.mjs'
import { benchPages } from './page-rows.mjs'
import { benchScrolling } from './scroll-rows.mjs'
import { measurePackagedStart, measureStart } from './start-window.mjs'
import { getRow } from './statistics.mjs'
import { makePackaged, makeSubjects } from './subjects.mjs'

/**
 * @typedef {import('./start-window.mjs').WindowStart} WindowStart
 * @typedef {import('./statistics.mjs').Row} Row
 * @typedef {object} Pair
 * @property {WindowStart} bare
 * @property {WindowStart} app
 * @property {WindowStart} firstRun
 * @property {WindowStart} slowTools
 * @property {{ app: WindowStart, firstRun: WindowStart }} [packaged]
 *
 * @typedef {{ name: string, unit: string, goal?: Row['goal'], bare: (pair: Pair) => number, app: (pair: Pair) => number }} Measure
 */

/** @type {readonly Measure[]} */
const measures = [
  {
    name: 'first contentful paint of home',
    unit: 'ms',
    goal: { max: 1.35 },
    bare: ({ bare }) => bare.paintedMs,
    app: ({ app }) => app.paintedMs,
  },
  {
    name: 'first contentful paint of the first run',
    unit: 'ms',
    goal: { max: 1.35 },
    bare: ({ bare }) => bare.paintedMs,
    app: ({ firstRun }) => firstRun.paintedMs,
  },
  {
    name: 'paint of home with 20 slow tools installed (bare: the app without)',
    unit: 'ms',
    bare: ({ app }) => app.paintedMs,
    app: ({ slowTools }) => slowTools.paintedMs,
  },
  {
    name: 'home usable (bare: DOM content loaded)',
    unit: 'ms',
    goal: { max: 1.5 },
    bare: ({ bare }) => bare.loadedMs,
    app: ({ app }) => app.completedMs,
  },
  {
    name: 'private memory, all processes',
    unit: 'MB',
    goal: { max: 1.4 },
    bare: ({ bare }) => sumPrivateMb(bare),
    app: ({ app }) => sumPrivateMb(app),
  },
  {
    name: 'packaged: first contentful paint of home',
    unit: 'ms',
    goal: { max: 1.35 },
    bare: ({ bare }) => bare.paintedMs,
    app: ({ packaged }) => packaged?.app.paintedMs ?? 0,
  },
  {
    name: 'packaged: first contentful paint of the first run',
    unit: 'ms',
    goal: { max: 1.35 },
    bare: ({ bare }) => bare.paintedMs,
    app: ({ packaged }) => packaged?.firstRun.paintedMs ?? 0,
  },
  {
    name: 'packaged: home usable (bare: DOM content loaded)',
    unit: 'ms',
    goal: { max: 1.5 },
    bare: ({ bare }) => bare.loadedMs,
    app: ({ packaged }) => packaged?.app.completedMs ?? 0,
  },
  {
    name: 'packaged: private memory, all processes',
    unit: 'MB',
    goal: { max: 1.4 },
    bare: ({ bare }) => sumPrivateMb(bare),
    app: ({ packaged }) => (packaged ? sumPrivateMb(packaged.app) : 0),
  },
  { name: 'processes', unit: '', bare: ({ bare }) => bare.memory.length, app: ({ app }) => app.memory.length },
]

/**
 * Starts the app and a bare window alternately, scrolls in both, opens every page with 500 plans, shows diffs and
 * measures both idle. The first round of each is a warm-up.
 * @param {{ runs: number, folder: string, env: NodeJS.ProcessEnv, report: (rows: readonly Row[]) => void }} options `report` gets each row once it is measured
 * @returns {Promise<{ rows: Row[], notes: string[], pairs: Pair[], diffs: object, scrolling: import('./scroll-rows.mjs').Round[], pages: import('./page-rows.mjs').Opened[][], idle: import('./idle-rows.mjs').Round[] }>}
 */
export async function benchWindow({ runs, folder, env, report: tell }) {
  const subjects = await step('Preparing a data folder with three plans', () => makeSubjects(folder, env))
  const packagedApp = await step('Packaging the app', () => makePackaged(join(folder, 'packaged'), subjects))
  const pairs = await step(`Starting a bare window and the app in turn, ${runs} times each`, async ({ report }) => {
    /** @type {Pair[]} */
    const measuredPairs = []
    for (let run = 1; run <= runs; run += 1) {
      const baselineStart = await measureStart(subjects.bareWindow)
      const app = await measureStart(subjects.app)
      const firstRun = await measureStart(subjects.firstRun)
      const slowTools = await measureStart(subjects.slowTools)
      const packagedStarts = packagedApp && {
        app: await measurePackagedStart(packagedApp.app),
        firstRun: await measurePackagedStart(packagedApp.firstRun),
      }
      measuredPairs.push({
        bare: baselineStart,
        app,
        firstRun,
        slowTools,
        ...(packagedStarts && { packaged: packagedStarts }),
      })
      report(`pair ${run} of ${runs}`)
    }
    return measuredPairs.slice(1)
  })
  const startRows = toRows(pairs)
  tell(startRows)
  const diffs = await benchDiffs({ runs, subjects })
  tell(diffs.rows)
  const scrolling = await benchScrolling({ runs, folder, env })
  tell(scrolling.rows)
  const pages = await benchPages({ runs, folder, env })
  tell(pages.rows)
  const idleResults = await benchIdle({ runs, folder, env })
  return {
    rows: [...startRows, ...diffs.rows, ...scrolling.rows, ...pages.rows, ...idleResults.rows],
    notes: [...listNotes(pairs), ...diffs.notes, ...pages.notes],
    pairs,
    diffs: diffs.rounds,
    scrolling: scrolling.rounds,
    pages: pages.rounds,
    idle: idleResults.rounds,
  }
}

/** @param {WindowStart} start */
function sumPrivateMb({ memory }) {
  return memory.reduce((sum, { privateMb: one }) => sum + one, 0)
}

/**
 * @param {readonly Pair[]} pairs
 * @returns {Row[]}
 */
function toRows(pairs) {
  return measures.flatMap(({ name, unit, goal, ...of }) => {
    const nonzeroPairs = pairs.filter((pair) => of.bare(pair) > 0 && of.app(pair) > 0)
    if (nonzeroPairs.length === 0) return []
    return [getRow({ name, unit, goal }, { bare: nonzeroPairs.map(of.bare), app: nonzeroPairs.map(of.app) })]
  })
}

/** @param {readonly Pair[]} pairs */
function listNotes(pairs) {
  const isShared = pairs.some(({ bare, app }) => bare.memory.length === 0 || app.memory.length === 0)
  if (!isShared || process.platform !== 'linux') return []
  return ['Another Electron ran meanwhile and shared pages with these: memory counts the pairs without it only.']
}
