import { z } from 'zod'
import type { IdentityState } from '../../state/identity-state'
import type { Store } from '../../state/store'
import { invalidName, notFound } from '../refusals'

/** What the service itself says of a resource; everything else is the caller's. */
export interface Own {
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** One of the service's four lists. */
export interface Kind<Row extends Own> {
  /** In messages, for example `agent identity`. */
  readonly noun: string
  readonly rows: (state: IdentityState) => readonly Row[]
  readonly withRows: (state: IdentityState, rows: readonly Row[]) => IdentityState
  /** A row as every answer but that of a credential's own operation gives it. */
  readonly view: (row: Row) => unknown
}

/** What creates a resource; a kind adds its own fields. */
export const New = z.looseObject({ name: z.string() })
/** What changes one: its name is the path's. */
export const Changed = z.looseObject({})

const namePattern = /^[a-zA-Z0-9_-]{1,50}$/

/** The name of a new resource (spec, "Limits"). Throws 400. */
export function checkedName(name: string): string {
  if (namePattern.test(name)) return name
  throw invalidName('name: Use 1 to 50 letters (a-z, A-Z), digits, - and _.')
}

/** Throws 404, naming the kind that has no such name. */
export function find<Row extends Own>(store: Store, kind: Kind<Row>, name = ''): Row {
  const row = kind.rows(store.world().identity).find((one) => one.name === name)
  if (row) return row
  throw notFound(`There is no ${kind.noun} named "${name.slice(0, 60)}".`)
}

/** Puts the rows of one kind into effect. */
export function replaceRows<Row extends Own>(store: Store, kind: Kind<Row>, rows: readonly Row[]): void {
  const world = store.world()
  store.replace({ ...world, identity: kind.withRows(world.identity, rows) })
}

const serverOwned = ['id', 'status', 'apiKeyHint']

/** A body without the fields that are the server's to say. */
export function keptOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !serverOwned.includes(name)))
}
