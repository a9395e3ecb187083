import { randomBytes } from 'node:crypto'
import { createControl } from './control/control'
import { createGateway } from './gateway'
import { createFaultStore, type Listener, listen } from './http'
import { createJournal } from './journal'
import { mainClientId, mainClientSecret } from './platform/iam'
import { createPlatform } from './platform/platform'
import { seededWorld } from './seed/seeded-world'
import { createStateWriter, loadWorld, lockState, type Notify } from './state/state-file'
import { createStore, hashSeed, type Store } from './state/store'
import type { World } from './state/world'
import { defaultTiming, type Timing } from './timing'

export interface SandboxOptions {
  /** Port of the gateway, default 4860. 0 selects a free port. */
  readonly gatewayPort?: number | undefined
  /** Port of the platform, default 4861. 0 selects a free port. */
  readonly platformPort?: number | undefined
  /** Path of the state file. Undefined: in memory only. */
  readonly stateFile?: string | undefined
  /** Token of the control API. Default: random. */
  readonly controlToken?: string | undefined
  /** Overrides of the default timing. */
  readonly timing?: Partial<Timing>
  /**
   * Seed for a reproducible world. The same seed gives the same keys and, except for dates, the same data. Default:
   * random.
   */
  readonly seed?: string | undefined
  /** Creates the initial world, also after a reset. Default: the seeded one. */
  readonly begin?: (seed: string, nowMs: number) => World
  /** Receives messages for the terminal. Default: discards them. */
  readonly notify?: Notify
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

const noop = async () => {}

/** Opens the state. Its `close` flushes pending writes and releases the state file. */
async function openMemory(options: SandboxOptions) {
  const { stateFile, seed, notify = () => {}, begin = seededWorld } = options
  const createWorld = () => begin(seed === undefined ? randomBytes(32).toString('hex') : hashSeed(seed), Date.now())
  if (stateFile === undefined) return { world: createWorld(), save: () => {}, saved: noop, close: noop }
  const unlockState = await lockState(stateFile)
  try {
    const world = (await loadWorld(stateFile, { notify, begin })) ?? createWorld()
    const { save, saved, flush, close } = createStateWriter(stateFile, notify)
    save(world)
    await flush()
    return { world, save, saved, close: () => close().finally(unlockState) }
  } catch (error) {
    await unlockState()
    throw error
  }
}

function buildReadyMessage(store: Store, gatewayUrl: string, platformUrl: string, controlToken: string) {
  const { plans, keys } = store.world()
  return {
    kind: 'ready' as const,
    gatewayUrl,
    platformUrl,
    /** Bearer token of the control API, `{platformUrl}/sandbox/...`. */
    controlToken,
    /** By their names in a connection file (spec, "Address placeholders"). The registry host has no scheme. */
    addresses: {
      tokenPlanUrl: gatewayUrl,
      consoleUrl: `${platformUrl}/console`,
      identityApiUrl: `${platformUrl}/identity/api/v1`,
      runtimeApiUrl: `${platformUrl}/runtime`,
      memoryApiUrl: `${platformUrl}/memory`,
      registryApiUrl: `${platformUrl}/registry`,
      aipApiUrl: `${platformUrl}/aip`,
      inferenceUrl: `${platformUrl}/inference/v1`,
      registryHost: new URL(platformUrl).host,
    },
    iam: {
      tokenUrl: `${platformUrl}/iam/oauth2/token`,
      clientId: mainClientId,
      clientSecret: mainClientSecret(store.world()),
    },
    /** Apart from the console API, this is the only output of the sandbox that contains keys. */
    plans: plans
      .filter((plan) => !plan.deleted)
      .map(({ planId, name, planType, status, expiresAt, models }) => ({
        planId,
        name,
        planType,
        status,
        /** ISO 8601 UTC in the sandbox's own clock. */
        expiresAt,
        models: models.map(({ modelCode, displayName, contextTokens }) => ({ modelCode, displayName, contextTokens })),
        keys: keys
          .filter((key) => key.planId === planId && !key.deleted)
          .map((key) => ({ keyId: key.keyId, name: key.name, status: key.status, key: store.toSecret(key.keyId) })),
      })),
  }
}

/** Starts the sandbox on loopback. Rejects with `PortInUse` or `StateInUse`. */
export async function startSandbox(options: SandboxOptions = {}) {
  const { gatewayPort = 4860, platformPort = 4861 } = options
  const memory = await openMemory(options)
  const store = createStore(memory.world, { ...memory, begin: options.begin ?? seededWorld })
  const [faults, journal] = [createFaultStore(), createJournal()]
  let timing: Timing = { ...defaultTiming, ...options.timing }
  const setTiming = (nextTiming: Timing) => {
    timing = nextTiming
  }
  const controlToken = options.controlToken || randomBytes(24).toString('base64url')
  const commonParts = { store, faults, journal, timing: () => timing }
  const listeners: Listener[] = []
  /** Closes both listeners and saves the state. */
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()))
    await memory.close()
  }
  try {
    const gateway = await listen(gatewayPort, createGateway(commonParts))
    listeners.push(gateway)
    const control = createControl({ ...commonParts, setTiming, token: controlToken })
    const api = createPlatform({ ...commonParts, gatewayUrl: gateway.url })
    const isControl = (path: string) => path === '/sandbox' || path.startsWith('/sandbox/')
    const platform = await listen(platformPort, (exchange) =>
      isControl(exchange.path) ? control(exchange) : api(exchange),
    )
    listeners.push(platform)
    return { ready: buildReadyMessage(store, gateway.url, platform.url, controlToken), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Sent once when both listeners accept calls. Addresses have no path or trailing slash. */
export type ReadyMessage = ReturnType<typeof buildReadyMessage>

/** Sent instead of `ReadyMessage` if the start fails. The process then exits with code 1. */
export type FailedMessage =
  | { readonly kind: 'failed'; readonly code: 'portInUse'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: 'stateInUse' | 'unexpected'; readonly message: string }

export type SandboxMessage = ReadyMessage | FailedMessage
