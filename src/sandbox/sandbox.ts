import { randomBytes } from 'node:crypto'
import { createControl } from './control/control'
import { createFaults } from './gateway/faults'
import { createGateway } from './gateway/gateway'
import { createJournal } from './gateway/journal'
import { type Handler, type Listener, listen } from './http/listener'
import type { ReadyMessage, ReadyPlan } from './ready'
import { freshWorld } from './state/fresh-world'
import { createStateWriter, loadWorld, type Notify } from './state/state-file'
import { createStore, type Store } from './state/store'
import type { World } from './state/world'

/** How a sandbox is started; everything may be left out. */
export interface SandboxOptions {
  /** Default 4860; 0 takes a free port. */
  readonly gatewayPort?: number
  /** Default 4861; 0 takes a free port. */
  readonly platformPort?: number
  /** Where the state is kept; without it in memory only. */
  readonly stateFile?: string | undefined
  /** Default: random. */
  readonly controlToken?: string | undefined
  /** Time between the pieces of a streamed answer; default 12 ms. */
  readonly paceMs?: number
  /** Default: says nothing. */
  readonly notify?: Notify
}

/** A running sandbox. */
export interface Sandbox {
  readonly ready: ReadyMessage
  /** Ends both listeners with their connections and writes the state. */
  readonly close: () => Promise<void>
}

const defaults = { gatewayPort: 4860, platformPort: 4861, paceMs: 12 }

interface Memory {
  readonly world: World
  readonly save: (world: World) => void
  readonly flush: () => Promise<void>
}

async function openMemory(stateFile: string | undefined, notify: Notify): Promise<Memory> {
  const fresh = () => freshWorld(randomBytes(32).toString('hex'), Date.now())
  if (stateFile === undefined) return { world: fresh(), save: () => {}, flush: async () => {} }
  const world = (await loadWorld(stateFile, notify)) ?? fresh()
  const writer = createStateWriter(stateFile, notify)
  writer.save(world)
  await writer.flush()
  return { world, ...writer }
}

function readyPlans(store: Store): readonly ReadyPlan[] {
  const { plans, keys } = store.world()
  return plans
    .filter((plan) => !plan.deleted)
    .map(({ planId, name, planType, status, expiresAt, models }) => ({
      planId,
      name,
      planType,
      status,
      expiresAt,
      models: models.map(({ modelCode, displayName, contextTokens }) => ({ modelCode, displayName, contextTokens })),
      keys: keys
        .filter((key) => key.planId === planId && !key.deleted)
        .map((key) => ({ keyId: key.keyId, name: key.name, status: key.status, key: store.secretOf(key.keyId) })),
    }))
}

async function listenBoth(
  gateway: { port: number; handler: Handler },
  platform: { port: number; handler: Handler },
): Promise<readonly [Listener, Listener]> {
  const first = await listen(gateway.port, gateway.handler)
  try {
    return [first, await listen(platform.port, platform.handler)]
  } catch (error) {
    await first.close()
    throw error
  }
}

/** Starts the sandbox on the loopback address. Rejects with `PortInUse` when one of its ports is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { gatewayPort, platformPort, paceMs } = { ...defaults, ...options }
  const { world, save, flush } = await openMemory(options.stateFile, options.notify ?? (() => {}))
  const store = createStore(world, save)
  const [faults, journal] = [createFaults(), createJournal()]
  const controlToken = options.controlToken || randomBytes(24).toString('base64url')
  const [gateway, platform] = await listenBoth(
    { port: gatewayPort, handler: createGateway({ store, faults, journal, paceMs }) },
    { port: platformPort, handler: createControl({ store, faults, journal, token: controlToken }) },
  )
  const close = async () => {
    await Promise.all([gateway.close(), platform.close()])
    await flush()
  }
  const [gatewayUrl, platformUrl] = [gateway.url, platform.url]
  return { ready: { kind: 'ready', gatewayUrl, platformUrl, controlToken, plans: readyPlans(store) }, close }
}
