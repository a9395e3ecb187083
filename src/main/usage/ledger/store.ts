import type { UsageCounts, UsageSource } from '@shared/contract/usage'
import { addUsageCounts, noCounts } from '@shared/usage-counts'
import { isTimeZone } from '../../core/local-time'
import type { Database, Parameter, Row } from '../../core/sqlite/database'
import type { LedgerFilter } from '../ports'
import { Calendar, getCached, type Span } from './calendar'

/** State of the ledger, stored in the file. Read in each transaction, because other processes also change it. */
export interface LedgerState {
  /** Requests before this time in ms may have been deleted. 0: none were deleted. */
  prunedBefore: number
  /** Number of stored single requests. */
  kept: number
  nextId: number
}

/** Open ledger with its caches and calendar, synchronized with other processes' changes. */
export class Store {
  readonly dimensions: Dimensions
  calendar: Calendar
  #generation = 0

  constructor(
    readonly db: Database,
    zone: string,
  ) {
    this.dimensions = new Dimensions(db)
    this.calendar = new Calendar(zone)
  }

  /** Runs `work` in a transaction and saves its changes of `state`. */
  write<T>(work: (state: LedgerState) => T): T {
    try {
      return this.db.transaction('IMMEDIATE', () => {
        const state = this.#readState()
        const result = work(state)
        const saveState = 'UPDATE state SET pruned_before = ?, kept = ?, next_id = ?'
        this.db.run(saveState, state.prunedBefore, state.kept, state.nextId)
        return result
      })
    } catch (error) {
      this.dimensions.clear()
      throw error
    }
  }

