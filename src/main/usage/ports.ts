import type { Standard } from '@shared/contract/common'
import type {
  UsageCounts,
  UsageErrorKind,
  UsageFilter,
  UsageLatency,
  UsageSource,
  UsageSplit,
  UsageStep,
  UsageStorage,
} from '@shared/contract/usage'

/** One request as the ledger keeps it. A figure that nobody told is absent, which is not zero. */
export interface LedgerEntry {
  /**
   * Names it among all sources; an entry of an id that is there already replaces it (a tool's log is read again). One of the relay or the app must
   * then be of the same day (UTC).
   */
  readonly id: string
  /** When the request began, in ms since 1970. */
  readonly at: number
  readonly source: Exclude<UsageSource, 'console'>
  /** The plan and key of this machine; absent when another provider's, or not known. */
  readonly planId?: string | undefined
  readonly keyId?: string | undefined
  readonly toolId?: string | undefined
  readonly modelCode: string
  readonly standard?: Standard | undefined
  /** Without what came from the cache. */
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  /** The token counts are an estimate: the response reported none. */
  readonly isEstimated?: boolean | undefined
  /** The HTTP status; absent when none came, and in tools' logs. */
  readonly status?: number | undefined
  readonly error?: UsageErrorKind | undefined
  readonly firstByteMs?: number | undefined
  readonly durationMs?: number | undefined
  /** What was asked for, by the name of the conventions of metrics; a chat unless told. Not kept. */
  readonly operation?:
    | 'text_completion'
    | 'embeddings'
    | 'rerank'
    | 'moderation'
    | 'image'
    | 'audio'
    | 'video'
    | 'batch'
    | 'other'
    | undefined
  /** Of a tool's log: no copy of an entry with the same time, model and tokens. Not kept. */
  readonly isDistinct?: boolean | undefined
  /** The id that the gateway gave the answer (`chatcmpl-…`, `msg_…`): a tool's log may name it too. Not given back. */
  readonly answerId?: string | undefined
}

/** What the app is called among the tools for what it sends itself: in the playground and at the prompt, and to test a key. */
export const ownTools: Readonly<Record<string, string>> = { playground: 'Playground', companion: 'Companion' }

/** What the ledger is asked for: the window's filter with times in ms and without the console. */
export type LedgerFilter = Omit<UsageFilter, 'scope' | 'from' | 'to' | 'connectionId'> & {
  readonly scope: Exclude<UsageFilter['scope'], 'console'>
  readonly from: number
  readonly to: number
}

/** What this machine can split its sums by. */
export type LedgerSplit = UsageSplit

/** Counts of one step; `start` in ms. */
export type LedgerBucket = UsageCounts & { readonly start: number }

/** Counts of one value of a split; the empty text stands for "not known". */
export type LedgerShare = UsageCounts & { readonly id: string }

/** Counts of one step: of each part, and of everything; `start` in ms. */
export interface LedgerStack {
  readonly start: number
  readonly counts: UsageCounts[]
  readonly all: UsageCounts
}

/** Everything that was ever counted of one plan, tool and model; empty texts stand for "not known". */
export type LedgerTotal = UsageCounts & {
  readonly planId: string
  readonly toolId: string
  readonly modelCode: string
  /** The errors among the requests, by kind. */
  readonly failed: readonly { readonly error: UsageErrorKind; readonly requests: number }[]
}

/** How often a model was asked for, hour by hour: what the forecast is made of. */
export type HourOfModel = UsageCounts & { readonly start: number; readonly planId: string; readonly modelCode: string }

/** How far a file of a tool's log was read; `state` is the reader's own text. */
export interface LogPosition {
  readonly toolId: string
  readonly path: string
  readonly state: string
}

/** The requests that this machine knows of (embedded SQLite). Every call is answered by a thread of its own. */
export interface Ledger {
  /** Kept within half a second, in one transaction with others; never rejects (a full disk is told by `storage`). */
  add(entries: readonly LedgerEntry[]): void
  /** Waits until everything added so far is on disk. */
  flush(): Promise<void>
  /** Every step of the span, those without a request too. Sums come from rollups by hour and day. */
  series(query: { readonly filter: LedgerFilter; readonly step: UsageStep }): Promise<readonly LedgerBucket[]>
  /** The biggest first, at most `limit`. */
  shares(query: {
    readonly filter: LedgerFilter
    readonly by: LedgerSplit
    readonly limit: number
  }): Promise<readonly LedgerShare[]>
  /** Every step from the one that `from` is in: the parts of these ids, and all together. */
  stacks(query: {
    readonly filter: LedgerFilter
    readonly step: UsageStep
    readonly by: LedgerSplit
    readonly ids: readonly string[]
  }): Promise<readonly LedgerStack[]>
  /** The latency of each step with measured requests, of the newest requests at most. */
  latency(query: {
    readonly filter: LedgerFilter
    readonly step: UsageStep
    readonly limit: number
  }): Promise<UsageLatency['buckets']>
  /** The newest first. `before` is the `next` of an earlier answer. */
  requests(query: {
    readonly filter: LedgerFilter
    readonly onlyErrors: boolean
    readonly limit: number
    readonly before?: string | undefined
  }): Promise<{ readonly entries: readonly LedgerEntry[]; readonly next?: string | undefined }>
  /** Hour by hour for a plan, machine scope, from a moment on. */
  hoursOf(planId: string, from: number): Promise<readonly HourOfModel[]>
  /** How many failed since a moment, by plan, model and kind; for bursts. */
  errorsSince(
    from: number,
  ): Promise<readonly { planId: string; modelCode: string; error: UsageErrorKind; count: number; requests: number }[]>
  /** Sums of all time of what the relay counted; they fall only when figures are erased. */
  relayTotals(): Promise<readonly LedgerTotal[]>
  /** When the first and the last request of a source, or of one tool's log, began. */
  spanOf(
    source: Exclude<UsageSource, 'console'>,
    toolId?: string,
  ): Promise<{ readonly requests: number; readonly first?: number; readonly last?: number }>
  /** Forgets what came from a tool's log, and how far it was read. */
  forgetLog(toolId: string): Promise<void>
  positions(toolId: string): Promise<readonly LogPosition[]>
  /** Keeps entries of a tool's log and how far it was read, together or not at all. */
  addLog(entries: readonly LedgerEntry[], positions: readonly LogPosition[]): Promise<void>
  storage(): Promise<Omit<UsageStorage, 'retentionDays'>>
  /** Drops single requests that began before; sums stay. */
  prune(before: number): Promise<void>
  erase(): Promise<void>
  close(): Promise<void>
}
