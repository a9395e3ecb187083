import { userInfo } from 'node:os'
import type { AppView, AuditEntry, ConnectionView } from '@shared/contract'
import { AuditTrail } from '../core/audit/trail'
import { AllowedCommands } from '../core/consent/allowed-commands'
import type { Confirm } from '../core/consent/consent'
import type { Launcher } from '../core/launcher/launcher'
import { sleepFor } from '../core/net/deadline'
import { createNetwork, listCaFiles, type Network } from '../core/net/network'
import type { ProxyFor } from '../core/net/proxy'
import type { Clock, Log } from '../core/ports'
import { createSettings, type RawStore, type SettingsStore } from '../core/settings/settings'
import type { Vault } from '../core/vault/vault'
import { PendingKeychainItems } from '../core/vault/vault'
import { createGatewayCheck, type GatewayCheck, type ListModels, listModels, probe } from '../gateway/probe'
import type { RotationPorts } from '../keys/rotation/ports'
import { Account } from '../plans/account/account'
import { Connections } from '../plans/connections/connections'
import type { PlanThere } from '../plans/connections/open-connection'
import { Plans } from '../plans/plans'
import { Operations } from '../platform/operations'
import { KeptSecrets, SecretNotes } from '../platform/resources/secret-store'
import { InferenceKeys } from '../playground/inference-keys'
import { Metrics } from '../relay/metrics/metrics'
import { answersAt, metricsTokenId, type OwnRelay, Routes, relayRoot } from '../relay/routing/routes'
import type { KeyUse } from '../team/other-computers'
import type { ConnectionPlace } from '../team/register-sync'
import type { Team } from '../team/team'
import { findKeyUses, keyUses } from '../tools/key-uses'
import { recordCheck } from '../usage/app-usage-recorder'
import { type LedgerEntry, ownTools } from '../usage/ports'
import type { ToolFeatures } from './tools'

/** What differs between the window's process and the command line. */
export interface CoreOptions {
  readonly version: string
  readonly dataDir: string
  readonly store: RawStore
  readonly vault: Vault
  readonly launcher: Launcher
  readonly log: Log
  /** Asks the person outside of the window: in a dialog of the system, or in the terminal. */
  readonly confirm: Confirm
  /** The proxy settings of this process. */
  readonly proxyFor: ProxyFor
  /** Whose process this is, for the audit trail; the command line's unless given. */
  readonly by?: AuditEntry['by']
  /** The relay as this process runs it; the command line runs none. */
  readonly ownRelay?: () => OwnRelay | undefined
  /** Keeps what this app sent itself, without waiting; nothing is kept unless given. */
  readonly addUsage?: (entries: readonly LedgerEntry[]) => void
  /** Something at an account, or what is kept of it here, may have changed. */
  readonly onAccountChanged?: () => void
  /** An account answered after it was waited for: the register has more to list. */
  readonly onRegisterChanged?: () => void
  /** The clock of a connection's place turned out to be another than was known. */
  readonly onClockMoved?: () => void
  /** The last uses of a key by each tool, from the ledger. */
  readonly keyUsesSince?: RotationPorts['keyUsesSince']
  /** There is something new of the team. */
  readonly onTeamChanged?: () => void
  /** How much work the passphrase of a kit takes to try, as a power of two; the usual amount unless given. */
  readonly kitWorkFactor?: number
}

