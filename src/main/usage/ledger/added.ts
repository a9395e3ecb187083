import type { UsageCounts } from '@shared/contract/usage'
import type { Row } from '../../sqlite'
import type { LedgerFilter } from '../ports'
import { conditionOf, dimensionsOf, sumsWithin } from './condition'
import { type Dimension, groupingFor, single } from './groupings'
import type { Piece } from './span'
import type { Store } from './store'
import { addedRequests, addedUp, countsAt } from './sums'

/** Sums of one moment (in the unit of the piece's table), or of the number of one value. */
export interface Added {
  readonly key: number
  readonly counts: UsageCounts
}

interface Question {
  readonly filter: LedgerFilter
  /** What the answer is split by: time, or a column of the slices. Sums by error are of failed requests only. */
  readonly by: 't' | 'origin' | Dimension
}

/** Adds up one piece of a span. Of single requests, the piece is one moment. */
export function addUp(store: Store, piece: Piece, question: Question): readonly Added[] {
  const rows = piece.table === 'requests' ? ofRequests(store, piece, question) : ofSums(store, piece, question)
  return rows.map((row) => ({ key: row.number(0), counts: countsAt(row, 1) }))
}

const columns = 'key, n, e, i, o, c'

function ofSums({ db, dimensions }: Store, { table, from, to }: Piece, { filter, by }: Question): readonly Row[] {
  const apart = by === 't' || by === 'origin' ? [] : [by]
  const grouping = groupingFor(table === 'day_sums' ? 'days' : 'slots', new Set([...dimensionsOf(filter), ...apart]))
  const condition = conditionOf(filter, grouping, dimensions)
  const slices = { ...condition, sql: `${condition.sql}${failedOnly(by)}` }
  const { sql, parameters } = sumsWithin(db, { grouping, from, to }, slices)
  const [key, join] = by === 't' ? ['sums.t', ''] : [`s.${by}`, 'CROSS JOIN slices AS s ON s.id = sums.slice']
  return db.rows(
    columns,
    `SELECT ${key} AS key, ${addedUp} FROM ${table} AS sums ${join} WHERE ${sql} GROUP BY ${key}`,
    ...parameters,
  )
}

function ofRequests({ db, dimensions }: Store, { from, to }: Piece, { filter, by }: Question): readonly Row[] {
  const { sql, parameters } = conditionOf(filter, single, dimensions)
  const [key, group] = by === 't' ? ['min(r.at)', "''"] : [`s.${by}`, `s.${by}`]
  return db.rows(
    columns,
    `SELECT ${key} AS key, ${addedRequests}
     FROM requests AS r INDEXED BY requests_at CROSS JOIN slices AS s ON s.id = r.slice
     WHERE r.at >= ? AND r.at < ? AND ${sql}${failedOnly(by)} GROUP BY ${group}`,
    ...[from, to, ...parameters],
  )
}

const failedOnly = (by: Question['by']): string => (by === 'error' ? ' AND error <> 0' : '')
