import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { dayMs, minuteMs } from '@shared/durations'
import { z } from 'zod'
import { joinPath, type ToolEnvironment } from '../../core/environment'
import type { Clock, Log } from '../../core/ports'
import type { UsageChoice } from '../../core/settings/records'
import type { ForeignDatabase } from '../../core/sqlite/database'
import type { Ledger, LedgerEntry, LogPosition } from '../ports'
import { type FoundFile, type Portion, type Position, parsePosition, readLines } from './read-lines'
import type {
  Attribution,
  FileLog,
  OpenForeign,
  Reading,
  RowLog,
  RowReading,
  RowTable,
  ToldAnswer,
  ToldTokens,
  ToolLog,
} from './tool-log'

interface ToolLogsDeps {
  readonly logs: readonly ToolLog[]
  readonly ledger: Pick<Ledger, 'positions' | 'addLog' | 'forgetLog'>
  readonly environment: ToolEnvironment
  readonly openForeign: OpenForeign
  /** By what the tools are set up with now. */
  readonly attribution: () => Attribution
  /** Requests of a tool that began before are left out, in ms. */
  readonly notBefore: (toolId: string) => number
  readonly clock: Clock
  readonly log: Log
}

/** How a tool's log stands. */
interface ToolLogState {
  readonly toolId: string
  readonly folder: string
  readonly exists: boolean
  readonly readAt?: string | undefined
  readonly notUnderstood: number
}

/** A file that may have changed, and how what is new in it is read. */
interface Source {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly read: (before: Position, positions: ReadonlyMap<string, Position>) => AsyncIterable<Portion>
}

/** Reads what coding tools leave on disk, each time what is new, and keeps it in the ledger. */
export class ToolLogs {
  readonly #deps: ToolLogsDeps
  /** By tool, then by path. */
  readonly #positions = new Map<string, Map<string, Position>>()
  readonly #readAt = new Map<string, string>()
  readonly #running = new Map<string, Promise<boolean>>()
  /** Paths that could not be read the last time, and whose they are. */
  readonly #failed = new Map<string, string>()
  /** Tools whose folder has files, but none that is known. */
  readonly #unknown = new Set<string>()
  /** Tools whose reading is to stop, since what it reads was forgotten. */
  readonly #stopped = new Set<string>()

  constructor(deps: ToolLogsDeps) {
    this.#deps = deps
  }

