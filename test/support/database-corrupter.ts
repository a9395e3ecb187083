import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@shared/failure'
import { Database } from '../../src/main/core/sqlite/database'
import { PlaygroundHost } from '../../src/main/playground/store/host'
import { LedgerHost } from '../../src/main/usage/ledger/ledger-host'
import { buildRun, buildTurn, buildWire, setup, target } from '../unit/main/playground/store/store-desk'

/** A program that corrupts databases in its own folder and queries them, case by case. See `corruptDatabases`. */
export interface CorrupterInput {
  readonly folder: string
  readonly database: 'usage' | 'playground'
  readonly seed: number
  /** Whether to corrupt every column. Otherwise only every third text column. */
  readonly isThorough: boolean
  /** Number of repetitions of each random kind of corruption. */
  readonly rounds: number
}

/**
 * Report line of a corruption case. One is printed before and one after it, so that a case that ends the process is
 * known.
 */
export type CorrupterReport =
  | { readonly begins: string }
  | { readonly ended: string; readonly wrong: readonly string[]; readonly isUsable: boolean }

const noon = Date.parse('2025-11-10T12:00:00Z')
const filter = { scope: 'machine', from: noon - 86_400_000, to: noon + 86_400_000 } as const
const span = { filter, onlyErrors: false, limit: 50 }

interface CorruptSubject {
  readonly file: string
  /** Failure codes that are allowed: for an unusable database and for an unknown record. */
  readonly failures: readonly string[]
  ask(name: string, ...input: readonly unknown[]): Promise<unknown>
  readonly reads: readonly (readonly [name: string, ...input: unknown[]])[]
  readonly writes: readonly (readonly [name: string, ...input: unknown[]])[]
}

const buildEntry = (n: number) => ({
  id: `app-${n}`,
  at: noon + n * 1000,
  source: n % 3 === 0 ? ('relay' as const) : ('app' as const),
  planId: `plan-${n % 3}`,
  keyId: `key-${n % 5}`,
  toolId: `tool-${n % 4}`,
  modelCode: `model-${n % 7}`,
  outputTokens: n,
  ...(n % 9 === 0 && { error: 'server' as const, status: 500 }),
})

function ledgerSubject(folder: string): CorruptSubject {
  const file = join(folder, 'usage.sqlite')
  const host = new LedgerHost({ file, zone: 'UTC', retryMs: 0 })
  const positions = [{ toolId: 'pi', path: '/a', state: '{}' }]
  return {
    file,
    failures: ['usage.unavailable'],
    // The cast lets a test program call any method by name.
    ask: (name, ...input) => host.answer({ name, input } as never),
    reads: [
      ['stacks', { filter, step: 'hour' }],
      ['stacks', { filter, step: 'day' }],
      ['shares', { filter, by: 'model', limit: 10 }],
      ['shares', { filter, by: 'tool', limit: 10 }],
      ['stacks', { filter, step: 'hour', by: 'model', ids: ['model-1'] }],
      ['requests', span],
      ['requests', { ...span, onlyErrors: true }],
      ['listHours', 'plan-1', noon - 1],
      ['countSince', noon - 1],
      ['getSpan', 'app'],
      ['getSpan', 'toolLog', 'pi'],
      ['positions', 'pi'],
      ['storage'],
    ],
    writes: [
      ['add', Array.from({ length: 40 }, (_, n) => buildEntry(n + 500))],
      ['addLog', [buildEntry(900)], positions],
      ['prune', noon - 1],
      ['close'],
    ],
  }
}

const comparison = {
  title: 'C',
  prompt: 'p',
  columns: [{ id: 'one', name: 'One', target, system: '', parameters: {} }],
  variables: [],
  cases: [],
}
const prompt = { id: 'prompt', name: 'P', tags: ['x'], text: 'Hello {{you}}', system: '', parameters: {} }
const attachment = { id: 'f', kind: 'image', name: 'f.png', mediaType: 'image/png', bytes: 3 } as const

function playgroundSubject(folder: string): CorruptSubject {
  const file = join(folder, 'playground.sqlite')
  const host = new PlaygroundHost({ file, instance: 'one', retryMs: 0 })
  return {
    file,
    failures: ['playground.unavailable', 'playground.notFound'],
    ask: (name, ...input) => host.answer({ name, input } as never),
    reads: [
      ['conversations', {}],
      ['conversations', { search: 'text' }],
      ['conversation', 'c'],
      ['messages', 'c', ['q', 'a']],
      ['readLine', 'c', 'a'],
      ['whole', 'c'],
      ['draft', 'd'],
      ['attachments', ['f']],
      ['attachmentContent', 'f'],
      ['runs', ['a']],
      ['wire', 'a'],
      ['comparisons'],
      ['comparison', 'k'],
      ['prompts'],
      ['prompt', 'prompt'],
    ],
    writes: [
      ['beginTurn', buildTurn('c2', ['q2', 'a2'], { title: 'Two' })],
      ['saveRun', { run: buildRun('a2', 'done'), answer: { text: 'said' }, wire: buildWire('said') }],
      ['chooseBranch', 'c', 'a'],
      ['rename', 'c', 'Other'],
      ['savePrompt', prompt],
      ['saveDraft', 'd', { text: 'other', attachments: [] }],
      ['remove', { kind: 'conversation', id: 'c' }],
      ['restore', { kind: 'conversation', id: 'c' }],
      ['close'],
    ],
  }
}

