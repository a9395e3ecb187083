import type { ApiStandard } from '@shared/contract/common'
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
import type { ThreadName } from '../core/worker-thread'

/** One request in the ledger. Values that the source does not report are undefined, not zero. */
export interface LedgerEntry {
  /**
   * Id of the request, unique across sources. An existing id is replaced, as when rereading a log. For relay and app,
   * the replacement must have the same UTC day.
   */
  readonly id: string
  readonly at: number
  readonly source: Exclude<UsageSource, 'console'>
  /** Local plan and key. Omitted if unknown or of another provider. */
  readonly planId?: string | undefined
  readonly keyId?: string | undefined
  readonly toolId?: string | undefined
  /** Project folder, see `toProjectId`. Undefined if unknown. */
  readonly projectId?: string | undefined
  readonly modelCode: string
  readonly standard?: ApiStandard | undefined
  /** Number of input tokens, without tokens that were read from or written to a cache. */
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  /** Whether the token counts are estimates, because the response reported none. */
  readonly isEstimated?: boolean | undefined
  /** HTTP status. Undefined without a response, and in tool logs. */
  readonly status?: number | undefined
  readonly error?: UsageErrorKind | undefined
  readonly firstByteMs?: number | undefined
  readonly durationMs?: number | undefined
  /** Operation name of the OpenTelemetry conventions. Default: chat. Not stored. */
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
  /** Whether a log entry is certainly no copy of one with equal time, model and tokens. Not stored. */
  readonly isDistinct?: boolean | undefined
  /** Response id of the gateway (`chatcmpl-…`, `msg_…`), to match log entries. Write-only. */
  readonly answerId?: string | undefined
}

/** Pseudo tools for this app's own requests: playground, command line and key tests. */
export const ownTools: Readonly<Record<string, string>> = { playground: 'Playground', companion: 'Companion' }

/** Usage filter for local data, with times in ms and without the console scope. */
export type LedgerFilter = Omit<UsageFilter, 'scope' | 'from' | 'to' | 'connectionId'> & {
  readonly scope: Exclude<UsageFilter['scope'], 'console'>
  readonly from: number
  readonly to: number
}

export type LedgerSplit = Exclude<UsageSplit, 'holder'>

export type LedgerShare = UsageCounts & { readonly id: string }

export interface LedgerStack {
  readonly start: number
  readonly counts: UsageCounts[]
  readonly all: UsageCounts
}

export type LedgerTotal = UsageCounts & {
  readonly planId: string
  readonly toolId: string
  readonly modelCode: string
  /** Set if these are only the failed requests of this kind. */
  readonly error?: UsageErrorKind | undefined
}

/** Hourly usage of a model, the input of the forecast. */
export type ModelHour = UsageCounts & { readonly start: number; readonly planId: string; readonly modelCode: string }

/** Time in ms of the newest request with a local key, by source. */
export interface KeyLastUse {
  readonly planId: string
  readonly keyId: string
  readonly source: Exclude<UsageSource, 'console'>
  readonly at: number
}

/** Position up to which a log file was read. Only the log reader interprets `state`. */
export interface LogPosition {
  readonly toolId: string
  readonly path: string
  readonly state: string
}

/** Local request ledger (SQLite), served by a worker thread. */
export interface Ledger {
  /** Saved within half a second in a batch. Never rejects; `storage` reports a full disk. */
  add(entries: readonly LedgerEntry[]): void
  /** Waits until everything added so far is on disk. */
  flush(): Promise<void>
  /** Usage by one dimension, largest first. Returns at most `limit` values of the dimension. */
  shares(query: {
    readonly filter: LedgerFilter
    readonly by: LedgerSplit
    readonly limit: number
  }): Promise<readonly LedgerShare[]>
  /**
   * Usage for each step of the period, including steps without usage, in total and by the given ids of one dimension.
   * The first step contains the start. Computed from hourly and daily sums.
   */
  stacks(query: {
    readonly filter: LedgerFilter
    readonly step: UsageStep
    readonly by?: LedgerSplit
    readonly ids?: readonly string[]
  }): Promise<readonly LedgerStack[]>
  /** Latency per step, from a limited number of newest requests. */
  latency(query: {
    readonly filter: LedgerFilter
    readonly step: UsageStep
    readonly limit: number
  }): Promise<UsageLatency['buckets']>
  /** Reads requests, newest first. `before` is the `next` of the previous page. */
  requests(query: {
    readonly filter: LedgerFilter
    readonly onlyErrors: boolean
    readonly limit: number
    readonly before?: string | undefined
  }): Promise<{ readonly entries: readonly LedgerEntry[]; readonly next?: string | undefined }>
  /** Lists the hourly usage of a plan on this computer. */
  listHours(planId: string, from: number): Promise<readonly ModelHour[]>
  /** Requests since a moment by plan, model and kind of error, to detect bursts of failures. */
  countSince(
    from: number,
  ): Promise<readonly { planId: string; modelCode: string; error: UsageErrorKind | undefined; requests: number }[]>
  /**
   * Sums of all relay requests ever recorded, and sums of the failed ones by error. They only decrease when the user
   * deletes usage data.
   */
  relayTotals(): Promise<readonly LedgerTotal[]>
  /** Start times of the first and the last request of a source or of one tool's log. */
  getSpan(
    source: Exclude<UsageSource, 'console'>,
    toolId?: string,
  ): Promise<{ readonly requests: number; readonly first?: number; readonly last?: number }>
  listLastUses(): Promise<readonly KeyLastUse[]>
  forgetLog(toolId: string): Promise<void>
  positions(toolId: string): Promise<readonly LogPosition[]>
  /** Saves log entries and the read position atomically. */
  addLog(entries: readonly LedgerEntry[], positions: readonly LogPosition[]): Promise<void>
  storage(): Promise<Omit<UsageStorage, 'retentionDays'>>
  /** Deletes single requests before a time. Sums stay. */
  prune(beforeMs: number): Promise<void>
  erase(): Promise<void>
  close(): Promise<void>
}

/** Calls of the ledger's worker thread. */
export type LedgerCalls = Omit<Ledger, 'flush' | 'add'> & { add(entries: readonly LedgerEntry[]): void }

export const ledgerName: ThreadName = { name: 'usage ledger', unavailable: 'usage.unavailable' }

/** Options of the worker thread. */
export interface LedgerThreadOptions {
  readonly file: string
  /** Time zone of days. */
  readonly zone?: string | undefined
  /** Delay in ms before an unusable file is opened again. */
  readonly retryMs: number
  /** Whether the thread runs at low priority, because tools wait for the relay's threads. */
  readonly isBackground?: boolean | undefined
}
