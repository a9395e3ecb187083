import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventName, EventPayload, RelayView } from '@shared/contract'
import { app } from 'electron'
import { updateStatusLines } from '../cli/statusline'
import { type Core, type CoreOptions, createCore } from '../compose/compose'
import { createUsage } from '../compose/usage'
import { createLauncher, programKind, programPath } from '../core/launcher/launcher'
import { lazy } from '../core/lazy'
import { timeZone } from '../core/local-time'
import { sleepMs } from '../core/net/deadline'
import { proxyFromEnvironment, readProxyList } from '../core/net/proxy'
import { getKeychainAdvice, osKeychain } from '../core/vault/keychain'
import { createVault, noteKept } from '../core/vault/vault'
import type { Plans } from '../plans/plans'
import { Budgets } from '../relay/budgets/budgets'
import { Relay } from '../relay/routing/relay-service'
import { TableBuilder } from '../relay/routing/table'
import { listRoutes } from '../tools/target'
import { targets, writtenTargets } from '../tools/targets'
import { createLedger } from '../usage/ledger-client'
import type { LedgerEntry } from '../usage/ports'
import { QuotaService } from '../usage/quota/quota'
import { readRemaining } from '../usage/quota/remaining'
import { relayProcess } from './processes'
import { startAtLogin } from './start-at-login'

export interface AppPaths {
  readonly dataDir: string
  readonly outDir: string
  /** Command-line arguments that start this app, in addition to its path. */
  readonly startArguments: readonly string[]
}

/** Proxy of the app. Environment variables override the system's settings and PAC script, which may change later. */
const appProxy = proxyFromEnvironment(process.env, async (url) => readProxyList(await app.resolveProxy(url)))

export type AppCore = Awaited<ReturnType<typeof createAppCore>>

/** Sends an event to the window. */
export type SendEvent = <N extends EventName>(name: N, payload: EventPayload<N>) => void

interface AppParts extends Pick<CoreOptions, 'store' | 'log' | 'confirm'> {
  readonly sendEvent: SendEvent
  readonly onChanged: NonNullable<CoreOptions['onChanged']>
  readonly onRelayChanged: (view: RelayView) => void
  /** Called after each query of remaining quotas. */
  readonly onQuotaListed: () => void
}

