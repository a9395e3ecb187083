import { setImmediate } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import { type Sleep, sleepMs } from '../../../../../src/main/core/net/deadline'
import type { AuditEvent } from '../../../../../src/main/core/ports'
import { Secret } from '../../../../../src/main/core/secret'
import { createVault } from '../../../../../src/main/core/vault/vault'
import { Account } from '../../../../../src/main/plans/account/account'
import { Plans } from '../../../../../src/main/plans/plans'
import { createPlatformClient, type PlatformClient } from '../../../../../src/main/platform/platform-client'
import { createTokenSource, runCommand } from '../../../../../src/main/platform/tokens'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../../../src/sandbox/sandbox'
import { callControl } from '../../../../support/control'
import { directSend } from '../../../../support/direct-send'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memorySettings } from '../../../../support/memory-settings'
import { createDeferred } from '../../../renderer/support/later'
import { plainWorld } from '../../../sandbox/plain-world'
import type { StateView } from '../../../sandbox/support'

export const connectionId = 'office'
export const proPlanId = 'plan-sandbox-pro'
export const expiredPlanId = 'plan-sandbox-expired'

const log = { info: () => {}, error: () => {} }

/** Replaces the app's timers, so that the test decides when each wait ends. `asked` has their durations in ms. */
function createTestDelays() {
  const waitingResolvers: (() => void)[] = []
  const requestedDelays: number[] = []
  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve, fail) => {
      requestedDelays.push(ms)
      waitingResolvers.push(resolve)
      signal.addEventListener('abort', () => fail(signal.reason))
    })
  /** Waits until the app has started a wait, and ends it. */
  const finishDelays = async () => {
    await vi.waitFor(() => {
      if (waitingResolvers.length === 0) throw new Error('nobody waits')
    })
    waitingResolvers.shift()?.()
    await setImmediate()
  }
  return { sleep, asked: requestedDelays, pass: finishDelays }
}

/** Wraps a client so that its responses can be delayed after the platform sent them. */
export function createDelayingClient(client: PlatformClient) {
  const delayedCalls = new Map<string, { give: () => void; gate: Promise<void> }>()
  const call: PlatformClient['call'] = async (id, ...rest) => {
    const delayedCall = delayedCalls.get(id)
    delayedCalls.delete(id)
    const response = await client.call(id, ...rest)
    delayedCall?.give()
    await delayedCall?.gate
    return response
  }
  /** Delays the next response of an operation. `given` resolves once the platform has sent it. */
  const delayResponse = (id: string) => {
    const [sent, released] = [createDeferred<void>(), createDeferred<void>()]
    delayedCalls.set(id, { give: () => sent.answer(), gate: released.promise })
    return { given: sent.promise, release: () => released.answer() }
  }
  const delayingClient: PlatformClient = { ...client, call }
  return { client: delayingClient, hold: delayResponse }
}

/** A real client of a sandbox. */
export function createClient({ ready }: Sandbox): PlatformClient {
  const { tokenUrl, clientId, clientSecret } = ready.iam
  const ports = { send: directSend, clock: () => new Date(), sleep: sleepMs }
  const secret = async () => new Secret(clientSecret)
  const source = { kind: 'client-credentials', tokenUrl, clientId } as const
  const iam = createTokenSource(source, { ...ports, secret, run: runCommand })
  return createPlatformClient({ ...ports, addresses: ready.addresses, tokens: { iam }, random: () => 0, log })
}

/** Creates a simulated computer with stored state and the account feature. */
export function startMachine(
  client: PlatformClient,
  { usedBy = [] as readonly string[], getClockOffsetMs = (_connectionId: string): number => 0 } = {},
) {
  const settings = memorySettings()
  const keychain = new MemoryKeychain()
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: false })
  const plans = new Plans({
    settings,
    vault,
    clock: () => new Date(),
    findUses: () => () => usedBy.map((toolId) => ({ toolId })),
    getClockOffsetMs,
    check: () => Promise.reject(new Error('not asked for')),
  })
  const testDelays = createTestDelays()
  const changes = { count: 0 }
  const auditEvents: AuditEvent[] = []
  const audit = { note: async (entry: AuditEvent) => void auditEvents.push(entry) }
  const openAccount = () =>
    new Account({
      getClient: async () => client,
      plans,
      settings,
      log,
      sleep: testDelays.sleep,
      getClockOffsetMs,
      audit,
      toolName: async (id) => `Tool ${id}`,
      onChanged: () => {
        changes.count += 1
      },
    })
  const account = openAccount()
  onTestFinished(() => account.purchases.stop())
  const state = { plans, settings, keychain, vault, changes, noted: auditEvents }
  return { ...state, account, open: openAccount, waits: testDelays }
}

/** A sandbox with an active and an expired plan, its client, and a computer. */
export async function startHarness(options: SandboxOptions & { usedBy?: readonly string[] } = {}) {
  const { usedBy, ...rest } = options
  const sandbox = await startSandbox({ gatewayPort: 0, platformPort: 0, begin: plainWorld, ...rest })
  onTestFinished(() => sandbox.close())
  const control = (path: string, body?: unknown) => callControl(sandbox.ready, `/${path}`, body)
  const { client, hold } = createDelayingClient(createClient(sandbox))
  const computer = startMachine(client, usedBy ? { usedBy } : {})
  return {
    sandbox,
    control,
    client,
    hold,
    ...computer,
    state: async () => (await control('state')) as StateView,
    /** Paths of requests with this method to the console's plans and keys, in order. */
    requests: async (verb: string): Promise<string[]> => {
      const { requests } = (await control('requests?area=platform')) as { requests: { method: string; path: string }[] }
      return requests.flatMap(({ method, path }) => (method === verb && path.includes('/token-plans') ? [path] : []))
    },
    /** Text of a key, as the sandbox knows it. */
    keyText: (keyId: string): string => {
      const keys = sandbox.ready.plans.flatMap((plan) => plan.keys)
      return keys.find((key) => key.keyId === keyId)?.key ?? ''
    },
  }
}

export const provisioningMs = 4_000

export const connectionInput = { connectionId }
export const proPlanRef = { connectionId, planId: proPlanId }
export const purchaseInput = { connectionId, name: 'mine', packageId: 'package-pro', autoRenew: true }
