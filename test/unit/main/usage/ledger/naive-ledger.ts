import type { UsageCounts } from '@shared/contract/usage'
import { slotMs } from '../../../../../src/main/usage/ledger/calendar'
import { noCounts, plus } from '../../../../../src/main/usage/ledger/sums'
import type { LedgerEntry, LedgerFilter, LedgerSplit } from '../../../../../src/main/usage/ports'

interface StoredEntry {
  readonly entry: LedgerEntry
  /** The relay's entry that a log entry duplicates. */
  duplicateId: string | undefined
  isPruned: boolean
}

const scopes: Record<LedgerFilter['scope'], (kept: StoredEntry) => boolean> = {
  machine: ({ duplicateId }) => duplicateId === undefined,
  relay: ({ entry }) => entry.source === 'relay',
  toolLog: ({ entry }) => entry.source === 'toolLog',
  app: ({ entry }) => entry.source === 'app',
}

const toPart: Record<LedgerSplit, (entry: LedgerEntry) => string | undefined> = {
  plan: ({ planId }) => planId ?? '',
  key: ({ keyId }) => keyId ?? '',
  tool: ({ toolId }) => toolId ?? '',
  model: ({ modelCode }) => modelCode,
  source: ({ source }) => source,
  error: ({ error }) => error,
}

/** A reference implementation that scans a list. It recognizes duplicates by response id only. */
export class NaiveLedger {
  #all: StoredEntry[] = []
  #prunedBefore = 0

  add(entries: readonly LedgerEntry[]): void {
    const batch = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
    const addedEntries = batch.flatMap((entry) => {
      const before = this.#all.find((kept) => kept.entry.id === entry.id && !kept.isPruned)
      const isGone = this.#all.some((kept) => kept.entry.id === entry.id && kept.isPruned)
      if (!before && isGone && entry.source === 'toolLog') return []
      for (const kept of this.#all)
        if (before && kept.duplicateId === entry.id && !kept.isPruned) kept.duplicateId = undefined
      this.#all = this.#all.filter((kept) => kept !== before)
      const kept = { entry, duplicateId: undefined, isPruned: false }
      this.#all.push(kept)
      return [kept]
    })
    for (const kept of addedEntries) this.#pair(kept)
  }

  prune(before: number): void {
    this.#prunedBefore = Math.max(this.#prunedBefore, before)
    for (const kept of this.#all) if (kept.entry.at < before) kept.isPruned = true
  }

  forgetLog(toolId: string): void {
    this.#all = this.#all.filter(({ entry }) => entry.source !== 'toolLog' || entry.toolId !== toolId)
  }

  total(filter: LedgerFilter): UsageCounts {
    return this.#in(filter).reduce((sum, { entry }) => plus(sum, toCounts(entry)), noCounts)
  }

  shares(filter: LedgerFilter, by: LedgerSplit): ReadonlyMap<string, UsageCounts> {
    const all = new Map<string, UsageCounts>()
    for (const { entry } of this.#in(filter)) {
      const part = toPart[by](entry)
      if (part !== undefined) all.set(part, plus(all.get(part) ?? noCounts, toCounts(entry)))
    }
    return all
  }

  /** Ids of stored requests, each with its time, newest first. */
  requests({ from, to, ...filter }: LedgerFilter, onlyErrors: boolean): readonly string[] {
    const all = this.#all.filter((kept) => !kept.isPruned && matchesFilter(kept, { from, to, ...filter }))
    const errorEntries = all.filter(({ entry }) => entry.at >= from && entry.at < to && (!onlyErrors || entry.error))
    return errorEntries.map(({ entry }) => `${entry.at} ${entry.id}`).sort()
  }

  first(scope: LedgerFilter['scope']): number | undefined {
    const scopeEntries = this.#all.filter(scopes[scope])
    const entryTimes = scopeEntries.map(({ entry }) => this.#roundedTime(entry.at))
    return entryTimes.length > 0 ? Math.min(...entryTimes) : undefined
  }

  #pair(kept: StoredEntry): void {
    const { entry } = kept
    const isSameRequest = (candidate: StoredEntry, source: LedgerEntry['source']): boolean =>
      !candidate.isPruned &&
      candidate.entry.source === source &&
      candidate.entry.toolId === entry.toolId &&
      candidate.entry.answerId === entry.answerId &&
      Math.abs(utcDay(candidate.entry.at) - utcDay(entry.at)) <= 1
    if (entry.answerId === undefined || entry.toolId === undefined) return
    if (entry.source === 'toolLog')
      kept.duplicateId ??= this.#all.find((candidate) => isSameRequest(candidate, 'relay'))?.entry.id
    if (entry.source !== 'relay') return
    for (const log of this.#all) if (isSameRequest(log, 'toolLog')) log.duplicateId ??= entry.id
  }

  #in({ from, to, ...filter }: LedgerFilter): readonly StoredEntry[] {
    const all = this.#all.filter((kept) => matchesFilter(kept, { from, to, ...filter }))
    return all.filter(({ entry }) => this.#roundedTime(entry.at) >= from && this.#roundedTime(entry.at) < to)
  }

  /** A request of a pruned quarter of an hour counts at its start. */
  #roundedTime(at: number): number {
    const quarter = Math.floor(at / slotMs) * slotMs
    return quarter < this.#prunedBefore ? quarter : at
  }
}

function matchesFilter(kept: StoredEntry, { scope, planId, keyId, toolId, modelCode }: LedgerFilter): boolean {
  const { entry } = kept
  const filterPairs = [
    [planId, entry.planId],
    [keyId, entry.keyId],
    [toolId, entry.toolId],
    [modelCode, entry.modelCode],
  ]
  return scopes[scope](kept) && filterPairs.every(([value, own]) => value === undefined || value === (own ?? ''))
}

const toCounts = (entry: LedgerEntry): UsageCounts => ({
  requests: 1,
  errors: entry.error === undefined ? 0 : 1,
  inputTokens: entry.inputTokens ?? 0,
  outputTokens: entry.outputTokens ?? 0,
  cacheTokens: (entry.cacheReadTokens ?? 0) + (entry.cacheWriteTokens ?? 0),
})

const utcDay = (at: number): number => Math.floor(at / 86_400_000)
