import type { Database, Parameter } from '../../core/sqlite/database'
import type { LedgerFilter } from '../ports'
import { type Dimension, type Dimensions, type Grouping, scopeOrigins } from './groupings'
import { plainText } from './write'

interface Condition {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

type ConditionFilter = Omit<LedgerFilter, 'from' | 'to'>

type FilterField = Exclude<keyof ConditionFilter, 'scope'>

const filterFields: {
  readonly [Field in FilterField]-?: readonly [Dimension, (filter: ConditionFilter) => string | undefined]
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
