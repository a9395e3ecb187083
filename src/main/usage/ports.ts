import type {
  UsageCounts,
  UsageErrorKind,
  UsageFilter,
  UsageRequest,
  UsageSource,
  UsageSplit,
} from '@shared/contract/usage'
import type { ThreadName } from '../core/worker-thread'

/** One request in the ledger. Values that the source does not report are undefined, not zero. */
export interface LedgerEntry
  extends Readonly<Omit<UsageRequest, 'id' | 'at' | 'source' | 'planName' | 'keyName' | 'toolName' | 'projectName'>> {
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
