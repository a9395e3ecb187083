import { keys, models, plans, tools } from './made-up-requests.mjs'

/**
 * @typedef {import('../../../src/main/usage/ledger-client').Ledger} Ledger
 * @typedef {import('../../../src/main/usage/ports').LedgerFilter} LedgerFilter
 * @typedef {object} Question one of the window's, with and without each filter
 * @property {string} name
 * @property {string} family
 * @property {(ledger: Ledger) => Promise<unknown>} ask
 * @property {string} bare the same out of single requests, without any sums; `FILTER` stands for the filter
 * @property {LedgerFilter} filter
 */

const dayMs = 86_400_000

/** @type {readonly { name: string, of: Partial<LedgerFilter> }[]} */
const filters = [
  { name: 'everything', of: {} },
  { name: 'a plan', of: { planId: plans[1] } },
  { name: 'a model', of: { modelCode: models[2] } },
  { name: 'a tool', of: { toolId: tools[3] } },
  { name: 'a key', of: { keyId: keys[4] } },
  { name: 'the relay', of: { scope: 'relay' } },
  { name: 'a tool and a model', of: { toolId: tools[3], modelCode: models[2] } },
  { name: 'a key, a tool and a model', of: { keyId: keys[4], toolId: tools[3], modelCode: models[2] } },
]

const steps = /** @type {const} */ ([
  { family: 'hours of a day', step: 'hour', days: 1 },
  { family: 'days of a month', step: 'day', days: 30 },
  { family: 'weeks of a year', step: 'week', days: 364 },
  { family: 'months of a year', step: 'month', days: 364 },
])

const splits = /** @type {const} */ (['plan', 'model', 'tool', 'key', 'source', 'error'])

const sums = 'count(*), sum(s.error <> 0), sum(r.input), sum(r.output), sum(r.cache_read)'
const fromClause = 'FROM requests AS r JOIN slices AS s ON s.id = r.slice WHERE r.at >= ? AND r.at < ? FILTER'

/**
 * Every query of the window, as of the time `now`.
 * @param {number} now
 * @returns {readonly Question[]}
 */
export function createQueries(now) {
  return filters.flatMap(({ name, of }) => {
    /** @type {(days: number) => LedgerFilter} */
    const filter = (days) => ({ scope: 'machine', from: now - days * dayMs - 1234, to: now, ...of })
    return [...createSeriesQueries(name, filter), ...createShareQueries(name, filter), ...countPages(name, filter)]
  })
}

/** @typedef {(name: string, filter: (days: number) => LedgerFilter) => Question[]} Maker */

/** @type {Maker} */
const createSeriesQueries = (name, filter) =>
  steps.map(({ family, step, days }) => ({
    name: `${family}, ${name}`,
    family,
    filter: filter(days),
    ask: (ledger) => ledger.stacks({ filter: filter(days), step }),
    bare: `SELECT r.at / ${step === 'hour' ? 3_600_000 : dayMs}, ${sums} ${fromClause} GROUP BY 1`,
  }))

/** @type {Maker} */
const createShareQueries = (name, filter) =>
  splits.map((by) => ({
    name: `shares of a year by ${by}, ${name}`,
    family: 'shares of a year',
    filter: filter(364),
    ask: (ledger) => ledger.shares({ filter: filter(364), by, limit: 200 }),
    bare: `SELECT s.${by === 'source' ? 'origin' : by}, ${sums} ${fromClause} GROUP BY 1`,
  }))

/** @type {Maker} */
const countPages = (name, filter) =>
  [false, true].flatMap((onlyErrors) => {
    const pages = onlyErrors ? 'pages of errors' : 'pages of requests'
    const query = { filter: filter(364), onlyErrors, limit: 100 }
    const rowsSql = `SELECT r.* ${fromClause}${onlyErrors ? ' AND s.error <> 0' : ''} ORDER BY r.at DESC, r.id DESC LIMIT 100`
    const longRangeStartMs = Math.floor(filter(182).from)
    return [
      { before: undefined, name: `first page, ${name}`, bare: rowsSql },
      { before: `${longRangeStartMs}.1`, name: `a page of half a year ago, ${name}`, bare: `${rowsSql} OFFSET 5000` },
    ].map((page) => ({
      name: `${pages}: ${page.name}`,
      family: pages,
      filter: query.filter,
      ask: (/** @type {Ledger} */ ledger) => ledger.requests({ ...query, before: page.before }),
      bare: page.bare,
    }))
  })
