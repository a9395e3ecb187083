import type { Route } from '@shared/contract'
import { z } from 'zod'
import type { ToolEnvironment } from '../../core/environment'
import type { ForeignDatabase } from '../../core/sqlite/database'
import type { LedgerEntry } from '../ports'

/** Plan, key and models that a tool has used since a time (ISO 8601). */
interface ToolSetupPeriod {
  readonly toolId: string
  readonly at: string
  readonly choice: {
    readonly planId: string
    readonly keyId?: string | undefined
    readonly modelCode: string
    readonly slots: Readonly<Record<string, string>>
    readonly route?: Route | undefined
  }
}

/** Finds plan and key of a tool's request. Undefined if the tool may have used another provider. */
export type Attribution = (request: {
  readonly toolId: string
  readonly modelCode: string
  /** Time of the request in ms. */
  readonly at: number
}) =>
  | {
      readonly planId: string
      readonly keyId?: string | undefined
      /** Whether the tool sent requests through the relay, which records each of them. */
      readonly isRelayed: boolean
    }
  | undefined

/**
 * Attributes a request to the tool's latest setup before it, if that setup has the model. A setup without a key id
 * gets the plan's default key.
 */
export function createAttribution(
  uses: readonly ToolSetupPeriod[],
  findDefaultKey: (planId: string) => string | undefined,
): Attribution {
  const newestUses = uses
    .map((use) => ({
      ...use,
      from: Date.parse(use.at),
      codes: new Set([use.choice.modelCode, ...Object.values(use.choice.slots)]),
    }))
    .toSorted((a, b) => b.from - a.from)
  return ({ toolId, modelCode, at }) => {
    const currentUse = newestUses.find(
      (toolUse) => toolUse.toolId === toolId && toolUse.from <= at && toolUse.codes.has(modelCode),
    )
    if (!currentUse) return undefined
    const { planId, keyId = findDefaultKey(planId), route } = currentUse.choice
    return { planId, keyId, isRelayed: route === 'relay' }
  }
}

/** Token counts of one response as a tool logged them. A missing count is unknown, not zero. */
export type LoggedTokens = Pick<LedgerEntry, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>

/** One response, or totals of a session. The id is unique in the tool's log. Never contains texts of a conversation. */
export interface ResponseUsage
  extends LoggedTokens,
    Pick<LedgerEntry, 'id' | 'modelCode' | 'durationMs' | 'answerId' | 'projectId' | 'error' | 'isDistinct'> {
  /** Start of the request, or time of the log entry, in ms. Undefined if the tool logs no time. */
  readonly at?: number | undefined
  /** Digest of the conversation up to this response, if it has no time. A copy of the session has the same digest. */
  readonly digest?: string | undefined
}

/** Responses in a line, file or row. Undefined if it should contain a response but could not be parsed. */
export type LogReading = readonly ResponseUsage[] | undefined

interface LogBase {
  readonly toolId: string
  readonly folder: (environment: ToolEnvironment) => string
}

/** State while reading a line log: the last response, and ids that the gateway used for several responses. */
export interface LineReaderState {
  /** Name of the file's folder in the log folder. Empty for a file directly in the log folder. */
  readonly folderName: string
  /** Project in the first line of the file. */
  readonly projectId: string | undefined
  last?: LastResponse | undefined
  readonly reusedIds: Set<string>
}

export type LastResponse = z.infer<typeof LastResponse>
export const LastResponse = z.object({
  id: z.string(),
  messageId: z.string(),
  requestId: z.string(),
  uuid: z.string(),
  at: z.number(),
  promptTokens: z.number().nonnegative(),
})

/** An append-only JSON lines log. */
export interface LineLog extends LogBase {
  readonly kind: 'lines'
  /** Whether a file belongs to the log. `path` is relative to the log folder, with `/` as separator. */
  readonly isLog: (path: string) => boolean
  /** Text that all lines with responses contain. Lines without it are not parsed. */
  readonly mark: string
  readonly read: (line: unknown, memory: LineReaderState) => LogReading
  /** Reads the project from the first line of a file, if the tool writes it only there. */
  readonly readProject?: (firstLine: unknown) => string | undefined
}

/** A log that consists of JSON files, which the tool rewrites completely. */
export interface FileLog extends LogBase {
  readonly kind: 'files'
  readonly isLog: (path: string) => boolean
  /** Parses a file of the log. `path` is relative to the log folder, with `/` as separator. */
  readonly read: (content: unknown, path: string) => LogReading
  /** Another file of the session that contains the project. */
  readonly projectFile?: {
    readonly toPath: (path: string) => string
    readonly read: (content: unknown) => string | undefined
  }
  /** Whether the log has only totals. A session then counts as one response whose token counts grow. */
  readonly isTotals?: boolean
}

export interface RowLog extends LogBase {
  readonly kind: 'rows'
  readonly isDatabase: (name: string) => boolean
  /** Path of an additional database, if an environment variable sets one. */
  readonly otherDatabase: (environment: ToolEnvironment) => string | undefined
  /** Subfolder with logs of an older, unsupported format. */
  readonly olderFolder: string
  /** Tables with responses. Each version of the tool writes one of them. An upgraded database may have several. */
  readonly tables: readonly RowTable[]
}

/** A table with columns `id`, `data`, `time_created` and optionally `time_updated`, in ms. */
export interface RowTable {
  readonly name: string
  /** SQL condition that selects the rows with responses. */
  readonly where?: string
  readonly read: (id: string, data: unknown) => ParsedRow
}

/** The response in a row. `openSince`: its start in ms while it is still streaming. The row is then read again. */
export interface ParsedRow {
  readonly reading: LogReading
  readonly openSince?: number | undefined
}

export type ToolLog = LineLog | FileLog | RowLog

/** Opens a database read-only. Fails if it is invalid or locked. */
export type OpenForeignDatabase = (path: string) => Promise<ForeignDatabase>