  /** Runs `work` on a consistent snapshot. */
  read<T>(work: (state: Readonly<LedgerState>) => T): T {
    return this.db.transaction('DEFERRED', () => work(this.#readState()))
  }

  sums(): Sums {
    return new Sums(this.db, this.dimensions, this.calendar)
  }

  /** Sets the time zone of days. Recomputes the daily sums if it changed. */
  setZone(zone: string): void {
    const hasCurrentZone = (): boolean => this.db.row('SELECT zone FROM state')?.text(0) === zone
    if (hasCurrentZone()) return
    this.write(() => {
      if (hasCurrentZone()) return
      this.calendar = new Calendar(zone)
      this.db.exec('DELETE FROM day_sums')
      this.#addUpDays()
      this.db.run('UPDATE state SET zone = ?', zone)
    })
  }

  #addUpDays(): void {
    const boundsRow = this.db.row('SELECT min(t), max(t) FROM slot_sums WHERE grouping = ?', singleGrouping.id)
    const [firstSlot, lastSlot] = [boundsRow?.maybe(0), boundsRow?.maybe(1)]
    if (firstSlot === undefined || lastSlot === undefined) return
    for (let day = this.calendar.toDay(firstSlot); this.calendar.firstSlot(day) <= lastSlot; day += 1) {
      const [from, to] = [this.calendar.firstSlot(day), this.calendar.firstSlot(day + 1)]
      const sums = this.sums()
      const rows = this.db.rows(
        'slice, n, e, i, o, c',
        `SELECT slice, ${sumColumnsSql} FROM slot_sums WHERE grouping = ? AND t >= ? AND t < ? GROUP BY slice`,
        ...[singleGrouping.id, from, to],
      )
      for (const row of rows) sums.add({ slot: from, slice: row.number(0) }, readCounts(row, 1))
      sums.write(true)
    }
  }

  #readState(): LedgerState {
    const row = this.db.row('SELECT zone, generation, pruned_before, kept, next_id FROM state')
    const zone = row?.text(0) ?? ''
    const generation = row?.number(1) ?? 0
    if (generation !== this.#generation) this.dimensions.clear()
    this.#generation = generation
    // Keep the current calendar if the stored time zone is invalid, as in a damaged file.
    if (zone !== this.calendar.zone && isTimeZone(zone)) this.calendar = new Calendar(zone)
    return { prunedBefore: row?.number(2) ?? 0, kept: row?.number(3) ?? 0, nextId: row?.number(4) ?? 1 }
  }
}

/** Dimensions by which requests are grouped, in addition to their origin. */
export type Dimension = 'plan' | 'key' | 'tool' | 'model' | 'error' | 'project'

const dimensions: readonly Dimension[] = ['plan', 'key', 'tool', 'model', 'error', 'project']

const sliceColumns = ['grouping', ...dimensions, 'origin']

/** Value of a dimension by which a grouping does not distinguish. */
const allIds = -1

/** Source of a request, as stored in the file. `twin`: a tool log entry of a request that the relay also recorded. */
export const origins = { relay: 1, app: 2, log: 3, twin: 4 } as const

/** Origins that are counted in each scope. No request is counted twice. */
const scopeOrigins: Record<LedgerFilter['scope'], readonly number[]> = {
  machine: [origins.relay, origins.app, origins.log],
  relay: [origins.relay],
  toolLog: [origins.log, origins.twin],
  app: [origins.app],
}

export function toUsageSource(origin: number): Exclude<UsageSource, 'console'> {
  if (origin === origins.relay) return 'relay'
  return origin === origins.app ? 'app' : 'toolLog'
}

/** Table of sums by a quarter of an hour, or by local day. */
type SumTable = 'slot_sums' | 'day_sums'
export type LedgerTable = SumTable | 'requests'

/** Dimensions by which requests are summed. The file contains the `id`, so never change or remove a grouping. */
interface Grouping {
  readonly id: number
  readonly by: readonly Dimension[]
  readonly isIn: readonly SumTable[]
  /** Whether the grouping contains only failed requests. */
  readonly failedOnly: boolean
}

const createGrouping = (id: number, by: Grouping['by'], isIn: Grouping['isIn'] = ['day_sums']): Grouping => ({
  id,
  by,
  isIn,
  failedOnly: isIn[0] === 'day_sums' && by.includes('error'),
})

/** Finest grouping with all dimensions. Every request is in one of its slices. */
export const singleGrouping = createGrouping(1, dimensions, ['slot_sums'])

/** All groupings, smallest first. Those with the key have the plan too, which adds no rows. */
const groupings: readonly Grouping[] = [
  createGrouping(3, []),
  createGrouping(4, ['plan']),
  createGrouping(6, ['tool']),
  createGrouping(7, ['model']),
  createGrouping(14, ['error']),
  createGrouping(20, ['project']),
  createGrouping(5, ['plan', 'key']),
  createGrouping(2, ['plan', 'model'], ['slot_sums', 'day_sums']),
  createGrouping(8, ['plan', 'tool']),
  createGrouping(11, ['tool', 'model']),
  createGrouping(15, ['plan', 'error']),
  createGrouping(17, ['tool', 'error']),
  createGrouping(18, ['model', 'error']),
  createGrouping(16, ['plan', 'key', 'error']),
  createGrouping(9, ['plan', 'key', 'tool']),
  createGrouping(10, ['plan', 'key', 'model']),
  createGrouping(12, ['plan', 'tool', 'model']),
  createGrouping(13, ['plan', 'key', 'tool', 'model']),
  createGrouping(21, ['plan', 'key', 'tool', 'model', 'project']),
  singleGrouping,
  createGrouping(19, ['plan', 'key', 'tool', 'model', 'error']),
  createGrouping(22, dimensions),
]

const listGroupings = (table: SumTable): readonly Grouping[] => groupings.filter(({ isIn }) => isIn.includes(table))

/** Smallest grouping with the needed dimensions. Sums by error include only failed requests. */
function findGrouping(table: SumTable, needed: ReadonlySet<Dimension>): Grouping {
  const isSufficient = ({ by, failedOnly }: Grouping): boolean =>
    [...needed].every((dimension) => by.includes(dimension)) && (!failedOnly || needed.has('error'))
  return listGroupings(table).find(isSufficient) ?? singleGrouping
}

/** Value of each dimension of a slice, as the id of a text, and the slice's origin. */
export type SliceKey = Readonly<Record<Dimension, number>> & { readonly origin: number }

/** Cache of the file's ids for texts and slices. */
export class Dimensions {
  readonly #numbers = new Map<string, number>()
  readonly #texts = new Map<number, string>()
  readonly #slices = new Map<string, number>()
  readonly #keys = new Map<number, SliceKey>()
  readonly #targets = new Map<number, Readonly<Record<SumTable, readonly number[]>>>()
  readonly #groupingBySlice = new Map<number, number>()