  /** How every log stands; nothing is read of them. Fails with `usage.unavailable`. */
  async states(): Promise<ToolLogState[]> {
    return Promise.all(this.#deps.logs.map((log) => this.#state(log)))
  }

  /** True when this tool leaves a log that can be read. */
  knows(toolId: string): boolean {
    return this.#deps.logs.some((log) => log.toolId === toolId)
  }

  /** Reads what is new in a tool's log; one reading at a time. True when there was something. Fails with `usage.unavailable`. */
  read(toolId: string): Promise<boolean> {
    const running = this.#running.get(toolId)
    if (running) return running
    const reading = this.#read(toolId).finally(() => {
      this.#running.delete(toolId)
      this.#stopped.delete(toolId)
    })
    this.#running.set(toolId, reading)
    return reading
  }

  /** Forgets what came from a tool's log, and how far it was read. */
  async forget(toolId: string): Promise<void> {
    await this.#stop(toolId)
    await this.#deps.ledger.forgetLog(toolId)
    this.#readAt.delete(toolId)
  }

  /** For when the ledger forgot everything, positions too. */
  async reset(erase: () => Promise<void>): Promise<void> {
    await Promise.all(this.#deps.logs.map(({ toolId }) => this.#stop(toolId)))
    await erase()
    this.#readAt.clear()
  }

  async #stop(toolId: string): Promise<void> {
    const running = this.#running.get(toolId)
    if (running) {
      this.#stopped.add(toolId)
      await running.catch(() => undefined)
    }
    this.#positions.delete(toolId)
  }

  async #state(log: ToolLog): Promise<ToolLogState> {
    const { toolId } = log
    const folder = log.folder(this.#deps.environment)
    const exists = log.kind === 'rows' ? (await this.#databases(log)).length > 0 : existsSync(folder)
    const positions = await this.#loadPositions(toolId)
    const failed = [...this.#failed.values()].filter((one) => one === toolId).length
    const counted = [...positions.values()].map(
      ({ notUnderstood, responses, unmarked }) => notUnderstood + (responses === 0 ? unmarked : 0),
    )
    const isUnknown = this.#unknown.has(toolId)
    const notUnderstood = counted.reduce((sum, count) => sum + count, failed + (isUnknown ? 1 : 0))
    return { toolId, folder, exists: exists || isUnknown, notUnderstood, readAt: this.#readAt.get(toolId) }
  }

  async #read(toolId: string): Promise<boolean> {
    const { logs, clock, attribution } = this.#deps
    const log = logs.find((one) => one.toolId === toolId)
    if (!log) return false
    const positions = await this.#loadPositions(toolId)
    const owner = attribution()
    let isNews = false
    for (const source of await this.#sources(log)) {
      const before = positions.get(source.path) ?? parsePosition(undefined)
      if (isUnchanged(log, source, before)) continue
      if (this.#stopped.has(toolId)) return isNews
      isNews = (await this.#readSource({ log, source, before, owner, positions })) || isNews
    }
    this.#readAt.set(toolId, clock().toISOString())
    return isNews
  }

  async #readSource({ log, source, before, owner, positions }: SourceReading): Promise<boolean> {
    const { ledger, notBefore, clock } = this.#deps
    const { toolId } = log
    const span = { from: notBefore(toolId), nowMs: clock().getTime() }
    const keep = async (entries: readonly LedgerEntry[], path: string, position: Position): Promise<void> => {
      const kept: LogPosition = { toolId, path, state: JSON.stringify(position) }
      await ledger.addLog(entries, [kept])
      positions.set(path, position)
    }
    let isNews = false
    for await (const { answers, position, path = source.path } of this.#untilFailure(source, before, log)) {
      if (this.#stopped.has(toolId)) return isNews
      const entries = answers.flatMap((answer) => toEntry(answer, { log, owner, span }) ?? [])
      await keep(lastOfEach(entries), path, position)
      isNews ||= entries.length > 0
      await setImmediate()
    }
    return isNews
  }

  /** Retries a file that is locked, of another schema or removed the next time. */
  async *#untilFailure({ path, read }: Source, before: Position, { toolId }: ToolLog): AsyncGenerator<Portion> {
    try {
      yield* read(before, await this.#loadPositions(toolId))
      this.#failed.delete(path)
    } catch (error) {
      if (!this.#failed.has(path)) this.#deps.log.error('usage.toolLog', error)
      this.#failed.set(path, toolId)
    }
  }

  async #sources(log: ToolLog): Promise<Source[]> {
    const { environment, openForeign, clock } = this.#deps
    const folder = log.folder(environment)
    if (log.kind === 'rows') {
      const databases = await this.#databases(log)
      this.#setUnknown(log, databases.length === 0 && existsSync(joinPath(environment, folder, log.olderFolder)))
      const deps = { openForeign, nowMs: clock().getTime() }
      return databases.map((database) => ({
        ...database,
        read: (before, positions) => readDatabase(log, { database, before, positions }, deps),
      }))
    }
    const { files, otherCount } = await findFiles(folder, log.isLog)
    this.#setUnknown(log, files.length === 0 && otherCount > 0)
    return files.map((file) => ({
      ...file,
      read: (before, positions) =>
        log.kind === 'lines'
          ? readLines(log, file, before, new Set([...positions.values()].flatMap(({ reusedIds }) => reusedIds)))
          : readWholeFile(log, file, { before, positions }),
    }))
  }

  #setUnknown({ toolId }: ToolLog, isUnknown: boolean): void {
    if (isUnknown) this.#unknown.add(toolId)
    else this.#unknown.delete(toolId)
  }

  async #databases(log: RowLog): Promise<FoundDatabase[]> {
    const { environment } = this.#deps
    const folder = log.folder(environment)
    const names = await readdir(folder).catch(() => [])
    const otherDatabase = log.otherDatabase(environment)
    const paths = names.filter(log.isDatabase).map((name) => joinPath(environment, folder, name))
    const found = await Promise.all(
      [...new Set([...paths, ...(otherDatabase ? [otherDatabase] : [])])].map(databaseFacts),
    )
    return found.flatMap((database) => database ?? [])
  }

  async #loadPositions(toolId: string): Promise<Map<string, Position>> {
    const held = this.#positions.get(toolId)
    if (held) return held
    const kept = await this.#deps.ledger.positions(toolId)
    const positions = new Map(kept.map(({ path, state }) => [path, parsePosition(state)]))
    this.#positions.set(toolId, positions)
    return positions
  }
}

