import { existsSync } from 'node:fs'
import { chmod, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, test } from 'vitest'
import { Database } from '../../../../../src/main/core/sqlite/database'
import { openFile } from '../../../../../src/main/core/sqlite/file'
import { LedgerHost } from '../../../../../src/main/usage/ledger/ledger-host'
import { migrations } from '../../../../../src/main/usage/ledger/migrations'
import { openLedger } from '../../../../../src/main/usage/ledger/open-ledger'
import type { LedgerEntry } from '../../../../../src/main/usage/ports'
import { expectFailure } from '../../../support/failures'
import { makeFolder } from '../../../support/folders'

let folder = ''
let file = ''
beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'usage.sqlite')
})

const noon = Date.parse('2025-11-10T12:00:00Z')
const entry = (number: number): LedgerEntry => ({
  id: `app-${number}`,
  at: noon + number,
  source: 'app',
  modelCode: `model-${number % 7}`,
  outputTokens: 5,
})
const entries = (count: number) => Array.from({ length: count }, (_, number) => entry(number))
/** A host that is closed after the test. */
function createLedgerHost(retryMs = 0): LedgerHost {
  const host = new LedgerHost({ file, zone: 'UTC', retryMs })
  onTestFinished(() => close(host))
  return host
}
const readStorage = (host: LedgerHost) => host.answer({ name: 'storage', input: [] })
const add = (host: LedgerHost, count: number) => host.answer({ name: 'add', input: [entries(count)] })
const readSpan = (host: LedgerHost) => host.answer({ name: 'getSpan', input: ['app'] })
const close = async (host: LedgerHost) => void (await host.answer({ name: 'close', input: [] }))

/** Creates and closes a ledger with requests. */
async function writeLedger(count = 2000): Promise<void> {
  const host = createLedgerHost()
  await add(host, count)
  await close(host)
}

it('makes the file private, even if it was readable before', async () => {
  await writeFile(file, '', { mode: 0o644 })
  await chmod(file, 0o644)
  const host = createLedgerHost()
  await add(host, 1)
  const names = await readdir(folder)
  expect(names.sort()).toEqual(['usage.sqlite', 'usage.sqlite-shm', 'usage.sqlite-wal'])
  for (const name of names) expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600)
})

const corruptBytes = async (position: number, bytes: string): Promise<void> => {
  const fileDescriptor = await open(file, 'r+')
  await fileDescriptor.write(Buffer.from(bytes), 0, bytes.length, position)
  await fileDescriptor.close()
}

test.each([
  ['its head is overwritten', () => corruptBytes(0, 'x'.repeat(200))],
  ['it is something else altogether', () => writeFile(file, 'no database '.repeat(1000))],
  ['its pages are overwritten and its end was a kill', () => corruptBytes(4096, 'x'.repeat(8192)), 'something'],
  ['it was cut off and its end was a kill', () => truncate(file, 12_288), 'something'],
  ['its pages turn out to be overwritten only when it is read', () => corruptBytes(4096, 'x'.repeat((200 - 1) * 4096))],
])('sets the file aside and creates a new one when %s', async (_, damage, walText?: string) => {
  await writeLedger(5000)
  await damage()
  if (walText) await writeFile(`${file}-wal`, walText)
  const host = createLedgerHost()
  await add(host, 3)
  expect(await readSpan(host)).toMatchObject({ requests: 3 })
  const setAside = expect.stringContaining(`${file}.damaged-`)
  expect(await readStorage(host)).toMatchObject({ state: 'damaged', requests: 3, setAside })
  await close(host)
  await host.answer({ name: 'erase', input: [] })
  expect(await readStorage(host)).toMatchObject({ state: 'ready', requests: 0 })
  expect((await readdir(folder)).filter((name) => name.includes('damaged'))).toEqual([])
})

