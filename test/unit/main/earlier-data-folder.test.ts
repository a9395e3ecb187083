import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Core, createCore } from '../../../src/main/compose/compose'
import { computeHash } from '../../../src/main/core/files/files'
import { openSettingsFile } from '../../../src/main/core/settings/settings-file'
import { Database } from '../../../src/main/core/sqlite/database'
import { createVault } from '../../../src/main/core/vault/vault'
import { migrations as playgroundMigrations } from '../../../src/main/playground/store/host'
import { LedgerHost } from '../../../src/main/usage/ledger/host'
import { migrations as ledgerMigrations } from '../../../src/main/usage/ledger/open-ledger'
import { MemoryKeychain } from '../../support/memory-keychain'
import { runCommand } from './cli/desk'
import { localStore } from './playground/local-store'

// A data folder, its home and a key file from an earlier version of this app (see the fixture's README).
const fixture = join(import.meta.dirname, '../../fixtures/data-folder')

let folder: string
let core: Core
let logEntries: unknown[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'companion-earlier-'))
  cpSync(fixture, folder, { recursive: true })
  for (const path of listFiles(folder)) unpack(path)
  vi.stubEnv('HOME', join(folder, 'home'))
  const keychain = new MemoryKeychain()
  for (const [account, secret] of Object.entries<string>(readJson('keychain.json'))) keychain.items.set(account, secret)
  logEntries = []
  const dataDir = join(folder, 'data')
  core = createCore({
    version: '0.0.0',
    dataDir,
    store: openSettingsFile({ dataDir, onSetAside: (path) => logEntries.push(path) }),
    vault: createVault({ keychain, install: 'Install a keyring.', sessionAllowed: false }),
    launcher: { path: '/opt/companion', ensure: () => undefined, lost: () => undefined },
    log: { info: () => undefined, error: (...line) => logEntries.push(line) },
    confirm: async () => true,
    proxyFor: async () => ({ kind: 'direct' }),
  })
})
afterEach(async () => {
  await core.end()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const listFiles = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile())

/** Databases are compressed, and texts contain a placeholder for the folder. */
function unpack(path: string): void {
  if (path.endsWith('.gz')) writeFileSync(path.slice(0, -3), gunzipSync(readFileSync(path)))
  else if (!path.endsWith('.age')) writeFileSync(path, readFileSync(path, 'utf8').replaceAll('{{folder}}', folder))
}

const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const claudeSettings = () => readJson('home/.claude/settings.json')

async function json(...args: readonly string[]): Promise<unknown> {
  const { out, err, code } = await runCommand(core, ['--json', ...args])
  expect(code, `${args.join(' ')}: ${out}${err}`).toBe(0)
  return JSON.parse(out)
}

it('shows the plans, connections, tools, profiles, writes and the open rotation of the earlier version', async () => {
  const { plans, connections, tools, history, profiles, rotations, audit } = readJson('seen.json')
  expect(core.plans.list()).toMatchObject(plans)
  expect(core.connections.list()).toMatchObject(connections)
  const appliedTools = ((await json('tools')) as { applied?: unknown }[]).filter((tool) => tool.applied)
  expect(appliedTools).toMatchObject(tools)
  expect(await json('history')).toMatchObject(history)
  expect(await json('profile', 'list')).toMatchObject(profiles)
  expect(await json('rotate', 'status')).toMatchObject(rotations)
  expect(await json('audit', 'verify')).toMatchObject(audit)
  expect(logEntries).toEqual([])
})

it('restores the state before a write of the earlier version, with its key, and removes its settings again', async () => {
  const { history } = readJson('seen.json')
  const [, rotated] = history
  expect(claudeSettings().env.ANTHROPIC_AUTH_TOKEN).toBe(keyNamed('second'))
  await json('rewind', rotated.id)
  expect(claudeSettings().env).toMatchObject({
    ANTHROPIC_AUTH_TOKEN: keyNamed('default-key'),
    ANTHROPIC_MODEL: 'aurora-small',
  })
  await json('restore', '--all', '--yes')
  expect(readFileSync(join(folder, 'home/.claude/settings.json'), 'utf8')).toBe('{\n  "theme": "dark"\n}\n')
  expect(listFiles(join(folder, 'home'))).toHaveLength(1)
})

function keyNamed(name: string): string {
  const id = core.plans.list()[0]?.keys.find((key) => key.name === name)?.id ?? ''
  return readJson('keychain.json')[id]
}

const openEntry = 'data/tools/history/20261123193251649-00000061198269736077.json'
const clineFile = 'home/.cline/data/settings/providers.json'

it.each([
  { killed: 'before its record', hasRecord: false, hasFile: false, state: 'begun', outcome: 'undone' },
  { killed: 'before its file', hasRecord: true, hasFile: false, state: 'begun', outcome: 'undone' },
  { killed: 'after its file', hasRecord: true, hasFile: true, state: 'begun', outcome: 'done' },
  { killed: 'before its cleanup', hasRecord: true, hasFile: true, state: 'written', outcome: 'done' },
])('ends a write of the earlier version that was killed $killed as $outcome', async (kill) => {
  const entry = readJson(openEntry)
  const [{ journal, next }] = entry.tools
  const keys = { undone: keyNamed('default-key'), done: keyNamed('second') }
  const textAfter = readFileSync(join(folder, clineFile), 'utf8')
  const textBefore = textAfter.replace(keys.done, keys.undone)
  writeFileSync(join(folder, openEntry), JSON.stringify({ ...entry, state: kill.state }))
  writeFileSync(join(folder, 'data/tools/cline.json'), `${JSON.stringify(kill.hasRecord ? next : journal, null, 2)}\n`)
  writeFileSync(join(folder, clineFile), kill.hasFile ? textAfter : textBefore)
  await (await core.loadTools()).tools.recover()
  expect(await json('history')).toMatchObject([{ id: entry.id, state: kill.outcome }, {}, {}, {}])
  expect(readFileSync(join(folder, clineFile), 'utf8')).toBe(kill.outcome === 'done' ? textAfter : textBefore)
  const tools = (await json('tools')) as { id: string }[]
  expect(tools.find(({ id }) => id === 'cline')).toMatchObject({ status: 'configured', drift: [] })
  await json('restore', '--all', '--yes')
  expect(listFiles(join(folder, 'home'))).toHaveLength(1)
})

/** Requires the content of both databases, which migrates them. */
async function expectSameContent(dataDir: string): Promise<void> {
  const { ledger, conversation, prompts } = readJson('seen.json')
  const host = new LedgerHost({ file: join(dataDir, 'usage.sqlite'), zone: 'UTC', retryMs: 0 })
  const { filter, series, shares } = ledger
  expect(await host.answer({ name: 'series', input: [{ filter, step: 'day' }] })).toMatchObject(series)
  expect(await host.answer({ name: 'shares', input: [{ filter, by: 'model', limit: 10 }] })).toMatchObject(shares)
  await host.answer({ name: 'close', input: [] })
  const store = localStore(dataDir)
  const { id, ...whole } = conversation
  expect(await store.whole(id)).toMatchObject(whole)
  expect(await store.prompts()).toMatchObject(prompts)
  await store.close()
}

const versionInHeader = (file: string): number => readFileSync(file).readUInt32BE(60)

it('migrates the ledger and the playground wherever an earlier start was killed, and keeps a copy', async () => {
  const dataDir = join(folder, 'data')
  // SQLite discards the -shm file of a killed process.
  const listDatabases = (): string[] => readdirSync(dataDir).filter((name) => /\.sqlite(-wal|\.version-1)?$/.test(name))
  const states = new Map<string, ReadonlyMap<string, Buffer>>()
  const recordState = (): void => {
    const state = new Map(listDatabases().map((name) => [name, readFileSync(join(dataDir, name))]))
    states.set([...state].map(([name, bytes]) => `${name} ${computeHash(bytes)}`).join(), state)
    // VACUUM INTO was killed halfway.
    for (const [name, bytes] of state)
      if (name.endsWith('.version-1'))
        states.set(`half ${name}`, new Map([...state, [name, bytes.subarray(0, bytes.length / 2)]]))
  }
  const { exec, run } = Database.prototype
  vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database, ...input) {
    recordState()
    exec.apply(this, input)
  })
  vi.spyOn(Database.prototype, 'run').mockImplementation(function (this: Database, ...input) {
    recordState()
    run.apply(this, input)
  })
  await expectSameContent(dataDir)
  vi.restoreAllMocks()
  expect(states.size).toBeGreaterThan(5)
  for (const [number, state] of [...states.values()].entries()) {
    const killed = join(folder, `killed-${number}`)
    mkdirSync(killed)
    for (const [name, bytes] of state) writeFileSync(join(killed, name), bytes)
    await expectSameContent(killed)
    const versions = ['usage', 'playground'].flatMap((name) =>
      ['', '.version-1'].map((end) => versionInHeader(join(killed, `${name}.sqlite${end}`))),
    )
    expect(versions).toEqual([ledgerMigrations.length, 1, playgroundMigrations.length, 1])
  }
})

it('opens a key file of the earlier version', async () => {
  const { passphrase } = readJson('seen.json')
  const args = ['--json', 'handout', 'open', join(folder, 'an.age'), '--passphrase-stdin']
  const { out, err } = await runCommand(core, args, `${passphrase}\n`)
  expect(JSON.parse(out), err).toMatchObject({ holder: { kind: 'person', name: 'An' }, keyName: 'An' })
})
