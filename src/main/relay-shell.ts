import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventPayload } from '@shared/contract'
import type { Core } from './core'
import { Relay } from './features/relay'
import type { ProxyFor } from './net/proxy'
import { sleepFor } from './platform/deadline'
import type { Log } from './ports'
import { relayProcess } from './relay-process'
import { TableBuilder } from './routing/table'
import type { StartAtLogin } from './start-at-login'
import type { ToolFeatures } from './tool-features'
import { routesOf } from './tools/target'
import { writtenTargets } from './tools/targets'

export interface RelayParts {
  readonly dataDir: string
  readonly outDir: string
  readonly proxyFor: ProxyFor
  readonly startAtLogin: StartAtLogin
  readonly log: Log
  readonly tellRelay: (view: EventPayload<'relay.changed'>) => void
}

/** The relay of the app: a process of its own that follows settings and vault. It runs once it is told to follow. */
export function createRelay(core: Core & ToolFeatures, parts: RelayParts): Relay {
  const { dataDir, outDir, proxyFor, startAtLogin, log, tellRelay } = parts
  const { settings, plans, routes, connections, tools } = core
  return new Relay({
    host: relayProcess(join(outDir, 'main/relay.cjs'), dataDir),
    settings,
    builder: new TableBuilder({
      secretOf: (plan, keyId) => plans.secretOf(plan, keyId),
      tokenOf: (toolId) => routes.tokenOf(toolId),
      proxyFor,
    }),
    pointed: async () => {
      const setups = await tools.setups()
      const isPointed = ({ status, choice }: (typeof setups)[number]): boolean =>
        status !== 'absent' && choice.route === 'relay'
      return [...new Set(setups.filter(isPointed).map(({ toolId }) => toolId))]
    },
    tools: writtenTargets.filter((target) => routesOf(target).includes('relay')),
    // One that is gone is a matter of its connection, not of every tool.
    caFiles: () => connections.list().flatMap(({ caFile }) => (caFile && existsSync(caFile) ? [caFile] : [])),
    startAtLogin,
    sleep: sleepFor,
    log,
    tell: tellRelay,
  })
}

/** Names of the tools that fail once the relay of the app ends: those that it has something for; none while it does not run. */
export function dependentNames({ settings, relay }: Pick<Core, 'settings'> & { readonly relay: Relay }): string[] {
  if (!relay.isOn()) return []
  const nameOf = (toolId: string): string => writtenTargets.find(({ id }) => id === toolId)?.name ?? toolId
  return settings.read().relay.ways.map(({ toolId }) => nameOf(toolId))
}