interface SourceReading {
  readonly log: ToolLog
  readonly source: Source
  readonly before: Position
  readonly owner: Attribution
  readonly positions: Map<string, Position>
}

/** A regular file's size and time; undefined when there is none. */
async function readFileFacts(path: string): Promise<Omit<FoundFile, 'name'> | undefined> {
  const facts = await stat(path).catch(() => undefined)
  return facts?.isFile() ? { path, size: facts.size, mtimeMs: facts.mtimeMs } : undefined
}

/** A database changes in its write-ahead log first; an empty one comes and goes with every reader. */
async function databaseFacts(path: string) {
  const [main, log] = await Promise.all([readFileFacts(path), readFileFacts(`${path}-wal`)])
  if (!main || !log?.size) return main
  return { path, size: main.size + log.size, mtimeMs: Math.max(main.mtimeMs, log.mtimeMs) }
}

/** Files and databases with a position of an older version are read once more: it lacks what recognizes copies, or stopped at wrapped ids. */
const positionVersion = 2

const isUnchanged = (log: ToolLog, source: Source, before: Position): boolean =>
  source.size === before.size &&
  source.mtimeMs === before.mtimeMs &&
  (log.kind === 'lines' || before.version === positionVersion)

/** A response may have several lines. The last one counts. */
function lastOfEach(entries: readonly LedgerEntry[]): LedgerEntry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

/** What an answer is judged by; the span in ms. */
interface Judgement {
  readonly log: ToolLog
  readonly owner: Attribution
  readonly span: { readonly from: number; readonly nowMs: number }
}

/** The ledger's entry of an answer; undefined when it is too old, from the future, or a sum that the relay counted one by one. */
function toEntry(answer: ToldAnswer, { log, owner, span }: Judgement): LedgerEntry | undefined {
  const { id, at = span.nowMs, modelCode, digest: _, ...figures } = answer
  if (at < span.from || at > span.nowMs + dayMs) return undefined
  const { toolId } = log
  const found = owner({ toolId, modelCode, at })
  if (found?.isRelayed && log.kind === 'files' && log.isTotals) return undefined
  // The relay may have taken another plan or key since; its own row says which.
  const { planId, keyId } = found && !found.isRelayed ? found : {}
  return { ...figures, id: `${toolId}:${id}`, at, source: 'toolLog', toolId, modelCode, planId, keyId }
}

/** A longer file is counted and left out. */
const maxFileBytes = 64_000_000

/**
 * Reads a file that its tool rewrote. A response without a time is counted once, at the time when the file was written. A file that can't
 * be understood may be half written and is read again when it changes. Fails as reading a file does.
 */
async function* readWholeFile(
  log: FileLog,
  file: FoundFile,
  { before, positions }: { readonly before: Position; readonly positions: ReadonlyMap<string, Position> },
): AsyncGenerator<Portion> {
  const { path, name, size, mtimeMs } = file
  const reading = size > maxFileBytes ? undefined : parseFile(await readFile(path, 'utf8'), name, log)
  const notUnderstood = reading === undefined ? 1 : 0
  const otherCount = [...positions].flatMap(([at, position]) => (at === path ? [] : [position]))
  const known = new Set(before.known)
  const copied = new Set(otherCount.flatMap(({ digests }) => digests))
  const fresh = (reading ?? []).filter(
    ({ id, at, digest }) => at !== undefined || (!known.has(id) && (digest === undefined || !copied.has(digest))),
  )
  const untimed = reading?.filter(({ at }) => at === undefined)
  const position = {
    ...{ ...before, size, mtimeMs, notUnderstood, version: positionVersion },
    known: untimed?.map(({ id }) => id) ?? before.known,
    digests: untimed?.flatMap(({ digest }) => digest ?? []) ?? before.digests,
  }
  const answers = fresh.map((answer) => ({ ...answer, at: answer.at ?? mtimeMs }))
  const [session] = reading ?? []
  if (!log.isTotals || !session) yield { answers, position }
  else yield withoutCopied(session, { at: session.at ?? mtimeMs, otherCount, position })
}

