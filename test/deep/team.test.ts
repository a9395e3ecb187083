import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../src/main/core/secret'
import { buildProgram } from '../support/build-program'
import { startPostgres, type TestPostgres, toPassword, withoutPostgres } from '../support/postgres'
import { openCore } from '../support/state-writer'
import type { TeamWorkerInput } from '../support/team-orders'
import { createFolderInModules } from '../unit/support/folders'

const leadNames = ['lead-0', 'lead-1']
const killCount = 100
const consoleUrl = 'https://console.example.com'

/** Secrets that must not appear in the database: a key, its masked form, a prompt, and the passwords. */
const canary = 'sk-canary-0123456789abcdef-canary'
const secrets = [canary, 'sk-...nary', 'the prompt of a canary', ...leadNames.map(toPassword)]

/** A proxy in front of the database that inspects every byte and can cut all connections. */
async function startRecordingProxy(port: number) {
  const problems: string[] = []
  const openSockets = new Set<Socket>()
  let isConnectionCut = false
  const inspectTraffic = (source: Socket, destination: Socket): void => {
    let recentText = ''
    source.on('data', (bytes: Buffer) => {
      const text = recentText + bytes.toString('latin1')
      problems.push(...secrets.filter((secretText) => text.includes(secretText)))
      recentText = text.slice(-100)
      destination.write(bytes)
    })
    source.on('close', () => destination.destroy())
    source.on('error', () => destination.destroy())
  }
  const server = createServer((client) => {
    if (isConnectionCut) return void client.destroy()
    const database = connect(port, '127.0.0.1')
    for (const socket of [client, database]) {
      openSockets.add(socket)
      socket.on('close', () => openSockets.delete(socket))
    }
    inspectTraffic(client, database)
    inspectTraffic(database, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    found: problems,
    async cut(ms: number) {
      isConnectionCut = true
      for (const socket of openSockets) socket.destroy()
      await sleep(ms)
      isConnectionCut = false
    },
    close: () => {
      for (const socket of openSockets) socket.destroy()
      server.close()
    },
  }
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile())

describe.skipIf(withoutPostgres !== undefined)(
  `two leads${withoutPostgres ? ` (skipped: ${withoutPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres
    let database = ''
    let recordingProxy: Awaited<ReturnType<typeof startRecordingProxy>>
    let programs = ''
    let program = ''
    let folder = ''

    const buildWorkerOrders = (name: string): TeamWorkerInput => ({
      dataDir: join(folder, name),
      keychainDir: join(folder, `keychain of ${name}`),
      name,
      connectionId: `connection of ${name}`,
      changes: 100,
      shared: 20,
      rotations: 10,
      folder,
    })

    /** A computer with a connection, a plan and its key, which must not leave it. */
    async function setUp(name: string) {
      const orders = buildWorkerOrders(name)
      mkdirSync(orders.dataDir, { recursive: true })
      const core = openCore(orders)
      const timestamp = new Date().toISOString()
      const connection = {
        id: orders.connectionId,
        name: 'office',
        addresses: { consoleUrl: consoleUrl },
        createdAt: timestamp,
      }
      core.settings.update(() => ({ connections: [connection] }))
      const plan = { name: 'plan', gatewayUrl: 'https://gw.example.com', models: ['m'] }
      await core.plans.add(plan, new Secret(canary))
      core.settings.update(({ register }) => ({
        register: [
          ...register,
          {
            connectionId: orders.connectionId,
            planId: 'plan',
            keyId: `canary of ${name}`,
            planName: 'plan',
            keyName: 'canary',
            masked: 'sk-...nary',
            alsoServes: [],
            purpose: 'canary',
          },
        ],
      }))
      return core
    }

    beforeAll(async () => {
      folder = makeFolderForAll()
      programs = await createFolderInModules('team-worker')
      program = await buildProgram(resolve(import.meta.dirname, '../support/team-worker.ts'), programs)
      postgres = await startPostgres()
      database = await postgres.database(leadNames)
      recordingProxy = await startRecordingProxy(postgres.port)
      const [firstLead] = leadNames
      const leadTeam = await setUp(firstLead ?? '')
      const team = await leadTeam.loadTeam()
      const secret = (name: string): Secret => new Secret(toPassword(name), 'text')
      const address = { host: '127.0.0.1', port: recordingProxy.port, database, user: firstLead ?? '' }
      await team.create({ spaceName: 'All', personName: firstLead ?? '', address }, secret(firstLead ?? ''))
      for (const name of leadNames.slice(1)) {
        const core = await setUp(name)
        const workerTeam = await core.loadTeam()
        await workerTeam.join(await team.invite({ personName: name, user: name }), secret(name))
        await core.end()
      }
      await leadTeam.end()
    }, 300_000)

    afterAll(async () => {
      recordingProxy?.close()
      await postgres?.end()
      for (const path of [folder, programs]) rmSync(path, { recursive: true, force: true })
    })

    it('lose nothing, duplicate nothing and never rotate a key concurrently, whatever is killed or disconnected', async () => {
      const outputLines: string[] = []
      const runningWorkers = new Map<string, ReturnType<typeof spawn>>()
      const finishedWorkers = new Set<string>()
      const failedWorkers: string[] = []
      const run = (name: string): void => {
        const child = spawn(process.execPath, [program, JSON.stringify(buildWorkerOrders(name))], {
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        runningWorkers.set(name, child)
        child.stdout?.on('data', (chunk) => outputLines.push(String(chunk)))
        child.stderr?.on('data', (chunk) => failedWorkers.push(`${name}: ${String(chunk)}`))
        child.on('exit', (code) => {
          if (code === 0) finishedWorkers.add(name)
          else if (code !== null) failedWorkers.push(`${name} ended with ${code}`)
        })
      }
      const names = leadNames
      for (const name of names) run(name)
      let killedCount = 0
      for (let round = 0; finishedWorkers.size < names.length && failedWorkers.length === 0; round += 1) {
        await sleep(60)
        if (round === 40) {
          await postgres.stop('immediate')
          await sleep(300)
          await postgres.start()
        }
        if (round % 50 === 25) await recordingProxy.cut(200)
        for (const name of names) {
          const child = runningWorkers.get(name)
          if (finishedWorkers.has(name) || child === undefined) continue
          const hasEnded = child.exitCode !== null || child.signalCode !== null
          if (hasEnded) run(name)
        }
        const activeWorkers = names.filter((name) => !finishedWorkers.has(name))
        const killedWorker = activeWorkers[Math.floor(Math.random() * activeWorkers.length)]
        if (
          killedCount < killCount &&
          killedWorker !== undefined &&
          round > 8 &&
          runningWorkers.get(killedWorker)?.kill('SIGKILL')
        )
          killedCount += 1
      }
      for (const child of runningWorkers.values()) child.kill('SIGKILL')
      expect(failedWorkers).toEqual([])
      expect(outputLines.join('').replaceAll('done\n', '')).toBe('')
      expect(killedCount).toBeGreaterThan(60)
      console.log(`killed ${killedCount} times`)
    })

    it('match at the end: every record, every trail line once, every hour once', async () => {
      const cores = leadNames.map((name) => openCore(buildWorkerOrders(name)))
      for (let round = 0; round < 2; round += 1) for (const core of cores) await (await core.loadTeam()).sync()
      const holdings = await postgres.query(database, 'SELECT key_id, note FROM companion_team.holdings')
      const holdingsByKey = new Map(holdings.map((row) => [String(row.key_id), row]))
      expect(holdingsByKey.size).toBe(holdings.length)
      for (const name of leadNames)
        for (let keyIndex = 0; keyIndex < buildWorkerOrders(name).changes; keyIndex += 1)
          expect(holdingsByKey.get(`${name}-${keyIndex}`)?.note).toMatchObject({ purpose: `${name} ${keyIndex}` })
      const conflicts = await postgres.query(database, 'SELECT key_id, mine, theirs FROM companion_team.conflicts')
      for (let keyIndex = 0; keyIndex < 20; keyIndex += 1) {
        expect(holdingsByKey.get(`merged-${keyIndex}`)?.note).toMatchObject({ purpose: 'lead-0', machine: 'lead-1' })
        const key = `both-${keyIndex}`
        const leadsWithWrites = leadNames.filter((name) =>
          listFiles(join(folder, name)).some((path) => path.endsWith(`wrote-${key}`)),
        )
        const conflictsBefore = conflicts
          .filter((row) => row.key_id === key)
          .map(({ mine, theirs: remote }) => JSON.stringify([mine, remote]))
        const allValues = JSON.stringify([holdingsByKey.get(key)?.note, ...conflictsBefore])
        for (const name of leadsWithWrites) expect(allValues, key).toContain(name)
      }
      for (const [index, core] of cores.entries()) {
        const { register } = core.settings.read()
        for (const row of holdings.filter(({ note }) => /"(holder|purpose|machine)"/.test(JSON.stringify(note))))
          expect(
            register.filter(({ keyId }) => keyId === row.key_id),
            `${leadNames[index]} ${String(row.key_id)}`,
          ).toHaveLength(1)
      }
      // The first ten keys conflict, because each lead edited them before seeing the other's edit.
      const keys = new Set(conflicts.map((row) => row.key_id))
      for (let keyIndex = 0; keyIndex < 10; keyIndex += 1) expect([...keys]).toContain(`both-${keyIndex}`)
      const team = await cores[0]?.loadTeam()
      const auditVerdict = await (await team?.open())?.audit.verify()
      const trails = leadNames.flatMap((name) =>
        readFileSync(join(folder, name, 'audit.jsonl'), 'utf8')
          .trim()
          .split('\n'),
      )
      expect(auditVerdict).toEqual({ isWhole: true, count: trails.length })
      const subjects = await postgres.query(database, 'SELECT subject FROM companion_team.audit')
      const localSubjects = trails.map((line) => String(JSON.parse(line).subject))
      expect(subjects.map(({ subject }) => String(subject)).sort()).toEqual(localSubjects.sort())
      const openRotations = await postgres.query(
        database,
        'SELECT 1 FROM companion_team.rotations WHERE ended_at IS NULL',
      )
      expect(openRotations).toEqual([])
      const [{ ended } = { ended: 0 }] = await postgres.query(
        database,
        `SELECT count(*)::int AS ended FROM companion_team.rotations WHERE state = 'done'`,
      )
      expect(ended).toBe(leadNames.length * 10)
      for (const core of cores) await core.end()
    })

    it('leak no secret into the traffic, the database files or a dump', async () => {
      expect(recordingProxy.found).toEqual([])
      await postgres.query(database, 'CHECKPOINT')
      const databaseDump = execFileSync(
        join('/usr/lib/postgresql', readdirSync('/usr/lib/postgresql').at(-1) ?? '', 'bin/pg_dump'),
        ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres', database],
        { env: { ...process.env, PGPASSWORD: 'only for tests' }, maxBuffer: 2 ** 30 },
      )
      const texts = [databaseDump, ...listFiles(join(postgres.folder, 'data')).map((path) => readFileSync(path))]
      expect(texts.length).toBeGreaterThan(100)
      for (const secret of secrets) expect(texts.filter((bytes) => bytes.includes(secret)).length, secret).toBe(0)
      // Check that the search works, with a text that the database contains.
      expect(texts.some((bytes) => bytes.includes('lead-0 99'))).toBe(true)
    })
  },
)

function makeFolderForAll(): string {
  const folder = join(process.env.TMPDIR ?? '/tmp', `companion-team-deep-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  return folder
}
