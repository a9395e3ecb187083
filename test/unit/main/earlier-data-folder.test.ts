import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { dayMs, hourMs } from '@shared/durations'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type Core, createCore } from '../../../src/main/compose/compose'
import { computeHash } from '../../../src/main/core/files/files'
import { openSettingsFile } from '../../../src/main/core/settings/settings-file'
import { Database } from '../../../src/main/core/sqlite/database'
import { createVault } from '../../../src/main/core/vault/vault'
import { computeDigest } from '../../../src/main/tools/journal'
import { LedgerHost } from '../../../src/main/usage/ledger/ledger-host'
import { migrations as ledgerMigrations } from '../../../src/main/usage/ledger/migrations'
import { type ReadyMessage, startSandbox } from '../../../src/sandbox/sandbox'
import { isDeepRun } from '../../support/depth'
import { MemoryKeychain } from '../../support/memory-keychain'
import { plainWorld } from '../sandbox/plain-world'
import { makeFolder } from '../support/folders'
import { runCommand } from './cli/desk'
import { localStore } from './playground/local-store'

// A data folder, its home and a key file from an earlier version of this app (see the fixture's README).
const fixture = join(import.meta.dirname, '../../fixtures/data-folder')

let folder: string
let core: Core
let logEntries: unknown[]
beforeEach(() => {
  // The day after the folder was created.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-24T19:32:54.000Z') })
  folder = makeFolder()
  cpSync(fixture, folder, { recursive: true })
  for (const path of listFiles(folder)) unpack(path)
  vi.stubEnv('HOME', join(folder, 'home'))
  core = openCore()
})
afterEach(async () => {
  await core.end()
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

function openCore(): Core {
  const keychain = new MemoryKeychain()
  for (const [account, secret] of Object.entries<string>(readJson('keychain.json'))) keychain.items.set(account, secret)
  logEntries = []
  const dataDir = join(folder, 'data')
  return createCore({
    version: '0.0.0',
    dataDir,
    store: openSettingsFile({ dataDir, onSetAside: (path) => logEntries.push(path) }),
    vault: createVault({ keychain, install: 'Install a keyring.', sessionAllowed: false }),
    launcher: { path: '/opt/companion', ensure: () => undefined, lost: () => undefined },
    log: { info: () => undefined, error: (...line) => logEntries.push(line) },
    confirm: async () => true,
    proxyFor: async () => ({ kind: 'direct' }),
  })
}

const listFiles = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile())

/** Unpacks a fixture file: decompresses databases, and replaces the placeholder for the folder in texts. */
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
  expect(claudeSettings().env.ANTHROPIC_AUTH_TOKEN).toBe(buildNamedKey('second'))
  await json('rewind', rotated.id)
  expect(claudeSettings().env).toMatchObject({
    ANTHROPIC_AUTH_TOKEN: buildNamedKey('default-key'),
    ANTHROPIC_MODEL: 'aurora-small',
  })
  await json('restore', '--all', '--yes')
  expect(readFileSync(join(folder, 'home/.claude/settings.json'), 'utf8')).toBe('{\n  "theme": "dark"\n}\n')
  expect(listFiles(join(folder, 'home'))).toHaveLength(1)
})

