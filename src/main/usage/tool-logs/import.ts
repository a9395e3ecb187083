import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { dayMs, minuteMs } from '@shared/durations'
import { z } from 'zod'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import type { Clock, Log } from '../../core/ports'
import type { UsageChoice } from '../../core/settings/records'
import { type ForeignDatabase, openForeignDatabase } from '../../core/sqlite/database'
import type { Ledger } from '../ledger-client'
import type { LedgerEntry, LogPosition } from '../ports'
import {
  type Attribution,
  type DiscoveredFile,
  type FileLog,
  type LogChunk,
  type LoggedTokens,
  type ParsedRow,
  type Position,
  parsePosition,
  type ResponseUsage,
  type RowLog,
  type RowTable,
  readJson,
  readLines,
  type ToolLog,
} from './tool-log'

interface ToolLogsDeps {
  readonly ledger: Pick<Ledger, 'positions' | 'addLog' | 'forgetLog'>
  readonly environment: ToolEnvironment
  readonly attribution: () => Attribution
  /** Requests of a tool before this time (ms) are ignored. */
  readonly notBefore: (toolId: string) => number
  readonly clock: Clock
  readonly log: Log
}

/** Imports the log of one tool. */
export class ToolLogReader {
  /** Read positions by path. */
  #positions: Map<string, Position> | undefined
  #readAt: string | undefined
  #running: Promise<boolean> | undefined
  /** Paths of files that could not be read last time. */
  readonly #failed = new Set<string>()
  /** Whether the log folder contains only files of an unknown format. */
  #isUnknown = false
  /** Whether the current read must stop, because the tool's data is deleted. */
  #isStopped = false

  constructor(
    private readonly log: ToolLog,
    private readonly deps: ToolLogsDeps,
  ) {}

  get toolId(): string {
    return this.log.toolId
  }

  /** State of the log as last imported, without reading it. Fails with `usage.unavailable`. */
  async state() {
    const { log, toolId } = this
    const folder = log.folder(this.deps.environment)
    const logExists = log.kind === 'rows' ? (await this.#databases(log)).length > 0 : existsSync(folder)
    const positions = await this.#loadPositions()
    let notUnderstood = this.#failed.size + (this.#isUnknown ? 1 : 0)
    for (const position of positions.values())
      notUnderstood += position.notUnderstood + (position.responses === 0 ? position.unmarked : 0)
    return { toolId, folder, exists: logExists || this.#isUnknown, notUnderstood, readAt: this.#readAt }
  }

  /** Imports new entries and returns whether there were any. Fails with `usage.unavailable`. */
  read(): Promise<boolean> {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined
      this.#isStopped = false
    })
    return this.#running
  }

  /** Ends a running read, and forgets the positions and the time of the last one. */
  async stop(): Promise<void> {
    this.#isStopped = this.#running !== undefined
    await this.#running?.catch(() => undefined)
    this.#positions = undefined
    this.#readAt = undefined
  }

  /** Deletes the entries and the read position. */
  async forget(): Promise<void> {
    await this.stop()
    await this.deps.ledger.forgetLog(this.toolId)
  }

  async #read(): Promise<boolean> {
    const { log, toolId } = this
    const { ledger, clock, attribution, notBefore } = this.deps
    const positions = await this.#loadPositions()
    const owner = attribution()
    const span = { from: notBefore(toolId), nowMs: clock().getTime() }
    let hasChanged = false
    for (const file of await this.#findFiles()) {
      const lastPosition = positions.get(file.path) ?? parsePosition(undefined)
      const isUnchanged =
        file.size === lastPosition.size &&
        file.mtimeMs === lastPosition.mtimeMs &&
        (log.kind === 'lines' || lastPosition.version === positionVersion)
      if (isUnchanged) continue
      if (this.#isStopped) return hasChanged
      for await (const chunk of this.#untilFailure(file, lastPosition, positions)) {
        if (this.#isStopped) return hasChanged
        const { answers, position, path = file.path } = chunk
        const entries = answers.flatMap((answer) => toEntry(answer, log, owner, span) ?? [])
        const storedPosition: LogPosition = { toolId, path, state: JSON.stringify(position) }
        // If several lines belong to the same response, use the last one.
        const latestEntries = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
        await ledger.addLog(latestEntries, [storedPosition])
        positions.set(path, position)
        hasChanged ||= entries.length > 0
        await setImmediate()
      }
    }
    this.#readAt = clock().toISOString()
    return hasChanged
  }

  /** Reads a file until an error, as when it is locked, removed or of another schema. The next import tries again. */
  async *#untilFailure(
    file: DiscoveredFile,
    lastPosition: Position,
    positions: ReadonlyMap<string, Position>,
  ): AsyncGenerator<LogChunk> {
    const { log } = this
    const { path } = file
    try {
      if (log.kind === 'files') yield* readWholeFile(log, file, lastPosition, positions)
      else if (log.kind === 'lines') {
        const reusedIds = new Set([...positions.values()].flatMap((position) => position.reusedIds))
        yield* readLines(log, file, lastPosition, reusedIds)
      } else yield* readDatabase(log, file, lastPosition, positions, this.deps.clock().getTime())
      this.#failed.delete(path)
    } catch (error) {
      if (!this.#failed.has(path)) this.deps.log.error('usage.toolLog', error)
      this.#failed.add(path)
    }
  }

  async #findFiles(): Promise<readonly DiscoveredFile[]> {
    const { log } = this
    const { environment } = this.deps
    const folder = log.folder(environment)
    if (log.kind === 'rows') {
      const databases = await this.#databases(log)
      this.#isUnknown = databases.length === 0 && existsSync(joinPath(environment, folder, log.olderFolder))
      return databases
    }
    const { files, otherCount } = await findFiles(folder, log.isLog)
    this.#isUnknown = files.length === 0 && otherCount > 0
    return files
  }