/** The features that the window and the command line share. */
export interface Core {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly plans: Plans
  readonly connections: Connections
  /** The programs that connections may run for their tokens. */
  readonly commands: AllowedCommands
  /** The platform API keys for connections' inference. */
  readonly inferenceKeys: InferenceKeys
  /** What the platform does asynchronously; nothing is followed before `resume`. */
  readonly operations: Operations
  /** Secrets of the platform that a person kept. */
  readonly platformSecrets: KeptSecrets
  /** Where the uses of the platform's secrets are noted. */
  readonly secretNotes: SecretNotes
  /** The account behind a connection; no purchase is followed before `resume`. */
  readonly account: Account
  readonly audit: AuditTrail
  /** How requests leave this process. */
  readonly network: Network
  readonly check: GatewayCheck
  readonly listModels: ListModels
  /** Keeps the app's own requests from now on, for a process that opens the ledger later. */
  recordUsageWith(add: (entries: readonly LedgerEntry[]) => void): void
  /** Which tools go through the relay. */
  readonly routes: Routes
  /** To whom the relay's figures are told. */
  readonly metrics: Metrics
  /** Keychain items that no record names yet. */
  readonly newItems: PendingKeychainItems
  /** The features of the coding tools and of the care of keys, loaded when they are first asked for and the same ever after. */
  loadTools(): Promise<ToolFeatures>
  /** The team of this computer, loaded when it is first asked for: the driver of its database is most of it. */
  loadTeam(): Promise<Team>
  app(): Promise<AppView>
  /** Stops what is followed and closes every connection; nothing else keeps the process from ending. */
  end(): Promise<void>
}

/** Builds the features over the given parts; nothing runs yet. */
export function createCore(options: CoreOptions): Core {
  const { version, dataDir, store, vault, log } = options
  const clock = (): Date => new Date()
  const settings = createSettings(store)
  const audit = new AuditTrail({ dataDir, clock, by: options.by ?? 'commandLine', log })
  let addUsage = options.addUsage ?? (() => undefined)
  const network = createNetwork({ proxyFor: options.proxyFor, caFiles: () => listCaFiles(settings.read()) })
  const check = recordCheck(
    createGatewayCheck(({ caFile, ...request }) => probe(request, network.trusting(caFile)), clock),
    {
      add: (entries) => addUsage(entries),
      isRelayed: (address) => address.startsWith(relayRoot(settings.read().relay.port, '')),
      plans: () => plans.list(),
    },
  )
  const isAnswering = (port: number) => answersAt(port, network.send)
  const list: ListModels = (question) => listModels(question, network.send)
  const findUses = () => findKeyUses({ dataDir, settings })
  const routes = new Routes({ settings, vault, own: options.ownRelay ?? (() => undefined), answersAt: isAnswering })
  const getClockOffsetMs = (connectionId: string): number => platform.connections.getClockOffsetMs(connectionId)
  const plans = new Plans({ settings, vault, check, clock, findUses, getClockOffsetMs, confirm: options.confirm })
  const platform = createPlatformFeatures(options, { settings, plans, clock, audit })
  const token = () => routes.readToken(metricsTokenId)
  const metrics = new Metrics({ settings, vault, clock, confirm: options.confirm, token })
  const { connections, account, operations } = platform
  const newItems = new PendingKeychainItems({ settings, vault, clock })
  let toolFeatures: Promise<ToolFeatures> | undefined
  const loadTools = (): Promise<ToolFeatures> => {
    toolFeatures ??= import('./tools').then(({ createToolFeatures }) =>
      createToolFeatures({
        ...options,
        ...{ settings, plans, check, listModels: list, audit, account, connections, routes, loadTeam },
      }),
    )
    return toolFeatures
  }
  let team: Promise<Team> | undefined
  const loadTeam = (): Promise<Team> => {
    team ??= import('../team/team').then(
      ({ Team }) =>
        new Team({
          ...{ dataDir, settings, vault, newItems, audit, clock, log },
          places: () => toPlaces(connections.list()),
          osUser: userInfo().username,
          keyUses: () => accountKeyUses({ dataDir, settings, plans }),
          switchKey: async (wanted) => (await loadTools()).switchKey(wanted),
          onChanged: options.onTeamChanged ?? (() => undefined),
          onUsesChanged: () => void toolFeatures?.then(({ rotation }) => rotation.wake()),
        }),
    )
    return team
  }
  return {
    settings,
    vault,
    newItems,
    plans,
    audit,
    network,
    check,
    listModels: list,
    recordUsageWith(add) {
      addUsage = add
    },
    routes,
    metrics,
    ...platform,
    loadTools,
    loadTeam,
    app: async () => ({ version, dataDir, platform: toPlatform(process.platform), vault: await vault.state() }),
    async end() {
      operations.stop()
      account.stop()
      await (await toolFeatures)?.rotation.end()
      await (await team)?.end()
      await connections.end()
      await network.close()
    },
  }
}

