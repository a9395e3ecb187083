import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createEnvironment } from '../../../../../src/main/core/environment'
import type { Disk } from '../../../../../src/main/core/files/disk'
import type { Sleep } from '../../../../../src/main/core/net/deadline'
import { createSender, type Send } from '../../../../../src/main/core/net/send'
import { Secret } from '../../../../../src/main/core/secret'
import { createSettings, type RawStore } from '../../../../../src/main/core/settings/settings'
import type { Keychain } from '../../../../../src/main/core/vault/keychain'
import { createVault, noteKept } from '../../../../../src/main/core/vault/vault'
import { type GatewayCheck, probe } from '../../../../../src/main/gateway/probe'
import type { RotationEvent, RotationLease, RotationPorts } from '../../../../../src/main/keys/rotation/ports'
import { Rotation } from '../../../../../src/main/keys/rotation/rotation'
import { Account } from '../../../../../src/main/plans/account/account'
import { Plans } from '../../../../../src/main/plans/plans'
import { createPlatformClient } from '../../../../../src/main/platform/platform-client'
import { createTokenSource, runCommand } from '../../../../../src/main/platform/tokens'
import { findKeyUses } from '../../../../../src/main/tools/journal'
import { Profiles } from '../../../../../src/main/tools/profiles/profiles'
import { Tools } from '../../../../../src/main/tools/tools'

import type { ReadyMessage } from '../../../../../src/sandbox/sandbox'
import { createRoutes } from '../../../../support/routes'
import { unsyncedDisk } from '../../tools/support/quick-disk'

export const connectionId = 'office'
export const proPlanId = 'plan-sandbox-pro'
export const proPlanRef = { connectionId, planId: proPlanId }

/** Function with which a rotation sends requests to the gateway. */
export type FetchLike = (address: string, init: RequestInit) => Promise<Response>

/**
 * Parts of a simulated computer: the state that survives a kill of the app (folder, settings, keychain), and server
 * addresses.
 */
export interface MachineParts
  extends Partial<
    Pick<RotationPorts, 'clock' | 'sleep' | 'listHolders' | 'listHandovers' | 'findOtherUses' | 'keyUsesSince'>
  > {
  readonly ready: Pick<ReadyMessage, 'addresses' | 'iam'>
  /** Folder that contains the home and the data folder. */
  readonly folder: string
  readonly store: RawStore
  readonly keychain: Keychain
  /** Whether keys may be kept in memory for the session if there is no keychain. */
  readonly sessionAllowed?: boolean
  readonly disk?: Disk
  readonly throughSend?: (send: Send) => Send
  readonly fetchLike?: FetchLike
  /** Replaces the gateway requests of a rotation. */
  readonly check?: GatewayCheck
  /** Timeout of a platform or gateway call, default 10 s. */
  readonly timeoutMs?: number
  readonly lease?: RotationLease
}

export type Machine = ReturnType<typeof openMachine>

/** Shortens waits to 1 %, except the call timeout of 30 s, which becomes `timeoutMs`. */
const shortenSleep =
  (timeoutMs: number): Sleep =>
  (ms, signal) =>
    setTimeout(ms === 30_000 ? timeoutMs : ms / 100, undefined, { signal })

/** Extracts the plan id and key id from a helper command. */
export const parseHelperCommand = (command: string): readonly [plan: string, key: string] => {
  const [, plan = '', key = ''] = /key print --plan (\S+) --key (\S+?)'?$/.exec(command) ?? []
  return [plan, key]
}

/** Creates the app's features on a simulated computer, like a start of the app. */
export function openMachine(parts: MachineParts) {
  const { ready, folder, store, keychain, disk = unsyncedDisk, timeoutMs = 10_000, clock = () => new Date() } = parts
  const {
    throughSend = (send) => send,
    fetchLike = fetch,
    listHolders = () => [],
    listHandovers = () => [],
    sleep = shortenSleep(timeoutMs),
  } = parts
  const log = { info: () => {}, error: () => {} }
  const settings = createSettings(store)
  const vault = createVault({
    keychain,
    install: 'Install a keyring.',
    sessionAllowed: parts.sessionAllowed ?? false,
    onMoved: (ids) => noteKept(settings, ids),
  })
  const toGateway: Send = ({ url, ...init }) => fetchLike(url, init)
  const check: GatewayCheck = (question) => probe({ ...question, timeoutMs }, toGateway, clock)
  const home = join(folder, 'home')
  const dataDir = join(folder, 'data')
  const plans = new Plans({
    settings,
    vault,
    check,
    clock,
    findUses: () => findKeyUses({ dataDir, settings }),
  })
  const relay = createRoutes({ settings, vault })
  const sender = createSender({ proxyFor: async () => ({ kind: 'direct' }) })
  const ports = { send: throughSend(sender.send), clock: () => new Date(), sleep }
  const { tokenUrl, clientId, clientSecret } = ready.iam
  const secret = async () => new Secret(clientSecret)
  const iam = createTokenSource(
    { kind: 'client-credentials', tokenUrl, clientId },
    { ...ports, secret, run: runCommand },
  )
  const client = createPlatformClient({ ...ports, addresses: ready.addresses, tokens: { iam }, random: () => 0, log })
  const account = new Account({
    getClient: async () => client,
    plans,
    settings,
    log,
    sleep,
    toolName: async (id) => id,
    onChanged: () => {},
  })
  const environment = createEnvironment({ home, platform: 'linux', vars: { HOME: home } })
  const tools = new Tools({
    plans,
    vault,
    relay,
    check,
    listModels: async () => ({ kind: 'unknown' }),
    machine: {
      place: { environment, dataDir, disk, clock },
      distributions: { list: async () => [], open: () => Promise.reject(new Error('none')) },
    },
    loginShell: async () => ({}),
    detect: async () => ({ installed: true, version: '1.2.3' }),
    launcher: { path: '/app/bin/companion', ensure: () => {} },
    runHelper: async (command) => {
      const [plan, key] = parseHelperCommand(command)
      return (await plans.readSecret(plans.find(plan), key)).expose()
    },
  })
  const events: RotationEvent[] = []
  const rotation = new Rotation({
    settings,
    account,
    plans,
    tools,
    relay,
    check: parts.check ?? check,
    clock,
    sleep,
    log,
    listHolders,
    listHandovers,
    notify: (event) => void events.push(event),
    lease: async () => parts.lease,
    findOtherUses: parts.findOtherUses,
    keyUsesSince: parts.keyUsesSince,
    gatewayTimeoutMs: 300,
  })
  const profiles = new Profiles({ settings, plans, tools, clock })
  /** Ends the app like a kill: closes only what ends with a process, without shutting features down. */
  const simulateKill = async () => {
    account.purchases.stop()
    await sender.close()
  }
  return {
    settings,
    vault,
    plans,
    account,
    tools,
    rotation,
    profiles,
    check,
    events,
    home,
    dataDir,
    abandon: simulateKill,
  }
}