/** Creates databases with rows in every table, and closes them. */
async function createSampleDatabases(folder: string): Promise<void> {
  fs.mkdirSync(folder)
  const ledger = ledgerSubject(folder)
  await ledger.ask(
    'add',
    Array.from({ length: 300 }, (_, n) => buildEntry(n)),
  )
  await ledger.ask('addLog', [buildEntry(400)], [{ toolId: 'pi', path: '/a', state: '{}' }])
  await ledger.ask('close')
  const playground = playgroundSubject(folder)
  await playground.ask('attach', attachment, new Uint8Array([1, 0, 255]))
  await playground.ask('beginTurn', buildTurn('c', ['q', 'a'], { title: 'T', files: ['f'] }))
  await playground.ask('saveRun', {
    run: buildRun('a', 'done'),
    answer: { text: 'an answer' },
    wire: buildWire('body'),
  })
  await playground.ask('saveDraft', 'd', { text: 'half a thought', attachments: ['f'] })
  await playground.ask('setUp', 'c', setup)
  await playground.ask('savePrompt', { ...prompt, id: undefined })
  await playground.ask('saveComparison', 'k', comparison)
  await playground.ask('beginCells', 'k', [{ columnId: 'one', run: buildRun('cell') }])
  await playground.ask('close')
}

type Random = () => number

/** A kind of corruption. `spoil` corrupts a file and returns a function that reverts it. */
interface Kind {
  readonly name: string
  readonly isRandom?: boolean
  spoil(file: string, random: Random): (() => void) | undefined
}

function overwriteBytes(file: string, position: number, bytes: Buffer): undefined {
  const fileDescriptor = fs.openSync(file, 'r+')
  fs.writeSync(fileDescriptor, bytes, 0, bytes.length, position)
  fs.closeSync(fileDescriptor)
}

const createRandomBytes = (count: number, random: Random): Buffer =>
  Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))
const pageSize = 4096
const countPages = (file: string): number => Math.floor(fs.statSync(file).size / pageSize)
const buildPage = (file: string, random: Random): number => 1 + Math.floor(random() * (countPages(file) - 1))

const corruptionKinds: readonly Kind[] = [
  {
    name: 'truncated',
    isRandom: true,
    spoil: (file, random) => void fs.truncateSync(file, Math.floor(random() * fs.statSync(file).size)),
  },
  {
    name: 'zeroed page',
    isRandom: true,
    spoil: (file, random) => overwriteBytes(file, buildPage(file, random) * pageSize, Buffer.alloc(pageSize)),
  },
  {
    name: 'random head',
    isRandom: true,
    spoil: (file, random) => overwriteBytes(file, 16, createRandomBytes(40, random)),
  },
  {
    name: 'random schema',
    isRandom: true,
    spoil: (file, random) => overwriteBytes(file, 100 + Math.floor(random() * 3900), createRandomBytes(60, random)),
  },
  {
    name: 'random middle',
    isRandom: true,
    spoil: (file, random) =>
      overwriteBytes(
        file,
        buildPage(file, random) * pageSize + Math.floor(random() * 4000),
        createRandomBytes(90, random),
      ),
  },
  {
    name: 'random end',
    isRandom: true,
    spoil: (file, random) =>
      overwriteBytes(file, (countPages(file) - 1) * pageSize, createRandomBytes(pageSize, random)),
  },
  {
    name: 'flipped bits',
    isRandom: true,
    spoil(file, random) {
      const content = fs.readFileSync(file)
      for (let rowIndex = 0; rowIndex < 40; rowIndex += 1) {
        const offset = 100 + Math.floor(random() * (content.length - 100))
        content[offset] = (content[offset] ?? 0) ^ (1 << Math.floor(random() * 8))
      }
      fs.writeFileSync(file, content)
    },
  },
  {
    name: 'declared types that are no UTF-8',
    spoil(file) {
      const content = fs.readFileSync(file, 'latin1')
      fs.writeFileSync(file, content.replaceAll(' TEXT', ' T\xffXT').replaceAll(' INTEGER ', ' INTEG\xffR '), 'latin1')
    },
  },
  { name: 'wrong magic', spoil: (file) => overwriteBytes(file, 0, Buffer.from('NQLite format 3\0')) },
  {
    name: 'log of random bytes',
    isRandom: true,
    spoil: (file, random) => void fs.writeFileSync(`${file}-wal`, createRandomBytes(9000, random)),
  },
  { name: 'log of another database', spoil: (file) => replaceWithForeignFile(file) },
  {
    name: 'a folder in its place',
    spoil: (file) => {
      fs.rmSync(file)
      fs.mkdirSync(file)
    },
  },
  {
    name: 'a folder that cannot be written',
    spoil(file) {
      fs.chmodSync(join(file, '..'), 0o500)
      fs.chmodSync(file, 0o400)
      return () => fs.chmodSync(join(file, '..'), 0o700)
    },
  },
]

