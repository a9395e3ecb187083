import type { UsageSource } from '@shared/contract/usage'
import type { LedgerFilter } from '../ports'

/** What sums are kept apart by, besides where a request comes from. */
export type Dimension = 'plan' | 'key' | 'tool' | 'model' | 'error'

export const dimensions: readonly Dimension[] = ['plan', 'key', 'tool', 'model', 'error']

/** Stands in a slice for a dimension that its grouping does not keep apart. */
export const anyValue = -1

/** Where a request comes from; `twin` is an entry of a tool's log that the relay saw as well. The numbers are kept in the file. */
export const origins = { relay: 1, app: 2, log: 3, twin: 4 } as const

/** Which origins a scope counts: on this machine each request once. */
export const originsOf: Record<LedgerFilter['scope'], readonly number[]> = {
  machine: [origins.relay, origins.app, origins.log],
  relay: [origins.relay],
  toolLog: [origins.log, origins.twin],
  app: [origins.app],
}

/** The source that an origin is told as. */
export function sourceOf(origin: number): Exclude<UsageSource, 'console'> {
  if (origin === origins.relay) return 'relay'
  return origin === origins.app ? 'app' : 'toolLog'
}

/** One way of adding up. `id` is kept in the file, so a row is never changed or removed. */
export interface Grouping {
  readonly id: number
  readonly by: readonly Dimension[]
  readonly isIn: readonly ('slots' | 'days')[]
  /** Only what failed is in it. */
  readonly failedOnly: boolean
}

const of = (id: number, by: Grouping['by'], isIn: Grouping['isIn'] = ['days']): Grouping => ({
  id,
  by,
  isIn,
  failedOnly: isIn[0] === 'days' && by.includes('error'),
})

/** Every request is in one slice of this; it keeps everything apart. */
export const single = of(1, dimensions, ['slots'])

/** The smaller first. A key has one plan, so that the plan comes with it for nothing. */
const groupings: readonly Grouping[] = [
  of(3, []),
  of(4, ['plan']),
  of(6, ['tool']),
  of(7, ['model']),
  of(14, ['error']),
  of(5, ['plan', 'key']),
  of(2, ['plan', 'model'], ['slots', 'days']),
  of(8, ['plan', 'tool']),
  of(11, ['tool', 'model']),
  of(15, ['plan', 'error']),
  of(17, ['tool', 'error']),
  of(18, ['model', 'error']),
  of(16, ['plan', 'key', 'error']),
  of(9, ['plan', 'key', 'tool']),
  of(10, ['plan', 'key', 'model']),
  of(12, ['plan', 'tool', 'model']),
  of(13, ['plan', 'key', 'tool', 'model']),
  single,
  of(19, dimensions),
]

/** The groupings of sums by quarter of an hour, or by day. */
export const groupingsIn = (table: 'slots' | 'days'): readonly Grouping[] =>
  groupings.filter(({ isIn }) => isIn.includes(table))

/** The smallest grouping that keeps apart what is needed; sums by error are of failed requests only. */
export function groupingFor(table: 'slots' | 'days', needed: ReadonlySet<Dimension>): Grouping {
  const fits = ({ by, failedOnly }: Grouping): boolean =>
    [...needed].every((dimension) => by.includes(dimension)) && (!failedOnly || needed.has('error'))
  return groupingsIn(table).find(fits) ?? single
}
