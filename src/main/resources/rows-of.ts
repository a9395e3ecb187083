import { AppError } from '@shared/failure'
import { z } from 'zod'

/** What lists without pages may call their rows (ours; the description shows no such body): the first that holds a list. */
const rowNames = ['listData', 'content', 'items', 'data', 'records', 'results', 'rows', 'logs', 'lines', 'values']

const Rows = z.array(z.unknown())

/** The rows of an answer that is no page: the list it is, or holds under one of these names, or the first list in it. Else `api.unreadable`. */
export function rowsOf(data: unknown): readonly unknown[] {
  if (data === undefined || data === null) return []
  const fields = z.looseObject({}).safeParse(data).data ?? {}
  const lists = Object.keys(fields).filter((name) => Array.isArray(fields[name]))
  const name = rowNames.find((one) => lists.includes(one)) ?? lists[0] ?? ''
  const rows = Rows.safeParse(Array.isArray(data) ? data : fields[name]).data
  if (rows !== undefined) return rows
  throw new AppError('api.unreadable', 'The answer holds no list of rows. Look at it as a single answer instead.')
}
