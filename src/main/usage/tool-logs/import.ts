import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { dayMs } from '@shared/durations'
import { z } from 'zod'
import type { Clock, Log } from '../../ports'
import type { UsageChoice } from '../../settings/records'
import type { ForeignDatabase } from '../../sqlite/database'
import { joinPath, type ToolEnvironment } from '../../tools/environment'
import type { Ledger, LedgerEntry, LogPosition } from '../ports'
import { type FoundFile, type Portion, type Position, parsePosition, readLines } from './read-lines'
import type { Attribution, FileLog, OpenForeign, Reading, RowLog, RowReading, ToldAnswer, ToolLog } from './tool-log'

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
  readonly read: (before: Position) => AsyncIterable<Portion>
}

/** Reads what coding tools leave on disk, each time what is new, and keeps it in the ledger. */
export class ToolLogs {
  readonly #deps: ToolLogsDeps
  /** By tool, then by path. */
  readonly #positions = new Map<string, Map<string, Position>>()
  readonly #readAt = new Map<string, string>()
  readonly #running = new Map<string, Promise<boolean>>()
  /** Paths that could not be read the last time. */
  readonly #failed = new Set<string>()
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

  async #state({ toolId, ...log }: ToolLog): Promise<ToolLogState> {
    const folder = log.folder(this.#deps.environment)
    const exists = existsSync(log.kind === 'rows' ? joinPath(this.#deps.environment, folder, log.file) : folder)
    const positions = await this.#positionsOf(toolId)
    const failed = [...this.#failed].filter((path) => path.startsWith(folder)).length
    const notUnderstood = [...positions.values()].reduce((sum, position) => sum + position.notUnderstood, failed)
    return { toolId, folder, exists, notUnderstood, readAt: this.#readAt.get(toolId) }
  }

  async #read(toolId: string): Promise<boolean> {
    const { logs, clock, attribution } = this.#deps
    const log = logs.find((one) => one.toolId === toolId)
    if (!log) return false
    const positions = await this.#positionsOf(toolId)
    const owner = attribution()
    let isNews = false
    for (const source of await this.#sources(log)) {
      const before = positions.get(source.path) ?? parsePosition(undefined)
      if (source.size === before.size && source.mtimeMs === before.mtimeMs) continue
      if (this.#stopped.has(toolId)) return isNews
      isNews = (await this.#readSource({ log, source, before, owner, positions })) || isNews
    }
    this.#readAt.set(toolId, clock().toISOString())
    return isNews
  }

  async #readSource({ log, source, before, owner, positions }: SourceReading): Promise<boolean> {
    const { ledger, notBefore, clock } = this.#deps
    const { toolId } = log
    const span = { from: notBefore(toolId), now: clock().getTime() }
    const keep = async (entries: readonly LedgerEntry[], position: Position): Promise<void> => {
      const kept: LogPosition = { toolId, path: source.path, state: JSON.stringify(position) }
      await ledger.addLog(entries, [kept])
      positions.set(source.path, position)
    }
    let isNews = false
    for await (const { answers, position } of this.#untilFailure(source, before)) {
      if (this.#stopped.has(toolId)) return isNews
      const entries = answers.flatMap((answer) => entryOf(answer, { log, owner, span }) ?? [])
      await keep(lastOfEach(entries), position)
      isNews ||= entries.length > 0
      await setImmediate()
    }
    return isNews
  }

  /** What is locked, of another schema or gone meanwhile is tried again the next time. */
  async *#untilFailure({ path, read }: Source, before: Position): AsyncGenerator<Portion> {
    try {
      yield* read(before)
      this.#failed.delete(path)
    } catch (error) {
      if (!this.#failed.has(path)) this.#deps.log.error('usage.toolLog', error)
      this.#failed.add(path)
    }
  }

  async #sources(log: ToolLog): Promise<Source[]> {
    const { environment, openForeign, clock } = this.#deps
    const folder = log.folder(environment)
    if (log.kind === 'rows') {
      const database = await databaseFacts(joinPath(environment, folder, log.file))
      const deps = { openForeign, now: clock().getTime() }
      return database ? [{ ...database, read: (before) => readRows(log, { database, before }, deps) }] : []
    }
    const files = await findFiles(folder, log.isLog)
    return files.map((file) => ({
      ...file,
      read: (before) => (log.kind === 'lines' ? readLines(log, file, before) : readWholeFile(log, file, before)),
    }))
  }

  async #positionsOf(toolId: string): Promise<Map<string, Position>> {
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

/** One answer may have several lines: the last one holds. */
function lastOfEach(entries: readonly LedgerEntry[]): LedgerEntry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

/** What an answer is judged by; the span in ms. */
interface Judgement {
  readonly log: ToolLog
  readonly owner: Attribution
  readonly span: { readonly from: number; readonly now: number }
}

/** The ledger's entry of an answer; undefined when it is too old, from the future, or a sum that the relay counted one by one. */
function entryOf(answer: ToldAnswer, { log, owner, span }: Judgement): LedgerEntry | undefined {
  const { id, at = span.now, modelCode, ...figures } = answer
  if (at < span.from || at > span.now + dayMs) return undefined
  const { toolId } = log
  const found = owner({ toolId, modelCode, at })
  if (found?.isRelayed && log.kind === 'files' && log.isTotals) return undefined
  // The relay may have taken another plan or key since; its own row says which.
  const { planId, keyId } = found && !found.isRelayed ? found : {}
  return { ...figures, id: `${toolId}:${id}`, at, source: 'toolLog', toolId, modelCode, planId, keyId }
}

/** A longer file is counted and left out. */
const longestFileBytes = 64_000_000

/**
 * Reads a file that its tool wrote anew. An answer without a time is told once, at the time when the file was written; a
 * file that cannot be understood may be half written and is read again when it changes. Fails as reading a file does.
 */
async function* readWholeFile(log: FileLog, file: FoundFile, before: Position): AsyncGenerator<Portion> {
  const { path, name, size, mtimeMs } = file
  const reading = size > longestFileBytes ? undefined : readingOf(await readFile(path, 'utf8'), name, log)
  const notUnderstood = reading === undefined ? 1 : 0
  const told = new Set(before.known)
  const fresh = (reading ?? []).filter(({ id, at }) => at !== undefined || !told.has(id))
  const known = reading?.filter(({ at }) => at === undefined).map(({ id }) => id) ?? before.known
  const answers = fresh.map((answer) => ({ ...answer, at: answer.at ?? mtimeMs }))
  yield { answers, position: { ...before, size, mtimeMs, known, notUnderstood } }
}

function readingOf(text: string, name: string, log: FileLog): Reading {
  try {
    return log.read(JSON.parse(text), name)
  } catch {
    return undefined
  }
}

const Row = z.tuple([z.string(), z.string()])
const rowsAtOnce = 500

/** So many rows before the last one are read again: rows of several processes may come in another order than their ids. */
const overlap = 50

/** An answer that is still open after so long will not go on. */
const longestAnswerMs = dayMs

/** A database and what tells that it has changed: the size and time of its file and of its write-ahead log. */
interface FoundDatabase {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

interface RowsDeps {
  readonly openForeign: OpenForeign
  /** In ms. */
  readonly now: number
}

/** Reads rows from where it stopped, answers that were still coming among them. Fails when the database is locked or of another schema. */
async function* readRows(
  log: RowLog,
  { database, before }: { readonly database: FoundDatabase; readonly before: Position },
  { openForeign, now }: RowsDeps,
): AsyncGenerator<Portion> {
  const { path, size, mtimeMs } = database
  const foreign = await openForeign(path)
  try {
    const next = new NextRow(now)
    const bad = new Set(before.known)
    let cursor = before.from
    for (;;) {
      const rows = rowsFrom(foreign, { log, cursor })
      const answers: ToldAnswer[] = []
      for (const [id, data] of rows) {
        const { reading, openSince } = read(log, id, data)
        if (reading === undefined) bad.add(id)
        else answers.push(...reading)
        next.passed(id, openSince)
      }
      const last = rows.at(-1)?.[0]
      const isLast = rows.length < rowsAtOnce || last === undefined
      const known = [...bad].filter((id) => id >= next.id)
      const notUnderstood = before.notUnderstood + [...bad].filter((id) => !before.known.includes(id)).length
      const done = isLast ? { size, mtimeMs } : { size: 0, mtimeMs: 0 }
      yield { answers, position: { ...before, from: next.id || before.from, known, notUnderstood, ...done } }
      if (isLast) return
      cursor = last
      await setImmediate()
    }
  } finally {
    foreign.close()
  }
}

function rowsFrom(foreign: ForeignDatabase, { log, cursor }: { readonly log: RowLog; readonly cursor: string }) {
  return foreign.all(log.query, [cursor, rowsAtOnce]).flatMap((row) => {
    const { data } = Row.safeParse(row)
    return data ? [data] : []
  })
}

function read(log: RowLog, id: string, data: string): RowReading {
  try {
    return log.read(id, JSON.parse(data))
  } catch {
    return { reading: undefined }
  }
}

/** The row to begin with the next time: the first that is still coming, and some before the last in any case. */
class NextRow {
  readonly #now: number
  readonly #passed: string[] = []
  #open: string | undefined

  constructor(now: number) {
    this.#now = now
  }

  passed(id: string, openSince: number | undefined): void {
    if (this.#passed.at(-1) !== id) this.#passed.push(id)
    if (this.#passed.length > overlap) this.#passed.shift()
    if (openSince !== undefined && openSince > this.#now - longestAnswerMs) this.#open ??= id
  }

  get id(): string {
    const first = this.#passed[0] ?? ''
    return this.#open !== undefined && this.#open < first ? this.#open : first
  }
}

/**
 * Before which moment a tool's requests are left out, in ms: what is older than requests are kept would be counted again each time
 * its file is read anew, and what was erased shall not come back.
 */
export function notBefore({ toolLogs, retentionDays }: UsageChoice, toolId: string, now: number): number {
  const erased = toolLogs.find((one) => one.toolId === toolId)?.from
  const kept = retentionDays === 0 ? 0 : now - retentionDays * dayMs
  return Math.max(kept, erased === undefined ? 0 : Date.parse(erased))
}

const deepest = 8

/** The files below a folder that are wanted; what cannot be looked into counts as empty. Links to folders are not followed. */
async function findFiles(folder: string, isWanted: (name: string) => boolean): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  const look = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) {
        if (depth < deepest) await look(name, depth + 1)
      } else if (isWanted(name)) {
        const file = await readFileFacts(join(folder, name))
        if (file) found.push({ ...file, name })
      }
    }
  }
  await look('', 0)
  return found
}
