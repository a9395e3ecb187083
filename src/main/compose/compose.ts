import { userInfo } from 'node:os'
import type { AppView } from '@shared/contract'
import { AuditTrail } from '../core/audit/trail'
import { AllowedCommands } from '../core/consent/consent'
import { lazy } from '../core/lazy'
import { sleepMs } from '../core/net/deadline'
import { createNetwork, listCaFiles } from '../core/net/network'
import type { ResolveProxy } from '../core/net/proxy'
import { createSettings, type RawStore } from '../core/settings/settings'
import { sweepNewItems } from '../core/vault/vault'
import { type ListModels, listModels, probe } from '../gateway/probe'
import { Account } from '../plans/account/account'
import { Connections } from '../plans/connections/connections'
import { Plans, readPlanModels } from '../plans/plans'
import { Operations } from '../platform/operations'
import { SavedSecretStore, SecretNotes } from '../platform/resources/secret-store'
import { InferenceKeys } from '../playground/inference-keys'
import { Metrics } from '../relay/metrics/metrics'
import { isRelayAnswering, metricsTokenId, type OwnRelay, Routes, relayRoot } from '../relay/routing/routes'
import type { KeyUse } from '../team/other-computers'
import type { Team } from '../team/team'
import { findKeyUses, readKeyUses } from '../tools/journal'
import { recordCheckRequest } from '../usage/ledger-client'
import { type LedgerEntry, ownTools } from '../usage/ports'
import { Webhook } from '../usage/quota/webhook'
import type { ToolFeatureOptions, ToolFeatures } from './tools'

/** Dependencies that differ between the window's main process and the command line. */
export interface CoreOptions extends ToolFeatureOptions {
  readonly version: string
  readonly store: RawStore
  readonly proxyFor: ResolveProxy
  /** The relay of this process. The command line has none. */
  readonly ownRelay?: () => OwnRelay | undefined
  /** Records this app's own requests without waiting. Default: not recorded. */
  readonly addUsage?: (entries: readonly LedgerEntry[]) => void
}

export type Core = ReturnType<typeof createCore>