/** Replaces the write-ahead log by that of another database with the same tables. */
function replaceWithForeignFile(file: string): undefined {
  const otherFile = `${file}.other`
  const db = new Database(otherFile)
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT); CREATE TABLE state (only INTEGER)')
  for (let rowIndex = 0; rowIndex < 100; rowIndex += 1) db.run('INSERT INTO texts (text) VALUES (?)', 'x'.repeat(500))
  fs.copyFileSync(`${otherFile}-wal`, `${file}-wal`)
  db.close()
}

/** Lists the columns to corrupt: those of all tables, or only some text columns. */
function listColumns(file: string, isThorough: boolean): readonly (readonly [table: string, column: string])[] {
  const db = new Database(file)
  const rows = db.rows(
    'tbl, col',
    `SELECT m.name AS tbl, c.name AS col FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
     WHERE (c.type = 'TEXT' OR ?) AND m.type = 'table' AND m.name NOT LIKE 'found%' AND m.name NOT LIKE 'sqlite%'`,
    isThorough ? 1 : 0,
  )
  db.close()
  const columns = rows.map((row): readonly [string, string] => [row.text(0), row.text(1)])
  return isThorough ? columns : columns.filter((_, index) => index % 3 === 0)
}

const invalidUtf8Sql = "CAST(x'61ff62' AS TEXT)"

function corruptColumn(file: string, table: string, column: string): undefined {
  const db = new Database(file)
  try {
    db.exec('PRAGMA ignore_check_constraints = ON')
    db.run(`UPDATE OR REPLACE ${table} SET ${column} = ${invalidUtf8Sql}`)
  } catch {
    // Ignore the error when a numeric key column rejects a text.
  } finally {
    db.close()
  }
}

const maxCaseMs = 30_000

/** Calls every method of a database. Returns the results that are neither a value nor an expected failure. */
async function runAllQueries(subject: CorruptSubject): Promise<string[]> {
  const problems: string[] = []
  for (const [name, ...input] of [...subject.reads, ...subject.writes, ...subject.reads]) {
    const caseTimeout = wait(maxCaseMs, 'late' as const, { ref: false })
    const outcome = await Promise.race([
      caseTimeout,
      subject.ask(name, ...input).catch((error: unknown) => ({ error })),
    ])
    if (outcome === 'late') problems.push(`${name} took too long`)
    if (typeof outcome !== 'object' || outcome === null || !('error' in outcome)) continue
    const { error } = outcome
    if (!(error instanceof AppError && subject.failures.includes(error.failure.code)))
      problems.push(`${name}: ${error}`)
  }
  return problems
}

/** Whether new data can be written and read. */
async function isUsable(subject: CorruptSubject): Promise<boolean> {
  const [write, read] =
    subject.failures[0] === 'usage.unavailable'
      ? [
          ['add', [buildEntry(1)]],
          ['getSpan', 'app'],
        ]
      : [
          ['saveDraft', 'new', { text: 'x', attachments: [] }],
          ['draft', 'new'],
        ]
  const callTarget = ([name = '', ...input]: readonly unknown[] = []) => subject.ask(String(name), ...input)
  return callTarget(write)
    .then(() => callTarget(read))
    .then(
      () => true,
      () => false,
    )
}

const sendReport = (report: CorrupterReport): void => void process.send?.(report)

function createRandom(start: number): Random {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface CorruptCase {
  readonly name: string
  readonly template: string
  readonly make: typeof ledgerSubject
}

async function runCase(
  { name, template, make }: CorruptCase,
  spoil: (file: string) => (() => void) | undefined,
): Promise<void> {
  const folder = `${template}-case`
  fs.cpSync(template, folder, { recursive: true })
  sendReport({ begins: name })
  const subject = make(folder)
  const restoreFile = spoil(subject.file)
  const problems = await runAllQueries(subject)
  restoreFile?.()
  sendReport({ ended: name, wrong: problems, isUsable: await isUsable(subject) })
  await subject.ask('close').catch(() => undefined)
  fs.rmSync(folder, { recursive: true, force: true })
}

async function run({ folder, database, seed, isThorough, rounds }: CorrupterInput): Promise<void> {
  const template = join(folder, database)
  await createSampleDatabases(template)
  const random = createRandom(seed)
  const createSubject = database === 'usage' ? ledgerSubject : playgroundSubject
  const createCase = (name: string): CorruptCase => ({ name, template, make: createSubject })
  for (const [table, column] of listColumns(createSubject(template).file, isThorough))
    await runCase(createCase(`${table}.${column}`), (file) => corruptColumn(file, table, column))
  for (const { name, isRandom, spoil } of corruptionKinds)
    for (let roundIndex = 0; roundIndex < (isRandom ? rounds : 1); roundIndex += 1)
      await runCase(createCase(name), (file) => spoil(file, random))
  process.disconnect?.()
}

process.once('message', (orders: CorrupterInput) => void run(orders))