  constructor(private readonly db: Database) {}

  /** Clears the caches after the file was emptied or a transaction rolled back. */
  clear(): void {
    for (const cache of [this.#numbers, this.#texts, this.#slices, this.#keys, this.#targets, this.#groupingBySlice])
      cache.clear()
  }

  find(text: string): number | undefined {
    const cachedId = this.#numbers.get(text)
    if (cachedId !== undefined) return cachedId
    const textId = this.db.row('SELECT id FROM texts WHERE text = ?', text)?.number(0)
    if (textId !== undefined) this.#numbers.set(text, textId)
    return textId
  }

  /** Finds the id of a text. Creates it if needed. */
  toTextId(text: string): number {
    const existingId = this.find(text)
    if (existingId !== undefined) return existingId
    this.db.run('INSERT INTO texts (text) VALUES (?)', text)
    return this.find(text) ?? 0
  }

  getText(number: number): string {
    const readText = () => this.db.row('SELECT text FROM texts WHERE id = ?', number)?.text(0) ?? ''
    return getCached(this.#texts, number, readText)
  }

  /** Finds the id of the slice with these dimensions. Creates it if needed. */
  toSliceId(key: SliceKey): number {
    return this.#slice(singleGrouping, key)
  }

  getSliceKey(slice: number): SliceKey {
    return getCached(this.#keys, slice, () => {
      const row = this.db.row('SELECT plan, key, tool, model, error, project, origin FROM slices WHERE id = ?', slice)
      const number = (column: number): number => row?.number(column) ?? 0
      return {
        plan: number(0),
        key: number(1),
        tool: number(2),
        model: number(3),
        error: number(4),
        project: number(5),
        origin: number(6),
      }
    })
  }

  getTargets(slice: number) {
    return getCached(this.#targets, slice, () => {
      const key = this.getSliceKey(slice)
      const listSlices = (table: SumTable) =>
        listGroupings(table).flatMap((grouping) =>
          grouping.failedOnly && key.error === 0 ? [] : [this.#slice(grouping, key)],
        )
      return { slot_sums: listSlices('slot_sums'), day_sums: listSlices('day_sums') }
    })
  }

  getGrouping(slice: number): number {
    return this.#groupingBySlice.get(slice) ?? 0
  }

  #slice(grouping: Grouping, key: SliceKey): number {
    const values = dimensions.map((dimension) => (grouping.by.includes(dimension) ? key[dimension] : allIds))
    const sliceValues = [grouping.id, ...values, key.origin]
    const name = sliceValues.join()
    const slice = this.#slices.get(name) ?? this.#findOrAddSlice(sliceValues)
    this.#slices.set(name, slice)
    this.#groupingBySlice.set(slice, grouping.id)
    return slice
  }

  #findOrAddSlice(values: readonly number[]): number {
    const placeholders = sliceColumns.map(() => '?')
    this.db.run(`INSERT OR IGNORE INTO slices (${sliceColumns}) VALUES (${placeholders})`, ...values)
    const whereClause = sliceColumns.map((column) => `${column} = ?`).join(' AND ')
    return this.db.row(`SELECT id FROM slices WHERE ${whereClause}`, ...values)?.number(0) ?? 0
  }
}

const maxTextLength = 400

/** Characters that SQLite or its driver rejects: NUL and lone surrogates. */
const unprintableCharacters = /\p{Cs}|\p{Cc}/u

/** Cuts a text to 400 characters, and replaces characters that SQLite or its driver rejects. */
export function plainText(text: string): string {
  const shortText = text.slice(0, maxTextLength)
  if (!unprintableCharacters.test(shortText)) return shortText
  return Buffer.from(shortText).toString().replaceAll('\0', '\ufffd')
}

interface Condition {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

/** Slices that match a filter. `sql` is a condition on the table `slices`. */
interface SliceSelection extends Condition {
  /** Id of the grouping. */
  readonly grouping: number
}

type ConditionFilter = Omit<LedgerFilter, 'from' | 'to'>

/** Field of a filter for each dimension. */
const filterFields = [
  ['plan', 'planId'],
  ['key', 'keyId'],
  ['tool', 'toolId'],
  ['model', 'modelCode'],
  ['project', 'projectId'],
] as const satisfies readonly (readonly [Dimension, keyof ConditionFilter])[]

/**
 * Selects the slices of a filter in the smallest grouping of a table that also distinguishes `by`. A filter text that is
 * not in the file matches nothing.
 */
export function selectSlices(
  dimensions: Dimensions,
  filter: ConditionFilter,
  table: LedgerTable,
  by: readonly Dimension[] = [],
): SliceSelection {
  const values = filterFields.flatMap(([dimension, field]) => {
    const text = filter[field]
    return text === undefined ? [] : [{ dimension, number: dimensions.find(plainText(text)) ?? null }]
  })
  const needed = new Set([...values.map(({ dimension }) => dimension), ...by])
  const { id: grouping } = table === 'requests' ? singleGrouping : findGrouping(table, needed)
  const origins = `grouping = ${grouping} AND origin IN (${scopeOrigins[filter.scope]})`
  const sql = [origins, ...values.map(({ dimension }) => `${dimension} = ?`)].join(' AND ')
  return { grouping, sql, parameters: values.map(({ number }) => number) }
}

/** SQL condition on the table `sums` for its rows of the slices. */
export const toSumsSql = ({ grouping, sql }: SliceSelection): string =>
  `sums.grouping = ${grouping} AND sums.slice IN (SELECT id FROM slices WHERE ${sql})`

/** Maximum number of slices to look up individually. Beyond it, a scan of the time range is faster. */
const maxLookups = 20_000

/** SQL condition for the sums of slices in `[from, to)`. Looks up a few slices individually and scans for many. */
export function buildSumsCondition(db: Database, slices: SliceSelection, { from, to }: Span): Condition {
  const count = db.row(`SELECT count(*) FROM slices WHERE ${slices.sql}`, ...slices.parameters)?.number(0) ?? 0
  const isLookupCheap = count > 0 && count * (to - from) <= maxLookups
  const timeCondition = isLookupCheap ? 'sums.t IN (SELECT value FROM json_each(?))' : 'sums.t >= ? AND sums.t < ?'
  const timeParameters = isLookupCheap
    ? [JSON.stringify(Array.from({ length: to - from }, (_, index) => from + index))]
    : [from, to]
  return { sql: `${timeCondition} AND ${toSumsSql(slices)}`, parameters: [...timeParameters, ...slices.parameters] }
}

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
      if (!onlyDays) for (const slice of targets.slot_sums) collect(slots, slot * maxSlices + slice, counts)
      for (const slice of targets.day_sums) collect(days, day * maxSlices + slice, counts)
    }
    this.#changes.clear()
    this.#save('slot_sums', slots)
    this.#save('day_sums', days)
  }

  #save(table: SumTable, changes: ReadonlyMap<number, UsageCounts>): void {
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
