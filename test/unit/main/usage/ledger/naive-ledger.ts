import type { UsageCounts } from '@shared/contract/usage'
import { addUsageCounts, noCounts } from '@shared/usage-counts'
import { slotMs } from '../../../../../src/main/usage/ledger/calendar'
import type { LedgerEntry, LedgerFilter, LedgerSplit } from '../../../../../src/main/usage/ports'

interface StoredEntry {
  readonly entry: LedgerEntry
  /** Id of the relay's entry for the same request. Set for duplicates from a tool log. */
  duplicateId: string | undefined
  isPruned: boolean
}

const scopes: Record<LedgerFilter['scope'], (storedEntry: StoredEntry) => boolean> = {
  machine: ({ duplicateId }) => duplicateId === undefined,
  relay: ({ entry }) => entry.source === 'relay',
  toolLog: ({ entry }) => entry.source === 'toolLog',
  app: ({ entry }) => entry.source === 'app',
}

const getSplitValue: Record<LedgerSplit, (entry: LedgerEntry) => string | undefined> = {
  plan: ({ planId }) => planId ?? '',
  key: ({ keyId }) => keyId ?? '',
  tool: ({ toolId }) => toolId ?? '',
  model: ({ modelCode }) => modelCode,
  project: ({ projectId }) => projectId ?? '',
  source: ({ source }) => source,
  error: ({ error }) => error,
}

/**
 * A reference implementation that scans a list. It recognizes duplicates by response id only, and does not add the
 * project of a log entry to the relay's entry.
 */
export class NaiveLedger {
  #all: StoredEntry[] = []
  #prunedBefore = 0

  add(entries: readonly LedgerEntry[]): void {
    const batch = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
    const addedEntries = batch.flatMap((entry) => {
      const existingEntry = this.#all.find((storedEntry) => storedEntry.entry.id === entry.id && !storedEntry.isPruned)
      const isPrunedEntry = this.#all.some((storedEntry) => storedEntry.entry.id === entry.id && storedEntry.isPruned)
      if (!existingEntry && isPrunedEntry && entry.source === 'toolLog') return []
      for (const storedEntry of this.#all)
        if (existingEntry && storedEntry.duplicateId === entry.id && !storedEntry.isPruned)
          storedEntry.duplicateId = undefined
      this.#all = this.#all.filter((storedEntry) => storedEntry !== existingEntry)
      const newEntry = { entry, duplicateId: undefined, isPruned: false }
      this.#all.push(newEntry)
      return [newEntry]
    })
    for (const newEntry of addedEntries) this.#pair(newEntry)
  }

  prune(cutoffMs: number): void {
    this.#prunedBefore = Math.max(this.#prunedBefore, cutoffMs)
    for (const storedEntry of this.#all) if (storedEntry.entry.at < cutoffMs) storedEntry.isPruned = true
  }

  forgetLog(toolId: string): void {
    this.#all = this.#all.filter(({ entry }) => entry.source !== 'toolLog' || entry.toolId !== toolId)
  }

  shares(filter: LedgerFilter, by: LedgerSplit): ReadonlyMap<string, UsageCounts> {
    const countsByPart = new Map<string, UsageCounts>()
    for (const { entry } of this.#in(filter)) {
      const partId = getSplitValue[by](entry)
      if (partId !== undefined)
        countsByPart.set(partId, addUsageCounts(countsByPart.get(partId) ?? noCounts, toCounts(entry)))
    }
    return countsByPart
  }

  /** Ids of stored requests, each with its time, newest first. */
  requests(filter: LedgerFilter, onlyErrors: boolean): readonly string[] {
    return this.#all
      .filter((storedEntry) => !storedEntry.isPruned && matchesFilter(storedEntry, filter))
      .filter(({ entry: { at, error } }) => at >= filter.from && at < filter.to && (!onlyErrors || error))
      .map(({ entry }) => `${entry.at} ${entry.id}`)
      .sort()
  }

  #pair(storedEntry: StoredEntry): void {
    const { entry } = storedEntry
    const isSameRequest = (candidate: StoredEntry, source: LedgerEntry['source']): boolean =>
      !candidate.isPruned &&
      candidate.entry.source === source &&
      candidate.entry.toolId === entry.toolId &&
      candidate.entry.answerId === entry.answerId &&
      Math.abs(utcDay(candidate.entry.at) - utcDay(entry.at)) <= 1
    if (entry.answerId === undefined || entry.toolId === undefined) return
    if (entry.source === 'toolLog')
      storedEntry.duplicateId ??= this.#all.find((candidate) => isSameRequest(candidate, 'relay'))?.entry.id
    if (entry.source !== 'relay') return
    for (const log of this.#all) if (isSameRequest(log, 'toolLog')) log.duplicateId ??= entry.id
  }

  #in(filter: LedgerFilter): readonly StoredEntry[] {
    return this.#all.filter((storedEntry) => {
      const timeMs = this.#roundedTime(storedEntry.entry.at)
      return matchesFilter(storedEntry, filter) && timeMs >= filter.from && timeMs < filter.to
    })
  }

  /** After pruning, a request counts at the start of its quarter of an hour. */
  #roundedTime(timeMs: number): number {
    const slotStartMs = Math.floor(timeMs / slotMs) * slotMs
    return slotStartMs < this.#prunedBefore ? slotStartMs : timeMs
  }
}

const filterFields = ['planId', 'keyId', 'toolId', 'modelCode', 'projectId'] as const

const matchesFilter = (storedEntry: StoredEntry, filter: LedgerFilter): boolean =>
  scopes[filter.scope](storedEntry) &&
  filterFields.every((name) => filter[name] === undefined || filter[name] === (storedEntry.entry[name] ?? ''))

const toCounts = (entry: LedgerEntry): UsageCounts => ({
  requests: 1,
  errors: entry.error === undefined ? 0 : 1,
  inputTokens: entry.inputTokens ?? 0,
  outputTokens: entry.outputTokens ?? 0,
  cacheTokens: (entry.cacheReadTokens ?? 0) + (entry.cacheWriteTokens ?? 0),
})

const utcDay = (timeMs: number): number => Math.floor(timeMs / 86_400_000)