const countNames = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

/** The totals of a session without those that it shares with a session that began at the same moment: one is a fork of the other. */
function withoutCopied(
  session: ToldAnswer,
  {
    at,
    otherCount,
    position,
  }: { readonly at: number; readonly otherCount: readonly Position[]; readonly position: Position },
): Portion {
  const { modelCode } = session
  const tokens = pickCounts((name) => session[name])
  const twins = otherCount.flatMap(({ totals }) =>
    totals?.at !== undefined && totals.at === session.at && totals.modelCode === modelCode ? [totals.tokens] : [],
  )
  const shared = twins.map((twin) => pickCounts((name) => Math.min(twin[name] ?? 0, tokens[name] ?? 0)))
  const copied = position.totals?.copied ?? shared.toSorted((a, b) => sumCounts(b) - sumCounts(a))[0] ?? {}
  const own = pickCounts((name) => tokens[name] && Math.max(0, tokens[name] - (copied[name] ?? 0)))
  const isCopy = sumCounts(copied) > 0 && sumCounts(own) === 0
  const answers = isCopy ? [] : [{ ...session, ...own, at }]
  return { answers, position: { ...position, totals: { at: session.at, modelCode, tokens, copied } } }
}

const pickCounts = (count: (name: (typeof countNames)[number]) => number | undefined): ToldTokens =>
  Object.fromEntries(countNames.map((name) => [name, count(name)]))

const sumCounts = (tokens: ToldTokens): number => countNames.reduce((sum, name) => sum + (tokens[name] ?? 0), 0)

function parseFile(text: string, name: string, log: FileLog): Reading {
  try {
    return log.read(JSON.parse(text), name)
  } catch {
    return undefined
  }
}

const rowsAtOnce = 200

/** Ids are listed by time first: no index of the tool's fits, so each list is a pass over its table. */
const idsAtOnce = 20_000

/** Rows of several processes may be committed out of the order of their times. */
const overlapMs = minuteMs

/** A response that is open for longer will not end. */
const maxOpenMs = dayMs