function buildNamedKey(name: string): string {
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
  const keys = { undone: buildNamedKey('default-key'), done: buildNamedKey('second') }
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

/** Replaces the sandbox of the folder by a running one, in addresses, keys, and the digests of these in tool records. */
function replaceSandbox({ gatewayUrl, platformUrl, iam, plans }: ReadyMessage): void {
  const [plan] = core.plans.list()
  const sandboxKeys = plans.flatMap(({ keys }) => keys)
  const replacements = [
    ['http://127.0.0.1:47613', gatewayUrl],
    ['http://127.0.0.1:47614', platformUrl],
    [readJson('keychain.json')[`connection:${core.connections.list()[0]?.id}`], iam.clientSecret],
    ...(plan?.keys ?? []).map(({ name, origin }) => [
      buildNamedKey(name),
      sandboxKeys.find(({ keyId }) => keyId === origin?.keyId)?.key ?? '',
    ]),
  ]
  const values = replacements.flatMap(([before, after]) =>
    ['', '/v1'].map((end) => [`${before}${end}`, `${after}${end}`]),
  )
  for (const path of listFiles(folder).filter((file) => file.endsWith('.json'))) {
    const text = readFileSync(path, 'utf8')
    const salts = [...text.matchAll(/"salt": ?"(\w+)"/g)].map(([, salt = '']) => salt)
    const digests = salts.flatMap((salt) => values.map((pair) => pair.map((value) => computeDigest(value, salt))))
    const replacedText = [...replacements, ...digests].reduce(
      (result, [before = '', after = '']) => result.replaceAll(before, after),
      text,
    )
    writeFileSync(path, replacedText)
  }
}

/** Rewrites the rotation as if the app had been killed in this step, with Cline still on the old key before the switch. */
function killRotationIn(stepId: string): void {
  const settings = readJson('data/settings.json')
  const [{ deleteAt: _, ...rotation }] = settings.rotations
  const killedIndex = rotation.steps.findIndex(({ id }: { readonly id: string }) => id === stepId)
  const steps = rotation.steps.map((step: { readonly id: string }, index: number) =>
    index < killedIndex ? step : { id: step.id, state: index === killedIndex ? 'running' : 'pending' },
  )
  const killedRotation = { ...rotation, steps, state: 'running', runner: { pid: 2 ** 30, at: rotation.startedAt } }
  writeFileSync(join(folder, 'data/settings.json'), JSON.stringify({ ...settings, rotations: [killedRotation] }))
  if (stepId !== 'repoint') return
  writeFileSync(join(folder, 'data/tools/cline.json'), JSON.stringify(readJson(openEntry).tools[0].journal))
  const text = readFileSync(join(folder, clineFile), 'utf8')
  writeFileSync(join(folder, clineFile), text.replace(buildNamedKey('second'), buildNamedKey('default-key')))
  rmSync(join(folder, openEntry))
}

it.each([
  { open: 'waits to delete its old key', isOldKeyActive: false },
  { open: 'was killed after it disabled the old key', killedIn: 'confirm', isOldKeyActive: false },
  // Before it disables a key, a rotation waits 2 s for requests of the tools.
  ...(isDeepRun
    ? [
        { open: 'was killed before it disabled the old key', killedIn: 'disable', isOldKeyActive: true },
        { open: 'was killed between two tools', killedIn: 'repoint', isOldKeyActive: true },
      ]
    : []),
])('resumes a rotation of the earlier version that $open to its end', async ({ killedIn, isOldKeyActive }) => {
  const [rotation] = readJson('data/settings.json').rotations
  const { planId } = rotation.origin
  const keys = core.plans.list()[0]?.keys ?? []
  const sandbox = await startSandbox({
    gatewayPort: 0,
    platformPort: 0,
    timing: { paceMs: 0 },
    begin: (seed, nowMs) => ({
      ...plainWorld(seed, nowMs),
      keys: keys.map(({ name, origin, addedAt: createdAt }) => ({
        planId,
        name,
        createdAt,
        keyId: origin?.keyId ?? '',
        deleted: false,
        status: name === rotation.oldKey.name && !isOldKeyActive ? 'DISABLED' : 'ACTIVE',
      })),
    }),
  })
  onTestFinished(() => sandbox.close())
  if (killedIn) killRotationIn(killedIn)
  replaceSandbox(sandbox.ready)
  await core.end()
  core = openCore()
  const [oldKey, newKey] = [buildNamedKey(rotation.oldKey.name), buildNamedKey(rotation.newKey.name)]
  const requestStatus = async (key: string): Promise<number> => {
    const body = JSON.stringify({ model: 'aurora-small', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = `${sandbox.ready.gatewayUrl}/v1/chat/completions`
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  // Cline keeps its key in memory, so both keys work for an hour. The old key is deleted a week after it was disabled.
  for (const passedMs of [0, hourMs, 7 * dayMs]) {
    vi.setSystemTime(Date.now() + passedMs)
    await json('rotate', 'resume', rotation.id)
    expect(await requestStatus(newKey)).toBe(200)
    expect(claudeSettings().env.ANTHROPIC_AUTH_TOKEN).toBe(newKey)
    expect(readJson(clineFile).providers['openai-compatible'].settings.apiKey).toBe(newKey)
  }
  expect(await json('rotate', 'status', rotation.id)).toMatchObject({ state: 'done' })
  expect(await requestStatus(oldKey)).toBe(401)
  expect(core.plans.list()[0]?.keys.map(({ name }) => name)).toEqual(['An', 'second'])
  const tools = (await json('tools')) as { applied?: unknown }[]
  expect(tools.filter(({ applied }) => applied)).toMatchObject([
    { id: 'claude-code', status: 'configured', drift: [] },
    { id: 'cline', status: 'configured', drift: [] },
  ])
  expect(await json('audit', 'verify')).toMatchObject({ isWhole: true })
  expect(logEntries).toEqual([])
})

/** Requires the content of both databases, which migrates them. */
async function expectSameContent(dataDir: string): Promise<void> {
  const { ledger, conversation, prompts } = readJson('seen.json')
  const host = new LedgerHost({ file: join(dataDir, 'usage.sqlite'), zone: 'UTC', retryMs: 0 })
  const { filter, series, shares } = ledger
  const rows = series.map(({ start, ...all }: { readonly start: number }) => ({ start, all }))
  expect(await host.answer({ name: 'stacks', input: [{ filter, step: 'day' }] })).toMatchObject(rows)
  expect(await host.answer({ name: 'shares', input: [{ filter, by: 'model', limit: 10 }] })).toMatchObject(shares)
  await host.answer({ name: 'close', input: [] })
  const store = localStore(dataDir)
  const { id, ...whole } = conversation
  expect(await store.whole(id)).toMatchObject(whole)
  expect(await store.prompts()).toMatchObject(prompts)
  await store.close()
}

const readHeaderVersion = (file: string): number => readFileSync(file).readUInt32BE(60)

it('migrates the ledger and the playground wherever an earlier start was killed, and keeps a copy', async () => {
  const dataDir = join(folder, 'data')
  // SQLite discards the -shm file of a killed process.
  const listDatabases = (): string[] => readdirSync(dataDir).filter((name) => /\.sqlite(-wal|\.version-1)?$/.test(name))
  const states = new Map<string, ReadonlyMap<string, Buffer>>()
  const recordState = (): void => {
    const state = new Map(listDatabases().map((name) => [name, readFileSync(join(dataDir, name))]))
    states.set([...state].map(([name, bytes]) => `${name} ${computeHash(bytes)}`).join(), state)
    // The state in which VACUUM INTO was killed after half of the copy.
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
    const killedFolder = join(folder, `killed-${number}`)
    mkdirSync(killedFolder)
    for (const [name, bytes] of state) writeFileSync(join(killedFolder, name), bytes)
    await expectSameContent(killedFolder)
    const versions = ['usage', 'playground'].flatMap((name) =>
      ['', '.version-1'].map((end) => readHeaderVersion(join(killedFolder, `${name}.sqlite${end}`))),
    )
    expect(versions).toEqual([ledgerMigrations.length, 1, 4, 1])
  }
})

it('opens a key file of the earlier version', async () => {
  const { passphrase } = readJson('seen.json')
  const args = ['--json', 'handout', 'open', join(folder, 'an.age'), '--passphrase-stdin']
  const { out, err } = await runCommand(core, args, `${passphrase}\n`)
  expect(JSON.parse(out), err).toMatchObject({ holder: { kind: 'person', name: 'An' }, keyName: 'An' })
})
