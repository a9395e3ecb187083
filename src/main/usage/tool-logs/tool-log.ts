import type { Route } from '@shared/contract'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { ForeignDatabase } from '../../sqlite/database'
import type { ToolEnvironment } from '../../tools/environment'

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
  defaultKeyOf: (planId: string) => string | undefined,
): Attribution {
  const newest = uses
    .map((use) => ({ ...use, from: Date.parse(use.at), codes: codesOf(use) }))
    .toSorted((a, b) => b.from - a.from)
  return ({ toolId, modelCode, at }) => {
    const use = newest.find((one) => one.toolId === toolId && one.from <= at && one.codes.has(modelCode))
    if (!use) return undefined
    const { planId, keyId = defaultKeyOf(planId), route } = use.choice
    return { planId, keyId, isRelayed: route === 'relay' }
  }
}

const codesOf = ({ choice }: ToolUse): ReadonlySet<string> =>
  new Set([choice.modelCode, ...Object.values(choice.slots)])

/** What one request cost, as a tool wrote it down; a figure that it did not write is absent. */
export interface ToldTokens {
  /** Without what came from the cache. */
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
}

/** One answer of a model, or all of a session: figures, model code, time and ids, never what was said. */
export interface ToldAnswer extends ToldTokens {
  /** Names it within its tool, in every file that holds it. */
  readonly id: string
  /** When the request began or, where the tool does not say that, when the answer was written, in ms; absent: it tells no time at all. */
  readonly at?: number | undefined
  readonly modelCode: string
  readonly durationMs?: number | undefined
  /** The gateway's id of the answer. */
  readonly answerId?: string | undefined
  readonly error?: UsageErrorKind | undefined
}

/** What a line, file or row says: none or several answers; undefined when it should say one and could not be understood. */
export type Reading = readonly ToldAnswer[] | undefined

interface LogBase {
  readonly toolId: string
  /** Where its files are. */
  readonly folder: (environment: ToolEnvironment) => string
}

/** A log of lines in JSON to which its tool only appends. */
export interface LineLog extends LogBase {
  readonly kind: 'lines'
  /** Whether a file is one, by its path below the folder, with `/`. */
  readonly isLog: (path: string) => boolean
  /** What every line of interest holds; the others are not parsed. */
  readonly mark: string
  readonly read: (line: unknown) => Reading
}

/** A log of files in JSON that its tool writes anew each time. */
export interface FileLog extends LogBase {
  readonly kind: 'files'
  readonly isLog: (path: string) => boolean
  /** `path` is below the folder, with `/`. */
  readonly read: (content: unknown, path: string) => Reading
  /** It tells sums of whole sessions, each as one answer that grows. */
  readonly isTotals?: boolean
}

/** A log in an SQLite database, rows in the order of their ids. */
export interface RowLog extends LogBase {
  readonly kind: 'rows'
  /** The database, in the folder. */
  readonly file: string
  /** Selects `id` and `data` of rows from the id `?1` on, in their order, at most `?2`. */
  readonly query: string
  readonly read: (id: string, data: unknown) => RowReading
}

/** What a row says; `openSince` in ms: its answer is still coming, so that it is to be read again. */
export interface RowReading {
  readonly reading: Reading
  readonly openSince?: number | undefined
}

/** What one tool leaves on disk. */
export type ToolLog = LineLog | FileLog | RowLog

/** Opens a database to read, without ever writing to it. Fails when it is none, or locked. */
export type OpenForeign = (path: string) => Promise<ForeignDatabase>
