import type { Route } from '@shared/contract'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { ToolEnvironment } from '../../core/environment'
import type { ForeignDatabase } from '../../core/sqlite/database'

/** What this app set a tool up with, from a moment on (ISO 8601). */
interface ToolUse {
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

/** Whose a request was. */
interface Owner {
  readonly planId: string
  readonly keyId?: string | undefined
  /** It went through the relay, which counted it. */
  readonly isRelayed: boolean
}

/** The plan and key that a tool made a request with; undefined when it may have been another provider's. */
export type Attribution = (request: {
  readonly toolId: string
  readonly modelCode: string
  /** In ms. */
  readonly at: number
}) => Owner | undefined

/** Attributes by what tools were set up with last: a request after that whose model is one of the choice. A tool without a named key takes the first. */
export function attributionBy(
  uses: readonly ToolUse[],
  findDefaultKey: (planId: string) => string | undefined,
): Attribution {
  const newest = uses
    .map((use) => ({ ...use, from: Date.parse(use.at), codes: listCodes(use) }))
    .toSorted((a, b) => b.from - a.from)
  return ({ toolId, modelCode, at }) => {
    const use = newest.find((one) => one.toolId === toolId && one.from <= at && one.codes.has(modelCode))
    if (!use) return undefined
    const { planId, keyId = findDefaultKey(planId), route } = use.choice
    return { planId, keyId, isRelayed: route === 'relay' }
  }
}

const listCodes = ({ choice }: ToolUse): ReadonlySet<string> =>
  new Set([choice.modelCode, ...Object.values(choice.slots)])

/** Token counts of one response as a tool logged them; a missing count is unknown, not zero. */
export interface ToldTokens {
  /** Without tokens from the cache. */
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
}

/** One response of a model, or the totals of a session: counts, model code, time and ids, never content. */
export interface ToldAnswer extends ToldTokens {
  /** Unique within its tool, across all its files. */
  readonly id: string
  /** When the request began or else when the response was logged, in ms; absent when the tool logs no time. */
  readonly at?: number | undefined
  readonly modelCode: string
  readonly durationMs?: number | undefined
  /** The gateway's id of the response. */
  readonly answerId?: string | undefined
  readonly error?: UsageErrorKind | undefined
  /** Without a time: a digest of the conversation up to this response, which copies of the session repeat. */
  readonly digest?: string | undefined
  /** Not a copy of an entry with the same time, model and tokens. */
  readonly isDistinct?: boolean | undefined
}

/** The responses in a line, file or row; undefined when there should be one and it could not be understood. */
export type Reading = readonly ToldAnswer[] | undefined

interface LogBase {
  readonly toolId: string
  /** Where its files are. */
  readonly folder: (environment: ToolEnvironment) => string
}

/** The response that a log of lines named last, and ids that the gateway gave to several responses. */
export interface LineMemory {
  last?: LastResponse | undefined
  readonly reusedIds: Set<string>
}

export interface LastResponse {
  readonly id: string
  /** As the tool logged them. */
  readonly messageId: string
  readonly requestId: string
  readonly uuid: string
  /** In ms. */
  readonly at: number
  readonly promptTokens: number
}

/** A log of lines in JSON to which its tool only appends. */
export interface LineLog extends LogBase {
  readonly kind: 'lines'
  /** Whether a file is one, by its path below the folder, with `/`. */
  readonly isLog: (path: string) => boolean
  /** In every line of interest; the others are not parsed. */
  readonly mark: string
  readonly read: (line: unknown, memory: LineMemory) => Reading
}

/** A log of files in JSON that its tool rewrites each time. */
export interface FileLog extends LogBase {
  readonly kind: 'files'
  readonly isLog: (path: string) => boolean
  /** `path` is below the folder, with `/`. */
  readonly read: (content: unknown, path: string) => Reading
  /** It has totals of whole sessions, each as one response that grows. */
  readonly isTotals?: boolean
}

/** A log in SQLite databases. */
export interface RowLog extends LogBase {
  readonly kind: 'rows'
  /** Names of its databases in the folder. */
  readonly isDatabase: (name: string) => boolean
  /** A database that the environment names, in addition. */
  readonly otherDatabase: (environment: ToolEnvironment) => string | undefined
  /** Where older versions logged in another format that is not read, below the folder. */
  readonly olderFolder: string
  /** A version of the tool writes one of these; an upgraded database has several. */
  readonly tables: readonly RowTable[]
}

/** A table with the columns `id`, `data`, `time_created` and perhaps `time_updated`, both in ms. */
export interface RowTable {
  readonly name: string
  /** Restricts the rows, in SQL. */
  readonly where?: string
  readonly read: (id: string, data: unknown) => RowReading
}

/** The response in a row; `openSince` in ms: it is still streamed, so the row is read again. */
export interface RowReading {
  readonly reading: Reading
  readonly openSince?: number | undefined
}

/** The log of one tool. */
export type ToolLog = LineLog | FileLog | RowLog

/** Opens a database read-only. Fails when it is none, or locked. */
export type OpenForeign = (path: string) => Promise<ForeignDatabase>
