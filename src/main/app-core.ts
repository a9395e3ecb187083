import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { createAppPlayground, type PlaygroundNews } from './app-playground'
import { type AppUsage, createAppUsage, gathered, openLedger } from './app-usage'
import { type Core, type CoreOptions, createCore } from './core'
import type { Relay } from './features/relay'
import { launcherOf } from './launcher'
import { type ProxyFor, readProxyList } from './net/proxy'
import type { AppPlayground } from './playground-features'
import { createRelay, type RelayParts } from './relay-shell'
import { startAtLogin } from './start-at-login'
import type { ToolFeatures } from './tool-features'
import type { LedgerEntry } from './usage/entry'
import { keychainAdvice, osKeychain } from './vault/keychain'
import { createVault } from './vault/vault'

/** Where the app is. */
export interface AppPlace {
  readonly dataDir: string
  /** The folder of the built files. */
  readonly outDir: string
  /** What the app has to be started with, beside its own path, to be this one. */
  readonly startArguments: readonly string[]
}

/** What the system's settings say, for each address anew: they may change while the app runs. The session of the page has a proxy of its own. */
const systemProxy: ProxyFor = async (url) => readProxyList(await app.resolveProxy(url))

/** The core with the coding tools, the relay and what is counted. */
export type AppCore = Core & ToolFeatures & AppUsage & { readonly relay: Relay; readonly playground: AppPlayground }

interface AppParts
  extends Pick<CoreOptions, 'store' | 'log' | 'confirm' | 'onAccountChanged'>,
    Pick<RelayParts, 'tellRelay'> {
  /** There are new figures of usage. */
  readonly onUsageChanged: () => void
  /** The keychain is there no more. */
  readonly onKeychainLost: () => void
  readonly playgroundNews: PlaygroundNews
}

/** Builds the core for Electron: its keychain may hold keys for the session only, its proxies are the system's. */
export async function createAppCore(
  { dataDir, outDir, startArguments }: AppPlace,
  { tellRelay, onUsageChanged, onKeychainLost, playgroundNews, ...parts }: AppParts,
): Promise<AppCore> {
  let relay: Relay | undefined
  const { platform, execPath } = process
  const install = keychainAdvice(platform)
  const vault = createVault({ keychain: osKeychain(), install, sessionAllowed: true, onLost: onKeychainLost })
  const cliPath = join(outDir, 'main/cli.cjs')
  const launcher = launcherOf({ dataDir, platform, execPath, isElectron: true, cliPath })
  // Tools that were configured before must find this version of the app, wherever it is now.
  if (existsSync(launcher.path)) launcher.ensure()
  const ledger = openLedger({ dataDir, outDir })
  const tellUsageSoon = gathered(onUsageChanged)
  const addUsage = (entries: readonly LedgerEntry[]): void => {
    ledger.add(entries)
    tellUsageSoon()
  }
  const core = createCore({
    version: app.getVersion(),
    by: 'window',
    dataDir,
    vault,
    launcher,
    proxyFor: systemProxy,
    ownRelay: () => relay,
    addUsage,
    ...parts,
  })
  const figures = createAppUsage(core, { dataDir, ledger, log: parts.log, onChanged: onUsageChanged })
  const whole = { ...core, ...(await core.loadTools()), ...figures }
  const own = { dataDir, outDir, log: parts.log, proxyFor: systemProxy, startAtLogin: startAtLogin(startArguments) }
  relay = createRelay(whole, { ...own, tellRelay })
  return { ...whole, relay, playground: createAppPlayground(whole, { ...own, addUsage, ...playgroundNews }) }
}
