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

/** Number of clients of each kind, and of requests from the good client. */
const count = rounds(2, 4)
const turns = rounds(3, 40)
/** Maximum time of `/health` under attack, without the CPU time of other programs. */
const maxMs = 1000
/** Maximum memory growth during attacks. A single socket once caused 1,450 MB. */
const maxGrowthMb = 120
const idleConnections = 3000
/** Delay in ms before an idle client reconnects. */
const idleAgainMs = 1000

let folder = ''
let desktop: Desktop | undefined
let relay: Program
/** A well-behaved tool of the relay and the gateway in one process. */
let goodClient: ChildProcess

beforeAll(async () => {
  await ensureBuild()
  folder = mkdtempSync(join(tmpdir(), 'companion-hostile-'))
  if (process.platform === 'linux') desktop = await startDesktop()
  goodClient = fork(resolve(import.meta.dirname, '../support/good-client.mjs'))
  const [{ port }] = await once(goodClient, 'message')
  relay = await startShippedRelay({ gatewayPort: port, folder, env: desktop?.env ?? process.env })
})
afterAll(async () => {
  await relay?.end()
  goodClient?.disconnect()
  await desktop?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const token = () => /Bearer (.+)/.exec(relay.headers[0] ?? '')?.[1] ?? ''
const target = () => ({ port: relay.port, token: token(), path: relay.path })

/** Requires that a good client gets the gateway's response in time. */
async function askAsGoodClient(): Promise<void> {
  const headers = { authorization: `Bearer ${token()}` }
  goodClient.send({ url: `http://127.0.0.1:${relay.port}`, path: relay.path, headers, pid: relay.pid })
  const [answered] = await once(goodClient, 'message')
  expect(answered).toMatchObject({ health: { status: 200, body: 'ok' }, request: { status: 200 } })
  expect(answered.request.body).toContain('"content":"Hi"')
  expect(answered.health.ms - answered.health.heldUpMs).toBeLessThan(maxMs)
}

/** Idle memory and sockets of the relay, measured before each kind of client for comparison. */
let usageBefore = { megabytes: 0, openSockets: 0 }
beforeEach(async () => {
  await askAsGoodClient()
  usageBefore = { megabytes: readMegabytes(relay.pid), openSockets: countOpenSockets(relay.pid) }
})
afterEach(async () => {
  // Client connections are closed. The gateway's stay open for reuse.
  await vi.waitFor(() => expect(countOpenSockets(relay.pid)).toBeLessThanOrEqual(usageBefore.openSockets + 2), {
    interval: 20,
    timeout: 30_000,
  })
  await askAsGoodClient()
}, 60_000)

async function attackWith(client: HostileClient, clientCount: number, againMs?: number): Promise<void> {
  const { stop } = attack(relay.port, client, clientCount, againMs)
  const restMb = usageBefore.megabytes
  try {
    for (let round = 0; round < turns; round += 1) {
      await askAsGoodClient()
      expect(readMegabytes(relay.pid) - restMb).toBeLessThan(maxGrowthMb)
    }
  } finally {
    stop()
  }
}

const allKinds = hostileClients({ port: 1, token: '', path: '/' }).map(({ name }) => name)

test.each(allKinds)('the relay stays small and fast while a client %s', async (name) => {
  const client = hostileClients(target()).find((item) => item.name === name)
  if (client === undefined) throw new Error('There is no such client.')
  await attackWith(client, count)
})

test.each(['says nothing', 'begins a head and says no more'])(
  'the relay stays small and fast with thousands of clients, each of which %s',
  async (name) => {
    const client = hostileClients(target()).find((item) => item.name === name)
    if (client === undefined) throw new Error('There is no such client.')
    await attackWith(client, idleConnections, idleAgainMs)
  },
)

test('the relay recovers from all kinds together', async () => {
  const attacks = hostileClients(target()).map((client) => attack(relay.port, client, 1))
  try {
    for (let round = 0; round < turns; round += 1) await askAsGoodClient()
    expect(readMegabytes(relay.pid) - usageBefore.megabytes).toBeLessThan(maxGrowthMb)
  } finally {
    for (const { stop } of attacks) stop()
  }
})
