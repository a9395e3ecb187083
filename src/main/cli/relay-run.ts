import { unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { RelayRoute } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { toAppError } from '@shared/failure'
import { lazy } from '../core/lazy'
import { formatExactTime } from '../core/local-time'
import { createWorkQueue } from '../core/work-queue'
import { engineFlags } from '../relay/ports'
import { startRelayProgram } from '../relay/routing/relay-program'
import { findUpstream, relayRoot } from '../relay/routing/routes'
import { type BuiltTable, TableBuilder, type TableSettings, toSettingsFingerprint } from '../relay/routing/table'
import { anyTarget, targets } from '../tools/targets'
import type { LedgerProblem } from '../usage/ledger-client'
import { readRemaining } from '../usage/quota/remaining'
import type { CommandContext } from './context'
import { openUsage } from './context'
import type { RelayOptions } from './lazy-commands'
import { inputError, printOutput, table } from './output'

/** Poll interval of the settings in ms, because another process may rotate a key or change a route. */
const pollIntervalMs = 500
const shutdownGraceMs = 2000
/** Interval in ms at which the quotas in the status line and the metrics are refreshed. */
const refreshIntervalMs = minuteMs

/** Runs the relay until a signal. Fails with `relay.portInUse`, `input.invalid`, `plan.notFound` or `vault.*`. */
export async function runRelay(context: CommandContext, options: RelayOptions): Promise<void> {
  const { core, output, outDir } = context
  const { dataDir, log, settings, network } = core
  const routedTools = settings.read().relay.ways.map(({ toolId }) => toolId)
  const defaultTools = options.plan === undefined ? routedTools : [...routedTools, ...targets.map(({ id }) => id)]
  const toolIds = [...new Set(options.tool?.map((toolId) => anyTarget(toolId).id) ?? defaultTools)]
  const builder = new TableBuilder(core)
  const readTableSettings = (): TableSettings => readCommandSettings(core, toolIds, options)
  const relayBuild = await builder.build(readTableSettings())
  requireServableTool(relayBuild)
  for (const flag of engineFlags) setFlagsFromString(flag)
  const relay = await startRelayProgram({
    dataDir,
    workerPath: join(outDir, 'usage.cjs'),
    countPath: join(outDir, 'count.cjs'),
    port: options.port ?? settings.read().relay.port,
    table: relayBuild.table,
    caFiles: network.caFiles(),
    onSwitch: (toolId, { untilMs, from, to }) => {
      const toName = ({ planId }: RelayRoute) => core.plans.list().find(({ id }) => id === planId)?.name ?? planId
      const until = formatExactTime(new Date(untilMs).toISOString())
      output.err(`companion: ${toName(from)} is overloaded. ${toolId} uses ${toName(to)} until ${until}.\n`)
    },
    onTrouble: (trouble) => output.err(`companion: ${formatLedgerTrouble(trouble)}\n`),
  })
  const openedUsage = openUsage(context, relay.ledger)
  // One instance for all calls, because it caches the consoles' responses. Listing quotas also updates the status line.
  const quota = lazy(() => openedUsage.quota())
  const refresh = (): void =>
    void readRemaining({
      ...core,
      quota: { list: async () => (await quota()).list() },
      budgets: { list: async () => (await openedUsage.budgets()).list() },
    }).then(relay.setRemaining, (error: unknown) => log.error('relay.remaining', error))
  let fingerprint = toSettingsFingerprint(readTableSettings())
  const applySettings = async (): Promise<void> => {
    const current = readTableSettings()
    const newFingerprint = toSettingsFingerprint(current)
    if (newFingerprint === fingerprint) return
    fingerprint = newFingerprint
    const { table } = await builder.build(current)
    relay.setTable(table)
    if (table.metrics !== undefined) refresh()
  }
  const enqueue = createWorkQueue()
  // Ignore that the named plan was deleted. Its tools keep their routes.
  const onSettingsChange = (): void => void enqueue(applySettings).catch(() => undefined)
  const settingsPath = join(dataDir, 'settings.json')
  watchFile(settingsPath, { interval: pollIntervalMs }, onSettingsChange)
  const stopSignal = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  const refreshTimer = setInterval(refresh, refreshIntervalMs)
  if (relayBuild.table.metrics !== undefined) refresh()
  printRelayStatus(context, relay.port, relayBuild, readTableSettings())
  await stopSignal
  clearInterval(refreshTimer)
  unwatchFile(settingsPath, onSettingsChange)
  await relay.close(shutdownGraceMs)
}

function formatLedgerTrouble(trouble: LedgerProblem): string {
  if (trouble.kind === 'kept') return 'Usage is saved again, including requests that waited.'
  if (trouble.kind === 'lost') return `Usage of ${trouble.requests} requests was not saved.`
  return `${trouble.failure.message} Requests are served, their usage waits.`
}

/** Settings for this command: not paused, and tools without a route use the plan named in the options. */
function readCommandSettings(
  { settings, plans }: CommandContext['core'],
  toolIds: readonly string[],
  { plan, allowUncounted }: RelayOptions,
): TableSettings {
  const planId = plan === undefined ? undefined : plans.find(plan).id
  const relaySettings = settings.read()
  const relayRoutes = toolIds.flatMap((toolId) => {
    const relayRoute = findUpstream(relaySettings.relay.ways, toolId)
    if (relayRoute) return [relayRoute]
    return planId === undefined ? [] : [{ toolId, planId, failover: [] }]
  })
  const allowsUncounted = allowUncounted ?? relaySettings.relay.allowsUncounted
  return { ...relaySettings, relay: { ...relaySettings.relay, ways: relayRoutes, isPaused: false, allowsUncounted } }
}

/** Fails if no tool can be served. */
function requireServableTool({ table: { clients, mcp = [] }, failures }: BuiltTable): void {
  const [failure] = failures.values()
  if (mcp.length > 0 || clients.some(({ upstreams }) => upstreams.length > 0)) return
  if (failure) throw toAppError(failure)
  throw inputError('No tool uses the relay yet. Choose a plan with --plan to serve every tool.', 'plan')
}

function printRelayStatus(
  { core, output }: CommandContext,
  port: number,
  { table: { clients }, failures }: BuiltTable,
  { relay: { ways } }: TableSettings,
): void {
  const address = `http://127.0.0.1:${port}`
  const tools = clients.map(({ toolId, token }) => ({
    toolId,
    address: relayRoot(port, toolId),
    token: token.expose(),
  }))
  const rows = clients.map(({ toolId }) => {
    const planId = findUpstream(ways, toolId)?.planId
    const planName = core.plans.list().find(({ id }) => id === planId)?.name ?? '-'
    return [toolId, relayRoot(port, toolId), planName, failures.get(toolId)?.message ?? '']
  })
  printOutput(output, { address, port, tools }, () => [
    `Relay listening at ${address} (Ctrl+C stops it). "companion key print --relay <tool>" prints the token of a tool.`,
    ...table(['TOOL', 'ADDRESS', 'PLAN', ''], rows),
  ])
}
