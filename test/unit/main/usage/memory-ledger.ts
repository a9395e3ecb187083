import { Calendar } from '../../../../src/main/usage/ledger/calendar'
import { noCounts } from '../../../../src/main/usage/ledger/sums'
import type { Ledger, LedgerEntry, LedgerFilter, LogPosition } from '../../../../src/main/usage/ports'
import { computeLatency } from '../../../../src/main/usage/stacks'

/** An in-memory ledger for tests of features that use the ledger. Its daily totals use a given time zone. */
export interface MemoryLedger extends Ledger {
  all(): readonly LedgerEntry[]
  /** Arguments of all pruning calls: the time before which requests are deleted. */
  readonly pruned: number[]
}

const sources = { machine: undefined, relay: 'relay', toolLog: 'toolLog', app: 'app' } as const

const matches = (entry: LedgerEntry, { scope, from, to, ...of }: LedgerFilter): boolean =>
  entry.at >= from &&
  entry.at < to &&
  (sources[scope] === undefined || entry.source === sources[scope]) &&
  (['planId', 'keyId', 'toolId', 'modelCode', 'projectId'] as const).every(
    (name) => of[name] === undefined || of[name] === entry[name],
  )

const sum = (entries: readonly LedgerEntry[]) =>
  entries.reduce(
    (total, { error, inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }) => ({
      requests: total.requests + 1,
      errors: total.errors + (error ? 1 : 0),
      inputTokens: total.inputTokens + inputTokens,
      outputTokens: total.outputTokens + outputTokens,
      cacheTokens: total.cacheTokens + cacheReadTokens + cacheWriteTokens,
    }),
    noCounts,
  )

const parts = {
  model: 'modelCode',
  tool: 'toolId',
  key: 'keyId',
  plan: 'planId',
  project: 'projectId',
  source: 'source',
  error: 'error',
} as const

export function memoryLedger(zone = 'UTC'): MemoryLedger {
  const calendar = new Calendar(zone)
  const entries = new Map<string, LedgerEntry>()
  const positions = new Map<string, LogPosition>()
  const prunedBeforeTimes: number[] = []
  const add = (addedEntries: readonly LedgerEntry[]): void => {
    for (const entry of addedEntries) entries.set(entry.id, entry)
  }
  const findEntries = (filter: LedgerFilter): LedgerEntry[] =>
    [...entries.values()].filter((entry) => matches(entry, filter)).sort((a, b) => b.at - a.at)
  return {
    pruned: prunedBeforeTimes,
    all: () => [...entries.values()].sort((a, b) => a.at - b.at),
    add,
    flush: async () => undefined,
    series: async ({ filter, step }) => {
      const bucketStarts = calendar.starts(step, filter.from, filter.to)
      return bucketStarts.map((start, index) => ({
        start,
        ...sum(
          findEntries(filter).filter((entry) => entry.at >= start && entry.at < (bucketStarts[index + 1] ?? filter.to)),
        ),
      }))
    },
    shares: async ({ filter, by, limit }) => {
      const getSplitValue = (entry: LedgerEntry): string => entry[parts[by]] ?? ''
      const ids = [...new Set(findEntries(filter).map(getSplitValue))]
      return ids
        .map((id) => ({ id, ...sum(findEntries(filter).filter((entry) => getSplitValue(entry) === id)) }))
        .slice(0, limit)
    },
    stacks: async ({ filter, step, by, ids }) => {
      const bucketStarts = calendar.starts(step, filter.from, filter.to)
      return bucketStarts.map((start, index) => {
        const bucketRange = { from: Math.max(filter.from, start), to: bucketStarts[index + 1] ?? filter.to }
        const bucketEntries = findEntries({ ...filter, ...bucketRange }).filter(
          ({ error }) => by !== 'error' || error !== undefined,
        )
        return {
          start,
          all: sum(bucketEntries),
          counts: ids.map((id) => sum(bucketEntries.filter((entry) => entry[parts[by]] === id))),
        }
      })
    },
    requests: async ({ filter, onlyErrors, limit, before = '0' }) => {
      const bucketEntries = findEntries(filter).filter(({ error }) => !onlyErrors || error !== undefined)
      const end = Number(before) + limit
      return {
        entries: bucketEntries.slice(Number(before), end),
        next: end < bucketEntries.length ? String(end) : undefined,
      }
    },
    listHours: async () => [],
    errorsSince: async () => [],
    listLastUses: async () => [],
    latency: async ({ filter, step, limit }) => {
      const measuredTimes = findEntries(filter).flatMap(({ at, durationMs, firstByteMs }) =>
        durationMs === undefined ? [] : [{ at, durationMs, firstByteMs }],
      )
      return computeLatency(measuredTimes.slice(0, limit), calendar, step)
    },
    relayTotals: async () => {
      const relayEntries = [...entries.values()].filter(({ source }) => source === 'relay')
      const toGroupKey = ({ planId, toolId, modelCode }: LedgerEntry) => JSON.stringify([planId, toolId, modelCode])
      return [...new Set(relayEntries.map(toGroupKey))].map((name) => {
        const partEntries = relayEntries.filter((entry) => toGroupKey(entry) === name)
        const { planId = '', toolId = '', modelCode = '' } = partEntries[0] ?? {}
        const errorKinds = [...new Set(partEntries.flatMap(({ error }) => error ?? []))]
        const errorCounts = errorKinds.map((kind) => ({
          error: kind,
          requests: partEntries.filter(({ error }) => error === kind).length,
        }))
        return { planId, toolId, modelCode, ...sum(partEntries), failed: errorCounts }
      })
    },
    getSpan: async (source, toolId) => {
      const sourceEntries = [...entries.values()].filter(
        (entry) => entry.source === source && (!toolId || entry.toolId === toolId),
      )
      const timesMs = sourceEntries.map(({ at }) => at)
      return {
        requests: sourceEntries.length,
        ...(timesMs.length > 0 && { first: Math.min(...timesMs), last: Math.max(...timesMs) }),
      }
    },
    forgetLog: async (toolId) => {
      for (const { id } of [...entries.values()].filter((entry) => entry.toolId === toolId)) entries.delete(id)
      for (const [path, position] of positions) if (position.toolId === toolId) positions.delete(path)
    },
    positions: async (toolId) => [...positions.values()].filter((position) => position.toolId === toolId),
    addLog: async (newEntries, newPositions) => {
      add(newEntries)
      for (const position of newPositions) positions.set(position.path, position)
    },
    storage: async () => ({ bytes: 0, requests: entries.size, state: 'ready' }),
    prune: async (cutoffMs) => {
      prunedBeforeTimes.push(cutoffMs)
    },
    erase: async () => {
      entries.clear()
      positions.clear()
    },
    close: async () => undefined,
  }
}