/** A database and how its change shows: the size and time of its file and of its write-ahead log. */
interface FoundDatabase {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/**
 * Reads the new rows of each table that a version of the tool wrote, and again those still streamed. Fails when the database is locked or
 * has none of the tables.
 */
async function* readDatabase(
  log: RowLog,
  {
    database,
    before,
    positions,
  }: { readonly database: FoundDatabase; readonly before: Position; readonly positions: ReadonlyMap<string, Position> },
  { openForeign, nowMs }: { readonly openForeign: OpenForeign; readonly nowMs: number },
): AsyncGenerator<Portion> {
  const { path, size, mtimeMs } = database
  const foreign = await openForeign(path)
  try {
    const names = texts(foreign.all("SELECT name FROM sqlite_master WHERE type = 'table'", []))
    const tables = log.tables.filter(({ name }) => names.includes(name))
    if (tables.length === 0) throw new Error(`${path} has no table with responses.`)
    for (const table of tables) {
      const key = `${path}#${table.name}`
      for await (const portion of readTable(foreign, table, {
        before: positions.get(key) ?? parsePosition(undefined),
        nowMs,
      }))
        yield { ...portion, path: key }
    }
    yield { answers: [], position: { ...before, known: [], notUnderstood: 0, size, mtimeMs, version: positionVersion } }
  } finally {
    foreign.close()
  }
}

/** Goes through a table by time and id: ids of OpenCode hold 36 bits of the time in ms, which wrapped in August 2026. */
async function* readTable(
  foreign: ForeignDatabase,
  table: RowTable,
  { before, nowMs }: { readonly before: Position; readonly nowMs: number },
): AsyncGenerator<Portion> {
  const columns = texts(foreign.all('SELECT name FROM pragma_table_info(?1)', [table.name]))
  const time = `coalesce(${columns.includes('time_updated') ? 'time_updated, ' : ''}time_created, 0)`
  const where = `${table.where ?? 'true'} AND (${time} > ?1 OR (${time} = ?1 AND id > ?2))`
  const list = `SELECT id, ${time} AS t FROM ${table.name} WHERE ${where} ORDER BY t, id LIMIT ${idsAtOnce}`
  // Content is large and not needed.
  const data = "iif(json_valid(data), json_remove(data, '$.content'), data)"
  const pick = `SELECT id, ${data} FROM ${table.name} WHERE id IN (SELECT value FROM json_each(?1))`
  const unreadable = new Map<string, number>()
  let openAt = Number.POSITIVE_INFINITY
  let { notUnderstood } = before
  let cursor: readonly [at: number, id: string] = [before.rowsFrom ?? -1, '']
  for (;;) {
    const ids = foreign.all(list, [...cursor]).flatMap((row) => asList(IdRow.safeParse(row).data))
    for (let start = 0; start < ids.length; start += rowsAtOnce) {
      const chunk = ids.slice(start, start + rowsAtOnce)
      const rows = foreign.all(pick, [JSON.stringify(chunk.map(([id]) => id))])
      const found = new Map(rows.flatMap((row) => asList(DataRow.safeParse(row).data)))
      const answers: ToldAnswer[] = []
      for (const [id, at] of chunk) {
        const { reading, openSince } = readRow(table, id, found.get(id))
        if (reading !== undefined) answers.push(...reading)
        else if (!before.known.includes(id)) notUnderstood += 1
        if (reading === undefined) unreadable.set(id, at)
        if (openSince !== undefined && openSince > nowMs - maxOpenMs) openAt = Math.min(openAt, at)
        cursor = [at, id]
      }
      const rowsFrom = Math.max(0, Math.min(openAt, cursor[0]) - overlapMs)
      const known = [...unreadable].flatMap(([id, at]) => (at >= rowsFrom ? [id] : []))
      yield { answers, position: { ...before, rowsFrom, known, notUnderstood } }
      await setImmediate()
    }
    if (ids.length < idsAtOnce) return
  }
}

const IdRow = z.tuple([z.string(), z.number()])
const DataRow = z.tuple([z.string(), z.string()])

const asList = <Item>(item: Item | undefined): readonly Item[] => (item === undefined ? [] : [item])

const texts = (rows: readonly (readonly unknown[])[]): readonly string[] => rows.map(([text]) => String(text))

function readRow(table: RowTable, id: string, data: string | undefined): RowReading {
  try {
    return data === undefined ? { reading: undefined } : table.read(id, JSON.parse(data))
  } catch {
    return { reading: undefined }
  }
}

/**
 * Before which moment a tool's requests are left out, in ms: what is older than requests are kept would be counted again each time
 * its file is read anew, and what was erased shall not come back.
 */
export function notBefore({ toolLogs, retentionDays }: UsageChoice, toolId: string, nowMs: number): number {
  const erased = toolLogs.find((one) => one.toolId === toolId)?.from
  const kept = retentionDays === 0 ? 0 : nowMs - retentionDays * dayMs
  return Math.max(kept, erased === undefined ? 0 : Date.parse(erased))
}

const deepest = 8

/** The files below a folder that are wanted, and how many others there are. Unreadable folders count as empty. Links to folders are not followed. */
async function findFiles(
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<{ readonly files: FoundFile[]; readonly otherCount: number }> {
  const files: FoundFile[] = []
  let otherCount = 0
  const look = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) {
        if (depth < deepest) await look(name, depth + 1)
      } else if (isWanted(name)) {
        const file = await readFileFacts(join(folder, name))
        if (file) files.push({ ...file, name })
      } else if (!entry.name.startsWith('.') && entry.name !== 'sessions.json') otherCount += 1
    }
  }
  await look('', 0)
  return { files, otherCount }
}
