import type { Standard } from '@shared/contract/common'
import type { UsageErrorKind, UsageSource } from '@shared/contract/usage'

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
  /** The HTTP status; absent when none came, and in tools' logs. */
  readonly status?: number | undefined
  readonly error?: UsageErrorKind | undefined
  readonly firstByteMs?: number | undefined
  readonly durationMs?: number | undefined
  /** What was asked for, by the name of the conventions of metrics; a chat unless told. Not kept. */
  readonly operation?: 'text_completion' | 'embeddings' | undefined
  /** The id that the gateway gave the answer (`chatcmpl-…`, `msg_…`): a tool's log may name it too. Not given back. */
  readonly answerId?: string | undefined
}

/** What the app is called among the tools for what it sends itself: in the playground and at the prompt, and to test a key. */
export const ownTools: Readonly<Record<string, string>> = { playground: 'Playground', companion: 'Companion' }
