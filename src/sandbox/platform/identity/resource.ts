import type { z } from 'zod'
import { created, nothing, type Operation, ok } from '../operation'
import { pageOf, springPaging } from '../paging'
import { conflict } from '../refusals'
import { checkedName, find, type Kind, type Own, replaceRows } from './kind'

type Run = Operation['run']

/** Creates a row. 400 for a name against the rule, 409 `ALREADY_EXISTS` for one that is taken. */
export function create<Row extends Own, Schema extends z.ZodType<{ name: string }>>(
  kind: Kind<Row>,
  schema: Schema,
  make: (body: z.infer<Schema>, own: Own) => Row,
): Run {
  return async ({ store, body }) => {
    const asked = await body(schema)
    const name = checkedName(asked.name)
    const rows = kind.rows(store.world().identity)
    if (rows.some((row) => row.name === name)) {
      throw conflict('ALREADY_EXISTS', `There is already a ${kind.noun} named "${name}". Choose another name.`)
    }
    const now = new Date(store.nowMs()).toISOString()
    const row = make(asked, { name, createdAt: now, updatedAt: now })
    replaceRows(store, kind, [...rows, row])
    return created(kind.view(row))
  }
}

/** Lists the rows of a kind, oldest first. */
export function list<Row extends Own>(kind: Kind<Row>): Run {
  return ({ store, query }) =>
    pageOf({ query, paging: springPaging }, kind.rows(store.world().identity), (row) => kind.view(row))
}

/** Gives the row of the path's name. */
export function get<Row extends Own>(kind: Kind<Row>): Run {
  return ({ store, params }) => ok(kind.view(find(store, kind, params.name)))
}

/** Puts another row in the place of the one of the path's name, which keeps its name: what the body leaves out is gone (ours). */
export function update<Row extends Own, Schema extends z.ZodType>(
  kind: Kind<Row>,
  schema: Schema,
  renew: (body: z.infer<Schema>, own: Own, before: Row) => Row,
): Run {
  return async ({ store, params, body }) => {
    find(store, kind, params.name)
    const asked = await body(schema)
    const before = find(store, kind, params.name)
    const { name, createdAt } = before
    const row = renew(asked, { name, createdAt, updatedAt: new Date(store.nowMs()).toISOString() }, before)
    const rows = kind.rows(store.world().identity).map((one) => (one === before ? row : one))
    replaceRows(store, kind, rows)
    return ok(kind.view(row))
  }
}

/** Deletes the row of the path's name. */
export function remove<Row extends Own>(kind: Kind<Row>): Run {
  return ({ store, params }) => {
    const gone = find(store, kind, params.name)
    const rows = kind.rows(store.world().identity).filter((row) => row !== gone)
    replaceRows(store, kind, rows)
    return nothing
  }
}
