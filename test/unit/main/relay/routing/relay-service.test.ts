import type { RelayView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import type { RelayHost, ToolTraffic } from '../../../../../src/main/relay/routing/relay-protocol'
import { Relay } from '../../../../../src/main/relay/routing/relay-service'
import { TableBuilder } from '../../../../../src/main/relay/routing/table'
import type { RemainingSample } from '../../../../../src/main/usage/quota/remaining'
import { memorySettings } from '../../../../support/memory-settings'
import { expectFailure } from '../../../support/failures'
import { plan } from '../../tools/setups/bench'

type RelayStart = Parameters<RelayHost['start']>[0]

/** A relay host that records its calls. */
class NotingHost implements RelayHost {
  readonly started: RelayStart[] = []
  readonly tables: RelayStart['table'][] = []
  readonly remaining: (readonly RemainingSample[])[] = []
  isRunning = false
  isPortTaken = false
  exit = (): void => undefined
  say = (_: readonly ToolTraffic[]): void => undefined

  async start(options: RelayStart) {
    if (this.isPortTaken) throw new AppError('relay.portInUse', `Port ${options.port} is taken.`)
    this.started.push(options)
    this.isRunning = true
    return { port: options.port }
  }

  setTable(table: RelayStart['table']): void {
    this.tables.push(table)
  }

  setRemaining(samples: readonly RemainingSample[]): void {
    this.remaining.push(samples)
  }

  async stop(): Promise<void> {
    this.isRunning = false
  }

  onExit(listener: () => void): void {
    this.exit = listener
  }

  onStatus(listener: (tools: readonly ToolTraffic[]) => void): void {
    this.say = listener
  }

  crash(): void {
    this.isRunning = false
    this.exit()
  }
}

function createHarness() {
  const host = new NotingHost()
  const settings = memorySettings({ plans: [plan(), plan({ id: 'p2', name: 'spare' })] })
  const views: RelayView[] = []
  const pauses: number[] = []
  const world = { pointed: ['pi'], login: false, isLocked: false, reads: 0 }
  const relay = new Relay({
    host,
    settings,
    builder: new TableBuilder({
      plans: {
        readSecret: async () => {
          world.reads += 1
          if (world.isLocked) throw new AppError('vault.unavailable', 'The keychain is locked.')
          return new Secret('sk-of-the-plan')
        },
      },
      routes: { readToken: async () => new Secret('relay-token') },
      vault: { get: async () => new Secret('header-value') },
      network: { proxyFor: async () => ({ kind: 'direct' }) },
    }),
    pointed: async () => world.pointed,
    tools: [
      { id: 'pi', name: 'pi' },
      { id: 'kilo', name: 'Kilo' },
    ],
    readRemaining: async () => [{ name: 'companion.quota.limit.tokens', labels: {}, value: 7 }],
    caFiles: () => ['/ca.pem'],
    startAtLogin: {
      get: () => world.login,
      set: (on) => {
        world.login = on
      },
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      pauses.push(ms)
    },
    log: { info: () => undefined, error: () => undefined },
    onChanged: (view) => void views.push(view),
  })
  settings.onChange(() => relay.follow())
  const seen = (state: RelayView['state']) => expect.poll(async () => (await relay.get()).state).toBe(state)
  return { relay, host, settings, views, pauses, world, seen, choice: () => settings.read().relay }
}

const relayRoute = { planId: 'p1', keyId: 'k1' }

describe('the relay', () => {
  it('starts on request, stays enabled, and lists its affected tools when stopped', async () => {
    const { relay, host, choice, views } = createHarness()
    expect((await relay.start({ port: 5005 })).state).toBe('on')
    expect(choice()).toMatchObject({ wanted: true, port: 5005 })
    expect(host.started).toMatchObject([{ port: 5005, caFiles: ['/ca.pem'] }])
    expect(views.map(({ state }) => state)).toContain('starting')
    const tools = [{ toolId: 'pi', isPointedHere: true }, {}]
    expect(await relay.stop()).toMatchObject({ state: 'off', wanted: false, tools })
    expect([host.isRunning, relay.isOn()]).toEqual([false, false])
  })

  it('sends what remains while metrics are on', async () => {
    const { relay, host, settings } = createHarness()
    await relay.start()
    expect(host.remaining).toEqual([])
    settings.update(() => ({ metrics: { isScraped: true } }))
    await expect.poll(() => host.remaining).toMatchObject([[{ value: 7 }]])
    await relay.stop()
    await relay.start()
    await expect.poll(() => host.remaining.length).toBeGreaterThan(1)
  })

  it('moves to another port', async () => {
    const { relay, host } = createHarness()
    await relay.start()
    const view = await relay.start({ port: 5006 })
    expect(view).toMatchObject({ state: 'on', port: 5006, tools: [{ address: 'http://127.0.0.1:5006/t/pi' }, {}] })
    expect(host.started.map(({ port }) => port)).toEqual([4870, 5006])
  })

  it('reports a port in use, and starts once it is free', async () => {
    const { relay, host } = createHarness()
    host.isPortTaken = true
    await expectFailure(relay.start(), 'relay.portInUse')
    expect(await relay.get()).toMatchObject({ state: 'failed', failure: { code: 'relay.portInUse' } })
    host.isPortTaken = false
    expect((await relay.start()).failure).toBeUndefined()
  })

  it('sends a new table when a route is set, and refuses one outside this computer', async () => {
    const { relay, host } = createHarness()
    await relay.start()
    const view = await relay.setWay({ toolId: 'pi', way: relayRoute, failover: [{ planId: 'p2' }] })
    expect(view.tools[0]?.upstreams).toMatchObject([
      { ...relayRoute, planName: 'team', keyName: 'name of k1' },
      { planId: 'p2', planName: 'spare', keyName: 'name of k1' },
    ])
    expect(host.tables.at(-1)?.clients[0]?.upstreams.map(({ planId }) => planId)).toEqual(['p1', 'p2'])
    const missingRoute = { toolId: 'pi', way: { planId: 'p1', keyId: 'k9' }, failover: [] }
    await expectFailure(relay.setWay(missingRoute), 'key.notFound')
    await expectFailure(relay.setWay({ ...missingRoute, way: { planId: 'no' } }), 'plan.notFound')
  })

  it('follows settings written by another process: starts, uses a new key, and stops', async () => {
    const { host, settings, seen, choice } = createHarness()
    const write = (change: Partial<ReturnType<typeof choice>>) =>
      settings.update(({ relay }) => ({ relay: { ...relay, ...change } }))
    write({ wanted: true, ways: [{ toolId: 'pi', ...relayRoute, failover: [] }] })
    await seen('on')
    write({ ways: [{ toolId: 'pi', ...relayRoute, keyId: 'k2', failover: [] }] })
    await expect.poll(() => host.tables.at(-1)?.clients[0]?.upstreams[0]?.keyId).toBe('k2')
    write({ wanted: false })
    await seen('off')
    expect(host.isRunning).toBe(false)
  })

  it('does not touch the process and the keychain without a relevant change', async () => {
    const { relay, host, settings, world } = createHarness()
    await relay.setWay({ toolId: 'pi', way: relayRoute, failover: [] })
    await relay.start()
    const [tables, reads] = [host.tables.length, world.reads]
    settings.update({ theme: 'dark' })
    await relay.get()
    await relay.ready()
    expect([host.tables.length, world.reads]).toEqual([tables, reads])
  })

  it('serves the other tools while a key is unreadable, reports why, and retries on request', async () => {
    const { relay, host, world } = createHarness()
    world.isLocked = true
    await relay.start()
    const view = await relay.setWay({ toolId: 'pi', way: relayRoute, failover: [] })
    expect(view).toMatchObject({ state: 'on', tools: [{ lastFailure: { code: 'vault.unavailable' } }, {}] })
    world.isLocked = false
    await relay.forgetKeys()
    expect((await relay.get()).tools[0]?.lastFailure).toBeUndefined()
    expect(host.tables.at(-1)?.clients[0]?.upstreams).toHaveLength(1)
  })

  it('restarts after a crash, first immediately, then with delays', async () => {
    const { relay, host, pauses, views, seen } = createHarness()
    await relay.start()
    for (const count of [2, 3, 4]) {
      host.crash()
      await expect.poll(() => host.started.length).toBe(count)
      await seen('on')
    }
    expect(views.some(({ state, failure }) => state === 'failed' && failure?.code === 'relay.failed')).toBe(true)
    expect(pauses).toEqual([0, 1000, 5000])
  })

  it('stays off when its process exits after a stop', async () => {
    const { relay, host, pauses } = createHarness()
    await relay.start()
    await relay.stop()
    host.crash()
    expect((await relay.get()).state).toBe('off')
    expect([host.started.length, pauses]).toEqual([1, []])
  })

  it('reports the outcome of requests', async () => {
    const { relay, host, views } = createHarness()
    await relay.start()
    const failure = { code: 'gateway.quotaExhausted' as const, message: 'Used up.' }
    host.say([{ toolId: 'pi', open: 2, requests: 3, lastAt: '2026-01-01T00:00:00.000Z', failure }])
    const used = { open: 2, requests: 3, lastFailure: failure }
    expect(views.at(-1)).toMatchObject({ tools: [used, { open: 0, requests: 0 }] })
  })

  it('starts with the session in the background if enabled', async () => {
    const { relay } = createHarness()
    expect(await relay.get()).toMatchObject({ startAtLogin: false, keepInBackground: false })
    const view = await relay.setOptions({ startAtLogin: true, keepInBackground: true })
    expect(view).toMatchObject({ startAtLogin: true, keepInBackground: true })
  })
})
