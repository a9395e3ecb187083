import type { UsageSource } from '@shared/contract/usage'
import type { Database, Parameter } from '../../core/sqlite/database'
import type { LedgerFilter } from '../ports'

/** Dimensions by which requests are grouped, in addition to their origin. */
export type Dimension = 'plan' | 'key' | 'tool' | 'model' | 'error' | 'project'

const dimensions: readonly Dimension[] = ['plan', 'key', 'tool', 'model', 'error', 'project']

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

/** Dimensions by which requests are summed. The file contains the `id`, so never change or remove a grouping. */
export interface Grouping {
  readonly id: number
  readonly by: readonly Dimension[]
  readonly isIn: readonly ('slots' | 'days')[]
  /** Whether the grouping contains only failed requests. */
  readonly failedOnly: boolean
}

const createGrouping = (id: number, by: Grouping['by'], isIn: Grouping['isIn'] = ['days']): Grouping => ({
  id,
  by,
  isIn,
  failedOnly: isIn[0] === 'days' && by.includes('error'),
})

/** Finest grouping with all dimensions. Every request is in one of its slices. */
export const singleGrouping = createGrouping(1, dimensions, ['slots'])

/** All groupings, smallest first. Those with the key have the plan too, which adds no rows. */
const groupings: readonly Grouping[] = [
  createGrouping(3, []),
  createGrouping(4, ['plan']),
  createGrouping(6, ['tool']),
  createGrouping(7, ['model']),
  createGrouping(14, ['error']),
  createGrouping(20, ['project']),
  createGrouping(5, ['plan', 'key']),
  createGrouping(2, ['plan', 'model'], ['slots', 'days']),
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

const listGroupings = (table: 'slots' | 'days'): readonly Grouping[] =>
  groupings.filter(({ isIn }) => isIn.includes(table))

/** Smallest grouping with the needed dimensions. Sums by error include only failed requests. */
export function findGrouping(table: 'slots' | 'days', needed: ReadonlySet<Dimension>): Grouping {
  const isSufficient = ({ by, failedOnly }: Grouping): boolean =>
    [...needed].every((dimension) => by.includes(dimension)) && (!failedOnly || needed.has('error'))
  return listGroupings(table).find(isSufficient) ?? singleGrouping
}

/** Value of each dimension of a slice, as the id of a text, and the slice's origin. */
export type SliceKey = Readonly<Record<Dimension, number>> & { readonly origin: number }

interface Targets {
  readonly slots: readonly number[]
  readonly days: readonly number[]
}

/** Cache of the file's ids for texts and slices. */
export class Dimensions {
  readonly #numbers = new Map<string, number>()
  readonly #texts = new Map<number, string>()
  readonly #slices = new Map<string, number>()
  readonly #keys = new Map<number, SliceKey>()
  readonly #targets = new Map<number, Targets>()
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
    const cachedText = this.#texts.get(number)
    if (cachedText !== undefined) return cachedText
    const text = this.db.row('SELECT text FROM texts WHERE id = ?', number)?.text(0) ?? ''
    this.#texts.set(number, text)
    return text
  }

  /** Finds the id of the slice with these dimensions. Creates it if needed. */
  toSliceId(key: SliceKey): number {
    return this.#slice(singleGrouping, key)
  }

  getSliceKey(slice: number): SliceKey {
    const cachedKey = this.#keys.get(slice)
    if (cachedKey) return cachedKey
    const sql = 'SELECT plan, key, tool, model, error, project, origin FROM slices WHERE id = ?'
    const row = this.db.row(sql, slice)
    const number = (column: number): number => row?.number(column) ?? 0
    const sliceKey = {
      plan: number(0),
      key: number(1),
      tool: number(2),
      model: number(3),
      error: number(4),
      project: number(5),
      origin: number(6),
    }
    this.#keys.set(slice, sliceKey)
    return sliceKey
  }

  getTargets(slice: number): Targets {
    const cachedTargets = this.#targets.get(slice)
    if (cachedTargets) return cachedTargets
    const key = this.getSliceKey(slice)
    const listSlices = (table: 'slots' | 'days') =>
      listGroupings(table).flatMap((grouping) =>
        grouping.failedOnly && key.error === 0 ? [] : [this.#slice(grouping, key)],
      )
    const targets = { slots: listSlices('slots'), days: listSlices('days') }
    this.#targets.set(slice, targets)
    return targets
  }

  getGrouping(slice: number): number {
    return this.#groupingBySlice.get(slice) ?? 0
  }

  #slice(grouping: Grouping, key: SliceKey): number {
    const values = dimensions.map((dimension) => (grouping.by.includes(dimension) ? key[dimension] : allIds))
    const sliceValues = [grouping.id, ...values, key.origin]
    const name = sliceValues.join()
    const slice = this.#slices.get(name) ?? this.#findSlice(sliceValues) ?? this.#addSlice(sliceValues)
    this.#slices.set(name, slice)
    this.#groupingBySlice.set(slice, grouping.id)
    return slice
  }

  #findSlice(values: readonly number[]): number | undefined {
    const whereClause =
      'grouping = ? AND plan = ? AND key = ? AND tool = ? AND model = ? AND error = ? AND project = ? AND origin = ?'
    return this.db.row(`SELECT id FROM slices WHERE ${whereClause}`, ...values)?.number(0)
  }

  #addSlice(values: readonly number[]): number {
    this.db.run(
      'INSERT INTO slices (grouping, plan, key, tool, model, error, project, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...values,
    )
    return this.#findSlice(values) ?? 0
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