  async #databases(log: RowLog): Promise<DiscoveredFile[]> {
    const { environment } = this.deps
    const folder = log.folder(environment)
    const names = await readdir(folder).catch(() => [])
    const otherDatabase = log.otherDatabase(environment)
    const paths = names.filter(log.isDatabase).map((name) => joinPath(environment, folder, name))
    const databases = await Promise.all(
      [...new Set([...paths, ...(otherDatabase ? [otherDatabase] : [])])].map(readDatabaseFileStats),
    )
    return databases.flatMap((database) => database ?? [])
  }

  async #loadPositions(): Promise<Map<string, Position>> {
    if (this.#positions) return this.#positions
    const storedPositions = await this.deps.ledger.positions(this.log.toolId)
    this.#positions = new Map(storedPositions.map(({ path, state }) => [path, parsePosition(state)]))
    return this.#positions
  }
}

/** Size and modification time of a file. Undefined if it is missing or not a regular file. */
async function readFileFacts(path: string, name = ''): Promise<DiscoveredFile | undefined> {
  const stats = await stat(path).catch(() => undefined)
  return stats?.isFile() ? { path, name, size: stats.size, mtimeMs: stats.mtimeMs } : undefined
}

/** Size and time of a database with its write-ahead log. Ignores an empty one, which reading creates and removes. */
async function readDatabaseFileStats(path: string) {
  const [databaseFile, log] = await Promise.all([readFileFacts(path), readFileFacts(`${path}-wal`)])
  if (!databaseFile || !log?.size) return databaseFile
  const mtimeMs = Math.max(databaseFile.mtimeMs, log.mtimeMs)
  return { ...databaseFile, size: databaseFile.size + log.size, mtimeMs }
}

/** Version of stored positions. Older versions missed copies or wrapped ids, so such files are read again once. */
const positionVersion = 2

/**
 * Converts a logged response to a ledger entry. Undefined if its time is too early or in the future, or if it is a
 * session total whose single requests the relay recorded. `span`: range of valid times in ms.
 */
function toEntry(
  answer: ResponseUsage,
  log: ToolLog,
  owner: Attribution,
  span: { readonly from: number; readonly nowMs: number },
): LedgerEntry | undefined {
  const { id, at = span.nowMs, modelCode, digest: _, ...figures } = answer
  if (at < span.from || at > span.nowMs + dayMs) return undefined
  const { toolId } = log
  const planAndKey = owner({ toolId, modelCode, at })
  if (planAndKey?.isRelayed && log.kind === 'files' && log.isTotals) return undefined
  // Omit plan and key for a relayed request. The relay may have used other ones, and records them itself.
  const { planId, keyId } = planAndKey && !planAndKey.isRelayed ? planAndKey : {}
  return { ...figures, id: `${toolId}:${id}`, at, source: 'toolLog', toolId, modelCode, planId, keyId }
}

/** Maximum size of a log file in bytes. Larger files are counted and skipped. */
const maxFileBytes = 64_000_000

/**
 * Reads a file that its tool rewrites as a whole. A response without a time is counted once, with the file's
 * modification time. A file that cannot be parsed may be incomplete, so it is read again when it changes. Fails if
 * the file cannot be read.
 */