it('sets the file aside when a required number is missing', async () => {
  await writeLedger(3)
  // SQLite allows this change only while the table is declared differently.
  const change = (sql: string): void => {
    const db = new Database(file)
    db.exec(sql)
    db.close()
  }
  const rewriteTableSql = (from: string, to: string): void =>
    change(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'slot_sums'`)
  rewriteTableSql('input INTEGER NOT NULL', 'input INTEGER')
  change('UPDATE slot_sums SET input = NULL')
  rewriteTableSql('input INTEGER', 'input INTEGER NOT NULL')
  const host = createLedgerHost()
  await add(host, 11)
  expect(await readStorage(host)).toMatchObject({ state: 'damaged', requests: 11 })
})

it('leaves a file of a newer version alone, refuses reads and drops new entries', async () => {
  const newerMigrations = [...migrations, 'CREATE TABLE later (id INTEGER)']
  openLedger({ file, steps: newerMigrations }).close()
  const bytesBefore = await readFile(file)
  const names = await readdir(folder)
  const host = createLedgerHost()
  await add(host, 3)
  await expectFailure(readSpan(host), 'usage.unavailable')
  await expect(host.answer({ name: 'addLog', input: [[], []] })).rejects.toThrow('newer version')
  expect(await readStorage(host)).toMatchObject({ state: 'newer', requests: 0 })
  await close(host)
  expect(bytesBefore.equals(await readFile(file))).toBe(true)
  expect(names).toEqual(expect.arrayContaining(await readdir(folder)))
})

it('copies a file of an older version before changing it, and keeps its content', async () => {
  await writeLedger(50)
  const steps = [...migrations, 'ALTER TABLE requests ADD COLUMN later INTEGER']
  const ledger = openLedger({ file, steps })
  expect(ledger.getSpan('app')).toMatchObject({ requests: 50 })
  ledger.close()
  const copy = `${file}.version-${migrations.length}`
  expect((await stat(copy)).mode & 0o777).toBe(0o600)
  const host = new LedgerHost({ file: copy, zone: 'UTC', retryMs: 0 })
  expect(await readSpan(host)).toMatchObject({ requests: 50 })
})

/** Turns a ledger without projects into one of version 2. */
function downgradeToVersion2(): void {
  const db = new Database(file)
  const sliceColumns = 'id, grouping, plan, key, tool, model, error, origin'
  db.exec(`
    CREATE TABLE old_slices (id INTEGER PRIMARY KEY, grouping INTEGER NOT NULL, plan INTEGER NOT NULL,
      key INTEGER NOT NULL, tool INTEGER NOT NULL, model INTEGER NOT NULL, error INTEGER NOT NULL,
      origin INTEGER NOT NULL, UNIQUE (grouping, plan, key, tool, model, error, origin));
    INSERT INTO old_slices SELECT ${sliceColumns} FROM slices WHERE grouping < 20;
    DROP TABLE slices;
    ALTER TABLE old_slices RENAME TO slices;
    DELETE FROM day_sums WHERE grouping >= 20;
    PRAGMA user_version = 2`)
  db.close()
}

it.each([
  ['at once', () => undefined],
  ['although the app ended before the sums by project were ready', () => openFile({ file, steps: migrations }).close()],
])('adds projects to a file of version 2 %s, and keeps its requests and sums', async (_, interrupt) => {
  await writeLedger(50)
  const filter = { scope: 'machine', from: noon - 86_400_000, to: noon + 10 * 86_400_000 } as const
  const readAll = () => {
    const ledger = openLedger({ file, zone: 'UTC' })
    const shares = (by: 'model' | 'project') => ledger.shares({ filter, by, limit: 10 })
    const { entries: requests } = ledger.requests({ filter, onlyErrors: false, limit: 100 })
    const [models, projects, days] = [shares('model'), shares('project'), ledger.stacks({ filter, step: 'day' })]
    ledger.close()
    return { requests, models, projects, days }
  }
  const contentBefore = readAll()
  downgradeToVersion2()
  interrupt()
  expect(readAll()).toEqual(contentBefore)
  expect(contentBefore.projects).toMatchObject([{ id: '', requests: 50 }])
  const ledger = openLedger({ file, zone: 'UTC' })
  ledger.add([{ ...entry(50), projectId: '1a/web' }])
  expect(ledger.shares({ filter, by: 'project', limit: 10 })).toMatchObject([
    { id: '', requests: 50 },
    { id: '1a/web', requests: 1 },
  ])
  ledger.close()
})

it('keeps the old version when a migration step fails', async () => {
  await writeLedger(50)
  const steps = [...migrations, 'CREATE TABLE later (id INTEGER); CREATE TABLE requests (id INTEGER)']
  expect(() => openLedger({ file, steps })).toThrow('requests')
  const host = createLedgerHost()
  expect(await readSpan(host)).toMatchObject({ requests: 50 })
})

it('is unavailable while its folder cannot be created, and recovers as soon as it can', async () => {
  await rm(folder, { recursive: true })
  await writeFile(folder, 'in the way')
  const host = createLedgerHost()
  await expectFailure(add(host, 2), 'usage.unavailable')
  expect(await readStorage(host)).toMatchObject({ state: 'unavailable', requests: 0 })
  await rm(folder)
  await add(host, 2)
  expect(await readStorage(host)).toMatchObject({ state: 'ready', requests: 2 })
})

it('does not check a file again before the interval', async () => {
  await rm(folder, { recursive: true })
  await writeFile(folder, 'in the way')
  const host = createLedgerHost(60_000)
  await expect(readSpan(host)).rejects.toThrow()
  await rm(folder)
  await expect(readSpan(host)).rejects.toThrow('a moment ago')
})

it('starts again when the file was removed while open', async () => {
  const host = createLedgerHost()
  await add(host, 5)
  for (const name of await readdir(folder)) await rm(join(folder, name))
  await add(host, 2)
  expect(existsSync(file)).toBe(true)
  expect(await readSpan(host)).toMatchObject({ requests: 2 })
})

it('loses nothing when the WAL files were removed while open', async () => {
  const host = createLedgerHost()
  await add(host, 5)
  for (const suffix of ['-wal', '-shm']) await rm(`${file}${suffix}`)
  await add(host, 7)
  // Another app process opens the ledger while the first one still has it open.
  const otherApp = createLedgerHost()
  expect(await readSpan(otherApp)).toMatchObject({ requests: 7 })
})

it('matches another process that writes to the same file and erases it', async () => {
  const [firstHost, secondHost] = [createLedgerHost(), createLedgerHost()]
  await add(firstHost, 3)
  await add(secondHost, 6)
  await firstHost.answer({ name: 'erase', input: [] })
  await add(secondHost, 2)
  const shares = { filter: { scope: 'machine', from: 0, to: noon + 10 }, by: 'model', limit: 9 } as const
  const sharesAnswer = await firstHost.answer({ name: 'shares', input: [shares] })
  expect(sharesAnswer).toMatchObject([
    { id: 'model-0', requests: 1 },
    { id: 'model-1', requests: 1 },
  ])
})
