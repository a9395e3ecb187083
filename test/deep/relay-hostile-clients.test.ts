import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { ensureBuild } from '../../scripts/ensure-build.mjs'
import { type Desktop, startDesktop } from '../../scripts/lib/desktop.mjs'
import { countOpenSockets, type Program, readMegabytes, startShippedRelay } from '../bench/relay/shipped.mjs'
import { rounds } from '../support/depth'
import { attack, type HostileClient, hostileClients } from '../support/hostile-clients'

/** So many of each kind at once, and how often the good client asks meanwhile. */
const count = rounds(2, 4)
const turns = rounds(3, 40)
/** Within this `/health` is answered, whatever the others do; what other programs of the machine take does not count. */
const maxMs = 1000
/** What hostile clients may make the relay take beyond what it has at rest; one socket alone once made it 1,450. */
const maxGrowthMb = 120
const idleConnections = 3000
/** How soon one of these comes again when it was closed. */
const idleAgainMs = 1000

let folder = ''
let desktop: Desktop | undefined
let relay: Program
/** Asks the relay as a tool does, and is the gateway behind it. */
let good: ChildProcess

beforeAll(async () => {
  await ensureBuild()
  folder = mkdtempSync(join(tmpdir(), 'companion-hostile-'))
  if (process.platform === 'linux') desktop = await startDesktop()
  good = fork(resolve(import.meta.dirname, '../support/good-client.mjs'))
  const [{ port }] = await once(good, 'message')
  relay = await startShippedRelay({ gatewayPort: port, folder, env: desktop?.env ?? process.env })
})
afterAll(async () => {
  await relay?.end()
  good?.disconnect()
  await desktop?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const token = () => /Bearer (.+)/.exec(relay.headers[0] ?? '')?.[1] ?? ''
const target = () => ({ port: relay.port, token: token(), path: relay.path })

/** A client that behaves is answered in time, and its request comes back with the gateway's response. */
async function askAsGoodClient(): Promise<void> {
  const headers = { authorization: `Bearer ${token()}` }
  good.send({ url: `http://127.0.0.1:${relay.port}`, path: relay.path, headers, pid: relay.pid })
  const [answered] = await once(good, 'message')
  expect(answered).toMatchObject({ health: { status: 200, body: 'ok' }, request: { status: 200 } })
  expect(answered.request.body).toContain('"content":"Hi"')
  expect(answered.health.ms - answered.health.heldUpMs).toBeLessThan(maxMs)
}

/** What the relay's process has at rest: taken before each kind, compared with what it has during and after it. */
let before = { megabytes: 0, openSockets: 0 }
beforeEach(async () => {
  await askAsGoodClient()
  before = { megabytes: readMegabytes(relay.pid), openSockets: countOpenSockets(relay.pid) }
})
afterEach(async () => {
  // Its connections are gone with those that held them; the gateway's are kept for the next request.
  await vi.waitFor(() => expect(countOpenSockets(relay.pid)).toBeLessThanOrEqual(before.openSockets + 2), {
    interval: 20,
    timeout: 30_000,
  })
  await askAsGoodClient()
}, 60_000)

async function attackWith(client: HostileClient, many: number, againMs?: number): Promise<void> {
  const { stop } = attack(relay.port, client, many, againMs)
  const restMb = before.megabytes
  try {
    for (let turn = 0; turn < turns; turn += 1) {
      await askAsGoodClient()
      expect(readMegabytes(relay.pid) - restMb).toBeLessThan(maxGrowthMb)
    }
  } finally {
    stop()
  }
}

const allKinds = hostileClients({ port: 1, token: '', path: '/' }).map(({ name }) => name)

test.each(allKinds)('the relay stays small and quick while a client %s', async (name) => {
  const client = hostileClients(target()).find((item) => item.name === name)
  if (client === undefined) throw new Error('There is no such client.')
  await attackWith(client, count)
})

test.each(['says nothing', 'begins a head and says no more'])(
  'the relay stays small and quick while thousands of clients are connected, of which each %s',
  async (name) => {
    const client = hostileClients(target()).find((item) => item.name === name)
    if (client === undefined) throw new Error('There is no such client.')
    await attackWith(client, idleConnections, idleAgainMs)
  },
)

test('all kinds at once leave the relay as it was', async () => {
  const attacks = hostileClients(target()).map((client) => attack(relay.port, client, 1))
  try {
    for (let turn = 0; turn < turns; turn += 1) await askAsGoodClient()
    expect(readMegabytes(relay.pid) - before.megabytes).toBeLessThan(maxGrowthMb)
  } finally {
    for (const { stop } of attacks) stop()
  }
})