/** Creates the features without starting anything. */
export function createCore(options: CoreOptions) {
  const { version, dataDir, store, vault, log, proxyFor, confirm } = options
  const { onChanged = () => undefined } = options
  const clock = (): Date => new Date()
  const settings = createSettings(store)
  const audit = new AuditTrail({ dataDir, clock, by: options.by ?? 'commandLine', osUser: userInfo().username, log })
  /** Dependencies of most features. */
  const shared = { dataDir, settings, vault, clock, sleep: sleepMs, random: Math.random, log, confirm, proxyFor, audit }
  let addUsage = options.addUsage ?? (() => undefined)
  const network = createNetwork({ proxyFor, caFiles: () => listCaFiles(settings.read()) })
  const check = recordCheckRequest((request) => probe(request, network.trusting(request.caFile), clock), {
    add: (entries) => addUsage(entries),
    isRelayed: (address) => address.startsWith(relayRoot(settings.read().relay.port, '')),
    plans: () => plans.list(),
  })
  const list: ListModels = (question) => listModels(question, network.send)
  const routes = new Routes({
    settings,
    vault,
    own: options.ownRelay ?? (() => undefined),
    answersAt: (port) => isRelayAnswering(port, network.send),
  })
  const getClockOffsetMs = (connectionId: string): number => connections.getClockOffsetMs(connectionId)
  const getClient = (id: string) => connections.client(id)
  const plans = new Plans({
    ...shared,
    check,
    findUses: () => findKeyUses({ dataDir, settings }),
    getClockOffsetMs,
    readModels: (plan, readKey) => readPlanModels(plan, readKey, { connections, listModels: list }),
  })
  const inferenceKeys = new InferenceKeys(shared)
  const secretNotes = new SecretNotes(shared)
  const platformSecrets = new SavedSecretStore({ ...shared, notes: secretNotes })
  const commands = new AllowedCommands(shared)
  const connections = new Connections({
    ...shared,
    commands,
    planAt: (gatewayUrl) => {
      const plan = plans.list().find((localPlan) => localPlan.gatewayUrl === gatewayUrl)
      return plan && { modelCode: plan.models[0], key: () => plans.readSecret(plans.find(plan.id)) }
    },
    holdsMore: (id) =>
      plans.directory.linked(id).size > 0 ||
      platformSecrets.list(id).length > 0 ||
      settings.read().inferenceKeys.some(({ connectionId }) => connectionId === id),
    async onRemove(id) {
      await inferenceKeys.forget(id)
      await platformSecrets.forgetConnection(id)
    },
    // Plan dates depend on the server clock, so refresh everything that was computed with the previous clock offset.
    onClockMoved: () => onChanged('account', 'connections', 'plans', 'usage'),
  })
  const operations = new Operations({
    ...shared,
    getClient,
    connectionNames: () => new Map(connections.list().map(({ id, name }) => [id, name])),
  })
  const account = new Account({
    ...shared,
    getClient,
    plans,
    toolName,
    onChanged: () => onChanged('account', 'plans', 'register', 'tools'),
    getClockOffsetMs,
  })
  const metrics = new Metrics({ ...shared, token: () => routes.readToken(metricsTokenId) })
  const webhook = new Webhook({ ...shared, send: network.send })
  const loadTools = lazy(async (): Promise<ToolFeatures> => {
    const { createToolFeatures } = await import('./tools')
    const features = { plans, check, listModels: list, account, connections, routes, loadTeam }
    return createToolFeatures({ ...options, ...shared, ...features })
  })
  const loadTeam = lazy(async (): Promise<Team> => {
    const { Team } = await import('../team/team')
    return new Team({
      ...shared,
      // Console addresses identify connections across computers. The built-in sandbox is local.
      places: () =>
        connections
          .list()
          .flatMap(({ id: connectionId, addresses: { consoleUrl: place }, isBuiltIn }) =>
            place === undefined || isBuiltIn ? [] : [{ connectionId, place }],
          ),
      osUser: userInfo().username,
      keyUses: () => accountKeyUses({ dataDir, settings, plans }),
      switchKey: async (pendingSwitch) => (await loadTools()).switchKey(pendingSwitch),
      onChanged: () => onChanged('team', 'register', 'rotation'),
      onUsesChanged: () => void loadTools.peek()?.then(({ rotation }) => rotation.engine.wake()),
    })
  })
  return {
    version,
    dataDir,
    log,
    settings,
    vault,
    plans,
    connections,
    inferenceKeys,
    platformSecrets,
    secretNotes,
    operations,
    account,
    audit,
    network,
    check,
    /** Records the app's own requests, for a process that opens the ledger later. */
    recordUsageWith(add: typeof addUsage): void {
      addUsage = add
    },
    /** Removes keychain items of interrupted writes. */
    sweepNewItems: () => sweepNewItems(shared),
    routes,
    metrics,
    webhook,
    /** Coding tools and key management, loaded on first use. */
    loadTools,
    /** The team's shared database (lead space). Loaded on first use, because it needs a database driver. */
    loadTeam,
    async app(): Promise<AppView> {
      const { platform } = process
      const isKnown = platform === 'linux' || platform === 'darwin' || platform === 'win32'
      return { version, dataDir, platform: isKnown ? platform : 'other', vault: await vault.state() }
    },
    /** Stops all polling and closes all connections, so that the process can exit. */
    async end(): Promise<void> {
      operations.stop()
      webhook.stop()
      account.purchases.stop()
      await (await loadTools.peek())?.rotation.engine.end()
      await (await loadTeam.peek())?.end()
      await connections.end()
      await network.close()
    },
  }
}

/** Lists account keys that tools and routes of this computer use, for the lead space. */
async function accountKeyUses(
  ground: Parameters<typeof readKeyUses>[0] & { readonly plans: Pick<Plans, 'list'> },
): Promise<KeyUse[]> {
  const plans = ground.plans.list()
  const keyUsePromises = readKeyUses(ground).map(async ({ toolId, planId, keyId }) => {
    const plan = plans.find(({ id }) => id === planId)
    const key = plan?.keys.find(({ id }) => id === (keyId ?? plan.defaultKeyId))
    if (plan?.origin === undefined || key?.origin === undefined) return []
    return [{ ...plan.origin, keyId: key.origin.keyId, toolName: await toolName(toolId) }]
  })
  return (await Promise.all(keyUsePromises)).flat()
}

async function toolName(toolId: string): Promise<string> {
  const { targets } = await import('../tools/targets')
  return ownTools[toolId] ?? targets.find(({ id }) => id === toolId)?.name ?? toolId
}