export async function createAppCore({ dataDir, outDir, startArguments }: AppPaths, parts: AppParts) {
  const { log, sendEvent, onChanged, onRelayChanged, onQuotaListed } = parts
  const { platform } = process
  const clock = (): Date => new Date()
  const vault = createVault({
    keychain: osKeychain(),
    install: getKeychainAdvice(platform),
    sessionAllowed: true,
    onMoved: (accounts) => noteKept(core.settings, accounts),
    onChange: () => onChanged('app', 'plans'),
  })
  const cliPath = join(outDir, 'main/cli.cjs')
  const launcher = createLauncher({ dataDir, platform, execPath: programPath(), kind: programKind(), cliPath })
  // Update an existing launcher, because configured tools start the app through it and the app may have moved or
  // changed version.
  if (existsSync(launcher.path)) launcher.ensure()
  const ledger = createLedger({ dataDir, workerPath: join(outDir, 'main/usage.cjs') })
  const sendUsageDebounced = debounced(() => onChanged('usage'))
  const addUsage = (entries: readonly LedgerEntry[]): void => {
    ledger.add(entries)
    noteRejectedKeys(core.plans, entries)
    sendUsageDebounced()
  }
  let relay: Relay | undefined
  const core = createCore({
    ...parts,
    version: app.getVersion(),
    by: 'window',
    dataDir,
    vault,
    launcher,
    proxyFor: appProxy,
    ownRelay: () => relay,
    addUsage,
    keyUsesSince: async (key, since) => {
      const filter = { scope: 'machine', ...key, from: since.getTime(), to: Date.now() } as const
      const { entries } = await ledger.requests({ filter, onlyErrors: false, limit: 500 })
      const newestByChannel = new Map<string, string>()
      for (const { toolId, at } of entries.toReversed())
        if (toolId) newestByChannel.set(toolId, new Date(at).toISOString())
      return [...newestByChannel].map(([toolId, at]) => ({ toolId, at }))
    },
    listLastUses: () => ledger.listLastUses(),
  })
  const { settings, network } = core
  const quota = new QuotaService({
    ...core,
    ledger,
    clock,
    zone: timeZone,
    onListed: (listed) => {
      updateStatusLines(dataDir, listed, clock())
      onQuotaListed()
    },
    onLateFigures: () => onChanged('quota'),
  })
  const usage = createUsage(core, {
    ledger,
    onChanged: () => onChanged('usage'),
    getCycleDays: (planId) => quota.getCycleDays(planId),
  })
  const toolName = (toolId: string) => targets.find(({ id }) => id === toolId)?.name
  const budgets = new Budgets({ settings, ledger: async () => ledger, clock, zone: timeZone, toolName })
  const toolFeatures = await core.loadTools()
  // The relay process applies changes of settings and keys at run time. `follow` starts it.
  relay = new Relay({
    host: relayProcess(join(outDir, 'main/relay.cjs'), dataDir),
    settings,
    builder: new TableBuilder(core),
    pointed: async () => {
      const setups = await toolFeatures.tools.setups()
      const usesRelay = ({ status, choice }: (typeof setups)[number]): boolean =>
        status !== 'absent' && choice.route === 'relay'
      return [...new Set(setups.filter(usesRelay).map(({ toolId }) => toolId))]
    },
    tools: writtenTargets.filter((target) => listRoutes(target).includes('relay')),
    readRemaining: () => readRemaining({ ...core, quota, budgets }),
    caFiles: network.caFiles,
    startAtLogin: startAtLogin(startArguments),
    sleep: sleepMs,
    log,
    onChanged: onRelayChanged,
  })
  const loadPlayground = lazy(async () => {
    const [{ createPlayground }, { PlaygroundMcpClients }, { createPlaygroundStore }, { createTokenCounter }] =
      await Promise.all([
        import('../compose/playground'),
        import('../playground/mcp-clients'),
        import('../playground/store-client'),
        import('../gateway/tokens/token-counter'),
      ])
    const counter = createTokenCounter(join(outDir, 'main/count.cjs'))
    const features = createPlayground(core, {
      sendProgress: (news) => sendEvent('playground.progress', { news }),
      onChanged: debounced(
        () => onChanged('playground'),
        () => batchDelayMs,
      ),
      store: createPlaygroundStore({ dataDir, workerPath: join(outDir, 'main/playground.cjs') }),
      addUsage,
      countTokens: (texts) => counter.count(texts),
      quotas: () => quota.lastListed(),
    })
    const mcpClients = new PlaygroundMcpClients({
      getLaunch: (toolId, server) => toolFeatures.mcpServers.getLaunch(toolId, server),
      send: network.send,
      version: core.version,
    })
    return {
      ...features,
      mcpClients,
      async end(): Promise<void> {
        await Promise.all([mcpClients.end(), features.end(), counter.end()])
      },
    }
  })
  return {
    ...core,
    ...toolFeatures,
    ledger,
    quota,
    usage,
    budgets,
    relay,
    /** The playground, loaded on first use. */
    playground: {
      load: loadPlayground,
      // A playground that failed to load needs no cleanup.
      end: async (): Promise<void> => (await loadPlayground.peek()?.catch(() => undefined))?.end(),
    },
  }
}

/** Keys that the gateway rejected. Cached, to avoid reading the settings for each successful request. */
const rejectedKeys = new Set<string>()

/** Records keys with a 401 response, and those that are accepted again. */
function noteRejectedKeys(plans: Plans, entries: readonly LedgerEntry[]): void {
  for (const { keyId, error, status = 0 } of entries) {
    if (keyId === undefined) continue
    if (error === 'key') {
      rejectedKeys.add(keyId)
      plans.noteKeyProblem(keyId, 'rejected')
    } else if (status >= 200 && status < 300 && rejectedKeys.delete(keyId)) {
      plans.noteKeyProblem(keyId, undefined, 'rejected')
    }
  }
}

const batchDelayMs = 50

export type WindowPlayground = Awaited<ReturnType<AppCore['playground']['load']>>

/** Debounce for relay usage in ms, enough for the ledger to record the entries. */
const usageDebounceMs = 1000

/** Returns a function that collects calls for a time in ms and then calls `send` once. */
export function debounced(send: () => void, getDelayMs = () => usageDebounceMs): () => void {
  let timer: NodeJS.Timeout | undefined
  return () => {
    if (timer) return
    timer = setTimeout(() => {
      timer = undefined
      send()
    }, getDelayMs())
  }
}

/** Reports new relay usage at most every second. */
export function createRelayNotifier(send: () => void): (view: RelayView) => void {
  let countedRequests = 0
  const sendDebounced = debounced(send)
  return ({ tools }) => {
    const sum = tools.reduce((total, { requests }) => total + requests, 0)
    const hasNewRequests = sum !== countedRequests && sum > 0
    countedRequests = sum
    if (hasNewRequests) sendDebounced()
  }
}

/** Names of the configured tools that need the running relay. Empty when it is stopped. */
export function dependentNames({ settings, relay }: Pick<Core, 'settings'> & { readonly relay: Relay }): string[] {
  if (!relay.isOn()) return []
  const { ways } = settings.read().relay
  return ways.map(({ toolId }) => writtenTargets.find(({ id }) => id === toolId)?.name ?? toolId)
}
