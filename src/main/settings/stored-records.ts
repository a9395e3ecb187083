import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

/** What a list of records was read from. */
interface ReadList {
  /** Tells which record of the list is which. */
  readonly identityOf: (record: object) => string
  /** Elements that are no record, or one that only a newer version understands. */
  readonly notUnderstood: readonly unknown[]
}

const readLists = new WeakMap<object, ReadList>()
/** What each record was read from. */
const storedForms = new WeakMap<object, unknown>()

/**
 * A list that is read record by record: what is not understood is left out, and stays in the file when the list is written by
 * `mergeStored`. `identity`: the fields that together name a record.
 */
export function records<T extends object>(schema: z.ZodType<T>, ...identity: readonly (keyof T & string)[]) {
  return z.unknown().transform((stored): T[] => {
    const elements = Array.isArray(stored) ? stored : stored === undefined ? [] : [stored]
    const read: T[] = []
    const notUnderstood: unknown[] = []
    for (const element of elements) {
      const { data } = schema.safeParse(element)
      if (data === undefined) notUnderstood.push(element)
      else {
        storedForms.set(data, element)
        read.push(data)
      }
    }
    const identityOf = (record: object): string => JSON.stringify(identity.map((name) => Reflect.get(record, name)))
    readLists.set(read, { identityOf, notUnderstood })
    return read
  })
}

/** Everything that the lists in a read value left out. */
export function findNotUnderstood(read: unknown): readonly unknown[] {
  if (typeof read !== 'object' || read === null) return []
  const own = readLists.get(read)?.notUnderstood ?? []
  return [...own, ...Object.values(read).flatMap(findNotUnderstood)]
}

/**
 * What to store for `next` where `stored` was read as `read`: fields and records that were not understood stay, and so does whatever was
 * not changed.
 */
export function mergeStored(stored: unknown, read: unknown, next: unknown): unknown {
  if (isDeepStrictEqual(read, next)) return stored ?? next
  if (Array.isArray(next)) return Array.isArray(read) ? mergeList(read, next) : next
  if (!isObject(stored) || !isObject(read) || !isObject(next)) return next
  const unknownFields = Object.entries(stored).filter(([name]) => read[name] === undefined)
  const known = Object.entries(next).filter(([, value]) => value !== undefined)
  const merged = known.map(([name, value]) => [name, mergeStored(stored[name], read[name], value)])
  return { ...Object.fromEntries(unknownFields), ...Object.fromEntries(merged) }
}

function mergeList(read: readonly unknown[], next: readonly unknown[]): unknown {
  const list = readLists.get(read)
  if (list === undefined) return next
  const before = new Map(read.filter(isObject).map((record) => [list.identityOf(record), record]))
  const merged = next.map((record) => {
    const old = isObject(record) ? before.get(list.identityOf(record)) : undefined
    return old === undefined ? record : mergeStored(storedForms.get(old), old, record)
  })
  return [...merged, ...list.notUnderstood]
}

type Fields = Readonly<Record<string, unknown>>

/** True for a plain object, whose fields may be anything. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