type ConditionFilter = Omit<LedgerFilter, 'from' | 'to'>

const filterFields: {
  readonly [Field in Exclude<keyof ConditionFilter, 'scope'>]-?: readonly [
    Dimension,
    (filter: ConditionFilter) => string | undefined,
  ]
} = {
  planId: ['plan', ({ planId }) => planId],
  keyId: ['key', ({ keyId }) => keyId],
  toolId: ['tool', ({ toolId }) => toolId],
  modelCode: ['model', ({ modelCode }) => modelCode],
  projectId: ['project', ({ projectId }) => projectId],
}
const filters = Object.values(filterFields)

export const findDimensions = (filter: ConditionFilter): readonly Dimension[] =>
  filters.filter(([, value]) => value(filter) !== undefined).map(([dimension]) => dimension)

/** SQL condition on the slices of a grouping. A filter text that is not in the file matches nothing. */
export function buildCondition(filter: ConditionFilter, grouping: Grouping, dimensions: Dimensions): Condition {
  const values = filters.flatMap(([dimension, value]) => {
    const text = value(filter)
    return text === undefined ? [] : [{ dimension, number: dimensions.find(plainText(text)) ?? null }]
  })
  const origins = `grouping = ${grouping.id} AND origin IN (${scopeOrigins[filter.scope]})`
  const sql = [origins, ...values.map(({ dimension }) => `${dimension} = ?`)].join(' AND ')
  return { sql, parameters: values.map(({ number }) => number) }
}

/** Maximum number of slices to look up individually. Beyond it, a scan of the time range is faster. */
const maxLookups = 20_000

/** SQL condition for the sums of a grouping in `[from, to)`. Looks up a few slices individually and scans for many. */
export function buildSumsCondition(
  db: Database,
  { grouping, from, to }: { readonly grouping: Grouping; readonly from: number; readonly to: number },
  slices: Condition,
): Condition {
  const sliceCondition = `sums.slice IN (SELECT id FROM slices WHERE ${slices.sql})`
  const count = db.row(`SELECT count(*) FROM slices WHERE ${slices.sql}`, ...slices.parameters)?.number(0) ?? 0
  const isLookupCheap = count * (to - from) <= maxLookups
  const timeCondition = isLookupCheap ? 'sums.t IN (SELECT value FROM json_each(?))' : 'sums.t >= ? AND sums.t < ?'
  const timeParameters = isLookupCheap
    ? [JSON.stringify(Array.from({ length: to - from }, (_, index) => from + index))]
    : [from, to]
  return {
    sql: `sums.grouping = ${grouping.id} AND ${timeCondition} AND ${sliceCondition}`,
    parameters: [...timeParameters, ...slices.parameters],
  }
}
