import type { Memory, MemoryRecord } from '../../state/memory-state'
import { type Call, ok, type Reply } from '../operation'
import { required, wholeNumber } from '../query'
import { memoryAndBody, memoryOf } from './memories'
import { SearchBody } from './memory-body'
import { isWithin } from './namespace'
import { nearest } from './nearest'

/** Ours: the spec gives an example of 100. */
const browsed = { least: 1, most: 1_000, usual: 100 }

// Instants of one form: their order as text is their order in time.
const newestFirst = (a: MemoryRecord, b: MemoryRecord): number =>
  Number(a.createdAt < b.createdAt) - Number(a.createdAt > b.createdAt)

function recordsWithin({ records }: Memory, wanted: string): readonly MemoryRecord[] {
  const isWanted = isWithin(wanted)
  return records.filter(({ namespace }) => isWanted(namespace)).toSorted(newestFirst)
}

/** The newest records of a namespace and of those below it. */
export function listRecords(call: Call): Reply {
  const memory = memoryOf(call)
  const namespace = required(call.query, 'namespace')
  const limit = wholeNumber(call.query, 'limit', browsed)
  return ok(recordsWithin(memory, namespace).slice(0, limit))
}

/** The records of a namespace that are nearest in meaning to a query. */
export async function searchRecords(call: Call): Promise<Reply> {
  memoryOf(call)
  const namespace = required(call.query, 'namespace')
  const { body, memory } = await memoryAndBody(call, SearchBody)
  return ok(nearest(recordsWithin(memory, namespace), body))
}
