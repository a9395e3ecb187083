import type { UsageCounts } from '@shared/contract/usage'
import type { Database, Row } from '../../core/sqlite/database'
import type { Calendar } from './calendar'
import type { Dimensions } from './groupings'

/** Upper limit of slice numbers, so that time and slice fit into one number. */
const maxSlices = 2 ** 26

export const sumColumnsSql = 'sum(requests) AS n, sum(errors) AS e, sum(input) AS i, sum(output) AS o, sum(cache) AS c'

export const readCounts = (row: Row, firstColumn: number): UsageCounts => ({
  requests: row.number(firstColumn),
  errors: row.number(firstColumn + 1),
  inputTokens: row.number(firstColumn + 2),
  outputTokens: row.number(firstColumn + 3),
  cacheTokens: row.number(firstColumn + 4),
})

export const noCounts: UsageCounts = { requests: 0, errors: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0 }

export const addUsageCounts = (a: UsageCounts, b: UsageCounts, sign = 1): UsageCounts => ({
  requests: a.requests + sign * b.requests,
  errors: a.errors + sign * b.errors,
  inputTokens: a.inputTokens + sign * b.inputTokens,
  outputTokens: a.outputTokens + sign * b.outputTokens,
  cacheTokens: a.cacheTokens + sign * b.cacheTokens,
})

export const sumUsageCounts = (all: readonly UsageCounts[]): UsageCounts =>
  all.reduce((sum, counts) => addUsageCounts(sum, counts), noCounts)

/** Tokens consumed = input + output + cache (spec, "What the service does"). */
export const sumTokens = ({ inputTokens, outputTokens, cacheTokens }: UsageCounts): number =>
  inputTokens + outputTokens + cacheTokens

/** Accumulates changes of sums and writes them together. */
export class Sums {
  readonly #changes = new Map<number, UsageCounts>()

  constructor(
    private readonly db: Database,
    private readonly dimensions: Dimensions,
    private readonly calendar: Calendar,
  ) {}

  /** Adds a request's counts to its slot and slice, or subtracts them (`sign` -1). */
  add({ slot, slice }: { readonly slot: number; readonly slice: number }, counts: UsageCounts, sign: 1 | -1 = 1): void {
    collect(this.#changes, slot * maxSlices + slice, addUsageCounts(noCounts, counts, sign))
  }

  /** Writes all changes. `onlyDays`: does not write the sums by slot, which are already correct. */
  write(onlyDays = false): void {
    const [slots, days] = [new Map<number, UsageCounts>(), new Map<number, UsageCounts>()]
    for (const [key, counts] of this.#changes) {
      const slot = Math.floor(key / maxSlices)
      const day = this.calendar.toDay(slot)
      const targets = this.dimensions.getTargets(key % maxSlices)
      if (!onlyDays) for (const slice of targets.slots) collect(slots, slot * maxSlices + slice, counts)
      for (const slice of targets.days) collect(days, day * maxSlices + slice, counts)
    }
    this.#changes.clear()
    this.#save('slot_sums', slots)
    this.#save('day_sums', days)
  }

  #save(table: 'slot_sums' | 'day_sums', changes: ReadonlyMap<number, UsageCounts>): void {
    const nonZeroChanges = [...changes].filter(([, counts]) => Object.values(counts).some((count) => count !== 0))
    if (nonZeroChanges.length === 0) return
    const rows = nonZeroChanges
      .sort(([a], [b]) => a - b)
      .map(([key, { requests, errors, inputTokens, outputTokens, cacheTokens }]) => {
        const slice = key % maxSlices
        const rowKey = [this.dimensions.getGrouping(slice), Math.floor(key / maxSlices), slice]
        return { rowKey, requests, values: [...rowKey, requests, errors, inputTokens, outputTokens, cacheTokens] }
      })
    const upsert = `INSERT INTO ${table} VALUES ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
      errors = errors + excluded.errors, input = input + excluded.input, output = output + excluded.output,
      cache = cache + excluded.cache`
    this.db.insert(
      upsert,
      8,
      rows.map(({ values }) => values),
    )
    const deleteEmpty = `DELETE FROM ${table} WHERE grouping = ? AND t = ? AND slice = ? AND requests = 0`
    for (const { rowKey, requests } of rows) if (requests < 0) this.db.run(deleteEmpty, ...rowKey)
  }
}

function collect(countsByKey: Map<number, UsageCounts>, key: number, counts: UsageCounts): void {
  const existingCounts = countsByKey.get(key)
  countsByKey.set(key, existingCounts ? addUsageCounts(existingCounts, counts) : counts)
}
