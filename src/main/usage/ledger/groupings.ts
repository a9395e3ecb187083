import type { UsageSource } from '@shared/contract/usage'
import type { Database } from '../../sqlite/database'
import type { LedgerFilter } from '../ports'

/** What sums are kept apart by, besides where a request comes from. */
export type Dimension = 'plan' | 'key' | 'tool' | 'model' | 'error'

const dimensions: readonly Dimension[] = ['plan', 'key', 'tool', 'model', 'error']

/** Stands in a slice for a dimension that its grouping does not keep apart. */
const anyValue = -1

/** Where a request comes from; `twin` is an entry of a tool's log that the relay saw as well. The numbers are kept in the file. */
export const origins = { relay: 1, app: 2, log: 3, twin: 4 } as const

/** Which origins a scope counts: on this machine each request once. */
export const scopeOrigins: Record<LedgerFilter['scope'], readonly number[]> = {
  machine: [origins.relay, origins.app, origins.log],
  relay: [origins.relay],
  toolLog: [origins.log, origins.twin],
  app: [origins.app],
}

/** The source that an origin is told as. */
export function toUsageSource(origin: number): Exclude<UsageSource, 'console'> {
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
const groupingsIn = (table: 'slots' | 'days'): readonly Grouping[] =>
  groupings.filter(({ isIn }) => isIn.includes(table))

/** The smallest grouping that keeps apart what is needed; sums by error are of failed requests only. */
export function groupingFor(table: 'slots' | 'days', needed: ReadonlySet<Dimension>): Grouping {
  const fits = ({ by, failedOnly }: Grouping): boolean =>
    [...needed].every((dimension) => by.includes(dimension)) && (!failedOnly || needed.has('error'))
  return groupingsIn(table).find(fits) ?? single
}

/** What a request has in common with others: numbers of texts, and its origin. */
export type SliceKey = Readonly<Record<Dimension, number>> & { readonly origin: number }

/** Which sums a request of a slice is part of. */
interface Targets {
  readonly slots: readonly number[]
  readonly days: readonly number[]
}

const columns = 'id, grouping, plan, key, tool, model, error, origin'

/** The numbers that stand in the file for texts and for slices. */
export class Dimensions {
  readonly #numbers = new Map<string, number>()
  readonly #texts = new Map<number, string>()
  readonly #slices = new Map<string, number>()
  readonly #keys = new Map<number, SliceKey>()
  readonly #targets = new Map<number, Targets>()
  readonly #groupingOf = new Map<number, number>()

  constructor(private readonly db: Database) {}

  /** Forgets what was read: the file was emptied, or a transaction that added something was taken back. */
  clear(): void {
    for (const map of [this.#numbers, this.#texts, this.#slices, this.#keys, this.#targets, this.#groupingOf])
      map.clear()
  }

  /** The number of a text; undefined when it never came up. */
  find(text: string): number | undefined {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const found = this.db.row('SELECT id FROM texts WHERE text = ?', text)?.number(0)
    if (found !== undefined) this.#numbers.set(text, found)
    return found
  }

  /** The number of a text, which it gets now when it never came up. */
  numberOf(text: string): number {
    const found = this.find(text)
    if (found !== undefined) return found
    this.db.run('INSERT INTO texts (text) VALUES (?)', text)
    return this.find(text) ?? 0
  }

  textOf(number: number): string {
    const known = this.#texts.get(number)
    if (known !== undefined) return known
    const text = this.db.row('SELECT text FROM texts WHERE id = ?', number)?.text(0) ?? ''
    this.#texts.set(number, text)
    return text
  }

  /** The slice of single requests with all this in common. */
  sliceOf(key: SliceKey): number {
    return this.#slice(single, key)
  }

  /** What the requests of a slice have in common. */
  keyOf(slice: number): SliceKey {
    const known = this.#keys.get(slice)
    if (known) return known
    const row = this.db.row(`SELECT ${columns} FROM slices WHERE id = ?`, slice)
    const number = (at: number): number => row?.number(at) ?? 0
    const [plan, key, tool, model, error, origin] = [number(2), number(3), number(4), number(5), number(6), number(7)]
    const found = { plan, key, tool, model, error, origin }
    this.#keys.set(slice, found)
    return found
  }

  /** The sums that a request of this slice is part of. */
  targetsOf(slice: number): Targets {
    const known = this.#targets.get(slice)
    if (known) return known
    const key = this.keyOf(slice)
    const isIn = ({ failedOnly }: Grouping): boolean => !failedOnly || key.error !== 0
    const all = (table: 'slots' | 'days') =>
      groupingsIn(table)
        .filter(isIn)
        .map((grouping) => this.#slice(grouping, key))
    const targets = { slots: all('slots'), days: all('days') }
    this.#targets.set(slice, targets)
    return targets
  }

  /** The grouping of a slice, by its id. */
  groupingOf(slice: number): number {
    return this.#groupingOf.get(slice) ?? 0
  }

  #slice(grouping: Grouping, key: SliceKey): number {
    const values = dimensions.map((dimension) => (grouping.by.includes(dimension) ? key[dimension] : anyValue))
    const all = [grouping.id, ...values, key.origin]
    const name = all.join()
    const slice = this.#slices.get(name) ?? this.#findSlice(all) ?? this.#addSlice(all)
    this.#slices.set(name, slice)
    this.#groupingOf.set(slice, grouping.id)
    return slice
  }

  #findSlice(values: readonly number[]): number | undefined {
    const where = 'grouping = ? AND plan = ? AND key = ? AND tool = ? AND model = ? AND error = ? AND origin = ?'
    return this.db.row(`SELECT id FROM slices WHERE ${where}`, ...values)?.number(0)
  }

  #addSlice(values: readonly number[]): number {
    this.db.run(
      'INSERT INTO slices (grouping, plan, key, tool, model, error, origin) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...values,
    )
    return this.#findSlice(values) ?? 0
  }
}
