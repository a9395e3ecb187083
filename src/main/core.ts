import { homedir } from 'node:os'
import type { AppView } from '@shared/contract'
import { Connections } from './features/connections'
import { Plans } from './features/plans'
import { Tools } from './features/tools'
import { createGatewayCheck, type GatewayCheck } from './gateway/check'
import { probe } from './gateway/probe'
import type { Launcher } from './launcher'
import { runHelper } from './run-helper'
import { createSettings, type RawStore, type SettingsStore } from './settings/settings'
import { createDetector } from './tools/detect'
import { realDisk } from './tools/disk'
import { environmentOf } from './tools/environment'
import { toolsUsingPlan } from './tools/journal'
import type { Vault } from './vault/vault'

/** What differs between the window's process and the command line. */
export interface CoreOptions {
  readonly version: string
  readonly dataDir: string
  readonly store: RawStore
  readonly vault: Vault
  readonly launcher: Launcher
}

/** The features that the window and the command line share. */
export interface Core {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly plans: Plans
  readonly connections: Connections
  readonly tools: Tools
  readonly check: GatewayCheck
  app(): Promise<AppView>
}

/** Builds the features over the given parts; nothing runs yet. */
export function createCore({ version, dataDir, store, vault, launcher }: CoreOptions): Core {
  const clock = (): Date => new Date()
  const settings = createSettings(store)
  const check = createGatewayCheck(probe, clock)
  const usedBy = (planId: string): readonly string[] => toolsUsingPlan(dataDir, planId)
  const plans = new Plans({ settings, vault, check, clock, usedBy })
  const environment = environmentOf({ home: homedir(), platform: process.platform, vars: process.env })
  const place = { environment, dataDir, disk: realDisk, clock }
  const detect = createDetector(environment)
  const tools = new Tools({ plans, vault, check, place, detect, launcher, runHelper })
  return {
    settings,
    vault,
    plans,
    tools,
    check,
    connections: new Connections({ settings, clock }),
    app: async () => ({ version, dataDir, platform: platformOf(process.platform), vault: await vault.state() }),
  }
}

function platformOf(platform: NodeJS.Platform): AppView['platform'] {
  return platform === 'linux' || platform === 'darwin' || platform === 'win32' ? platform : 'other'
}