async function* readWholeFile(
  log: FileLog,
  file: DiscoveredFile,
  before: Position,
  positions: ReadonlyMap<string, Position>,
): AsyncGenerator<LogChunk> {
  const { path, name, size, mtimeMs } = file
  const parsedFile =
    size > maxFileBytes ? undefined : readJson(await readFile(path, 'utf8'), (content) => log.read(content, name))
  const unreadCount = parsedFile === undefined ? 1 : 0
  const otherPositions = [...positions].flatMap(([otherPath, position]) => (otherPath === path ? [] : [position]))
  const knownIds = new Set(before.known)
  const copiedDigests = new Set(otherPositions.flatMap(({ digests }) => digests))
  const newResponses = (parsedFile ?? []).filter(
    ({ id, at, digest }) =>
      at !== undefined || (!knownIds.has(id) && (digest === undefined || !copiedDigests.has(digest))),
  )
  const untimedResponses = parsedFile?.filter(({ at }) => at === undefined)
  const position = {
    ...before,
    size,
    mtimeMs,
    notUnderstood: unreadCount,
    version: positionVersion,
    known: untimedResponses?.map(({ id }) => id) ?? before.known,
    digests: untimedResponses?.flatMap(({ digest }) => digest ?? []) ?? before.digests,
  }
  const projectId = newResponses.length > 0 ? await readProjectFile(log, path) : undefined
  const answers = newResponses.map((answer) => ({ projectId, ...answer, at: answer.at ?? mtimeMs }))
  const [session] = parsedFile ?? []
  if (!log.isTotals || !session) yield { answers, position }
  else yield subtractCopiedUsage(session, session.at ?? mtimeMs, otherPositions, position)
}

async function readProjectFile({ projectFile }: FileLog, path: string): Promise<string | undefined> {
  const projectPath = projectFile?.toPath(path)
  const file = projectPath === undefined ? undefined : await readFileFacts(projectPath)
  if (!projectFile || !file || file.size > maxFileBytes) return undefined
  return readJson(await readFile(file.path, 'utf8').catch(() => ''), projectFile.read)
}

const countFields = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

/** Subtracts the part of a session's totals that another session with the same start has, as one is a fork. */
function subtractCopiedUsage(
  session: ResponseUsage,
  at: number,
  otherPositions: readonly Position[],
  position: Position,
): LogChunk {
  const { modelCode } = session
  const tokens = pickCounts((name) => session[name])
  const matchingTotals = otherPositions.flatMap(({ totals }) =>
    totals?.at !== undefined && totals.at === session.at && totals.modelCode === modelCode ? [totals.tokens] : [],
  )
  const sharedCounts = matchingTotals.map((twin) => pickCounts((name) => Math.min(twin[name] ?? 0, tokens[name] ?? 0)))
  const copiedCounts = position.totals?.copied ?? sharedCounts.toSorted((a, b) => sumCounts(b) - sumCounts(a))[0] ?? {}
  const countsWithoutCopies = pickCounts(
    (name) => tokens[name] && Math.max(0, tokens[name] - (copiedCounts[name] ?? 0)),
  )
  const isCopy = sumCounts(copiedCounts) > 0 && sumCounts(countsWithoutCopies) === 0
  const answers = isCopy ? [] : [{ ...session, ...countsWithoutCopies, at }]
  return { answers, position: { ...position, totals: { at: session.at, modelCode, tokens, copied: copiedCounts } } }
}

const pickCounts = (count: (name: (typeof countFields)[number]) => number | undefined): LoggedTokens =>
  Object.fromEntries(countFields.map((name) => [name, count(name)]))

const sumCounts = (tokens: LoggedTokens): number => countFields.reduce((sum, name) => sum + (tokens[name] ?? 0), 0)

const rowBatchSize = 200

/** Ids per page, ordered by time. Each page scans the whole table, because the tool has no index for that order. */
const maxIdsPerBatch = 20_000

/** Overlap in ms with the previous read, because processes may commit rows out of time order. */
const overlapMs = minuteMs

/** Time in ms after which a response without an end counts as interrupted. */
const maxOpenEntryMs = dayMs

/**
 * Reads new rows, and earlier incomplete rows again, from all tables in which any version of the tool stores
 * responses. Fails if the database is locked or has none of these tables.
 */
async function* readDatabase(
  log: RowLog,
  { path, size, mtimeMs }: DiscoveredFile,
  before: Position,
  positions: ReadonlyMap<string, Position>,
  nowMs: number,
): AsyncGenerator<LogChunk> {
  const foreignDatabase = openForeignDatabase(path)
  try {
    const names = texts(foreignDatabase.all("SELECT name FROM sqlite_master WHERE type = 'table'", []))
    const tables = log.tables.filter(({ name }) => names.includes(name))
    if (tables.length === 0) throw new Error(`${path} has no table with responses.`)
    for (const table of tables) {
      const key = `${path}#${table.name}`
      const tableBefore = positions.get(key) ?? parsePosition(undefined)
      for await (const logChunk of readTable(foreignDatabase, table, tableBefore, nowMs))
        yield { ...logChunk, path: key }
    }
    yield { answers: [], position: { ...before, known: [], notUnderstood: 0, size, mtimeMs, version: positionVersion } }
  } finally {
    foreignDatabase.close()
  }
}