interface Shared {
  readonly settings: SettingsStore
  readonly plans: Plans
  readonly clock: Clock
  readonly audit: AuditTrail
}

function createPlatformFeatures(options: CoreOptions, { settings, plans, clock, audit }: Shared) {
  const { vault, log, proxyFor, confirm, onAccountChanged: onChanged = () => undefined } = options
  const timing = { clock, sleep: sleepFor, random: Math.random }
  const planAt = (gatewayUrl: string): PlanThere | undefined => {
    const plan = plans.list().find((one) => one.gatewayUrl === gatewayUrl)
    return plan && { modelCode: plan.models[0], key: () => plans.readSecret(plans.find(plan.id)) }
  }
  const inferenceKeys = new InferenceKeys({ settings, vault, clock })
  const secretNotes = new SecretNotes({ settings, audit })
  const platformSecrets = new KeptSecrets({ settings, vault, clock, notes: secretNotes })
  const onRemove = async (id: string): Promise<void> => {
    await inferenceKeys.forget(id)
    await platformSecrets.forgetConnection(id)
  }
  const holdsMore = (id: string): boolean =>
    plans.linkedTo(id).length > 0 ||
    platformSecrets.list(id).length > 0 ||
    settings.read().inferenceKeys.some(({ connectionId }) => connectionId === id)
  const commands = new AllowedCommands({ settings, confirm })
  const asking = { confirm, commands, holdsMore, onClockMoved: () => options.onClockMoved?.() }
  const connections = new Connections({ settings, vault, log, proxyFor, planAt, onRemove, ...asking, ...timing })
  const getClient = (id: string) => connections.client(id)
  const operations = new Operations({
    settings,
    getClient,
    connectionNames: () => new Map(connections.list().map(({ id, name }) => [id, name])),
    ...timing,
  })
  const getClockOffsetMs = (id: string): number => connections.getClockOffsetMs(id)
  const account = new Account({
    ...{ audit, getClient, plans, settings, sleep: sleepFor, log, toolName, onChanged, getClockOffsetMs },
  })
  return { connections, commands, inferenceKeys, platformSecrets, secretNotes, operations, account }
}

/** Where consoles are, as other computers of a team know them; the built-in sandbox is of this computer alone. */
const toPlaces = (connections: readonly ConnectionView[]): ConnectionPlace[] =>
  connections.flatMap(({ id: connectionId, addresses: { consoleUrl: place }, isBuiltIn }) =>
    place === undefined || isBuiltIn ? [] : [{ connectionId, place }],
  )

/** Keys of accounts that tools and routes of this computer use, for the other computers of a lead space. */
async function accountKeyUses(
  ground: Parameters<typeof keyUses>[0] & { readonly plans: Pick<Plans, 'list'> },
): Promise<KeyUse[]> {
  const plans = ground.plans.list()
  const uses = keyUses(ground).map(async ({ toolId, planId, keyId }) => {
    const plan = plans.find(({ id }) => id === planId)
    const key = plan?.keys.find(({ id }) => id === (keyId ?? plan.defaultKeyId))
    if (plan?.origin === undefined || key?.origin === undefined) return []
    return [{ ...plan.origin, keyId: key.origin.keyId, toolName: await toolName(toolId) }]
  })
  return (await Promise.all(uses)).flat()
}

async function toolName(toolId: string): Promise<string> {
  const { targets } = await import('../tools/targets')
  return ownTools[toolId] ?? targets.find(({ id }) => id === toolId)?.name ?? toolId
}

function toPlatform(platform: NodeJS.Platform): AppView['platform'] {
  return platform === 'linux' || platform === 'darwin' || platform === 'win32' ? platform : 'other'
}