/** Scans a table by time and id. OpenCode ids contain 36 bits of the time in ms, which wrapped in August 2026. */
async function* readTable(
  foreignDatabase: ForeignDatabase,
  table: RowTable,
  before: Position,
  nowMs: number,
): AsyncGenerator<LogChunk> {
  const columns = texts(foreignDatabase.all('SELECT name FROM pragma_table_info(?1)', [table.name]))
  const time = `coalesce(${columns.includes('time_updated') ? 'time_updated, ' : ''}time_created, 0)`
  const whereClause = `${table.where ?? 'true'} AND (${time} > ?1 OR (${time} = ?1 AND id > ?2))`
  const list = `SELECT id, ${time} AS t FROM ${table.name} WHERE ${whereClause} ORDER BY t, id LIMIT ${maxIdsPerBatch}`
  // Exclude the content of messages, because it is large and unused.
  const data = "iif(json_valid(data), json_remove(data, '$.content'), data)"
  const selectSql = `SELECT id, ${data} FROM ${table.name} WHERE id IN (SELECT value FROM json_each(?1))`
  const unreadableRows = new Map<string, number>()
  let earliestOpenMs = Number.POSITIVE_INFINITY
  let { notUnderstood } = before
  let cursor: readonly [at: number, id: string] = [before.rowsFrom ?? -1, '']
  for (;;) {
    const ids = parseRows(foreignDatabase.all(list, [...cursor]), IdAndTimeRow)
    for (let start = 0; start < ids.length; start += rowBatchSize) {
      const chunk = ids.slice(start, start + rowBatchSize)
      const rows = foreignDatabase.all(selectSql, [JSON.stringify(chunk.map(([id]) => id))])
      const dataById = new Map(parseRows(rows, DataRow))
      const answers: ResponseUsage[] = []
      for (const [id, timeMs] of chunk) {
        const { reading, openSince } = readRow(table, id, dataById.get(id))
        if (reading !== undefined) answers.push(...reading)
        else if (!before.known.includes(id)) notUnderstood += 1
        if (reading === undefined) unreadableRows.set(id, timeMs)
        if (openSince !== undefined && openSince > nowMs - maxOpenEntryMs)
          earliestOpenMs = Math.min(earliestOpenMs, timeMs)
        cursor = [timeMs, id]
      }
      const firstRowMs = Math.max(0, Math.min(earliestOpenMs, cursor[0]) - overlapMs)
      const recentUnreadableIds = [...unreadableRows].flatMap(([id, timeMs]) => (timeMs >= firstRowMs ? [id] : []))
      yield { answers, position: { ...before, rowsFrom: firstRowMs, known: recentUnreadableIds, notUnderstood } }
      await setImmediate()
    }
    if (ids.length < maxIdsPerBatch) return
  }
}

/** Parses the rows that have the expected columns. */
const parseRows = <Row>(rows: readonly unknown[], schema: z.ZodType<Row>): readonly Row[] =>
  rows.map((row) => schema.safeParse(row).data).filter((row) => row !== undefined)

const IdAndTimeRow = z.tuple([z.string(), z.number()])
const DataRow = z.tuple([z.string(), z.string()])

const texts = (rows: readonly (readonly unknown[])[]): readonly string[] => rows.map(([text]) => String(text))

const readRow = (table: RowTable, id: string, data = ''): ParsedRow =>
  readJson(data, (content) => table.read(id, content)) ?? { reading: undefined }

/**
 * Earliest time in ms from which a tool's requests are imported. Earlier requests were deleted by the user, or would
 * be deleted and counted again on each read.
 */
export function getEarliestMs({ toolLogs, retentionDays }: UsageChoice, toolId: string, nowMs: number): number {
  const deletedFrom = toolLogs.find((toolLog) => toolLog.toolId === toolId)?.from ?? 0
  return Math.max(retentionDays === 0 ? 0 : nowMs - retentionDays * dayMs, new Date(deletedFrom).getTime())
}

const maxDepth = 8

/** Finds files of a log, and counts other files. Unreadable folders count as empty. Does not follow links. */
async function findFiles(
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<{ readonly files: DiscoveredFile[]; readonly otherCount: number }> {
  const files: DiscoveredFile[] = []
  let skippedFileCount = 0
  const searchFolder = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) {
        if (depth < maxDepth) await searchFolder(name, depth + 1)
      } else if (isWanted(name)) {
        const file = await readFileFacts(join(folder, name), name)
        if (file) files.push(file)
      } else if (!entry.name.startsWith('.') && entry.name !== 'sessions.json') skippedFileCount += 1
    }
  }
  await searchFolder('', 0)
  return { files, otherCount: skippedFileCount }
}
