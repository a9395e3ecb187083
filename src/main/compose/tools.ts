import { execFile } from 'node:child_process'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AuditEntry, EventPayload } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Confirm } from '../core/consent/consent'
import { createEnvironment } from '../core/environment'
import { realDisk } from '../core/files/disk'
import type { Launcher } from '../core/launcher/launcher'
import { sleepMs } from '../core/net/deadline'
import type { AuditPort, Log } from '../core/ports'
import type { SettingsStore } from '../core/settings/settings'
import type { Vault } from '../core/vault/vault'
import type { GatewayCheck, ListModels } from '../gateway/probe'
import { Handouts } from '../keys/handout/handouts'
import { Register } from '../keys/register/register'
import { KeySwitch } from '../keys/rotation/key-switch'
import type { RotationEvent, RotationPorts } from '../keys/rotation/ports'
import { followScheduledKey, Rotation } from '../keys/rotation/rotation'
import { listMcpPermissions, revokeMcpAccess } from '../mcp/services'
import type { Account } from '../plans/account/account'
import type { Connections } from '../plans/connections/connections'
import type { Plans } from '../plans/plans'
import { followRotation } from '../relay/budgets/budgets'
import type { Routes } from '../relay/routing/routes'
import type { PendingSwitch } from '../team/other-computers'
import type { Team } from '../team/team'
import { createToolDetector } from '../tools/detect'
import { listDamagedJournals, readKeyUses } from '../tools/journal'
import { createLoginShell } from '../tools/login-shell'
import { McpServers } from '../tools/mcp-servers'
import { Profiles } from '../tools/profiles/profiles'
import { createDistributions, createProjectFolders } from '../tools/setups/config-scopes'
import { isConfiguredProject } from '../tools/setups/setup-views'
import type { HelperRun } from '../tools/status'
import { targets } from '../tools/targets'
import { Tools } from '../tools/tools'
import type { KeyLastUse } from '../usage/ports'

/** Coding tools with their targets, editors and libraries, which dominate the command line's load time. */
export type ToolFeatures = ReturnType<typeof createToolFeatures>

/** Options of the core that it passes on to these features. */
export interface ToolFeatureOptions {
  readonly dataDir: string
  readonly vault: Vault
  readonly launcher: Launcher
  readonly log: Log
  /** Asks the user outside of the page: in a native dialog or the terminal. */
  readonly confirm: Confirm
  /** Origin of audit entries. Default: command line. */
  readonly by?: AuditEntry['by']
  /** scrypt work factor (log2 N) for passphrases of key files. */
  readonly kitWorkFactor?: number
  /** Called when data of these domains may have changed without a call, for example by a late response. */
  readonly onChanged?: (...domains: EventPayload<'data.changed'>['domains']) => void
  readonly keyUsesSince?: RotationPorts['keyUsesSince']
  readonly listLastUses?: () => Promise<readonly KeyLastUse[]>
}

interface ToolFeatureDeps extends ToolFeatureOptions {
  readonly settings: SettingsStore
  readonly plans: Plans
  readonly check: GatewayCheck
  readonly listModels: ListModels
  readonly audit: AuditPort
  readonly account: Account
  readonly connections: Connections
  readonly routes: Routes
  readonly loadTeam: () => Promise<Team>
}

/** Creates the features without starting anything. */
export function createToolFeatures(deps: ToolFeatureDeps) {
  const { settings, plans, audit, account, connections, routes, loadTeam, dataDir, confirm, onChanged } = deps
  const clock = (): Date => new Date()
  const environment = createEnvironment({ home: homedir(), platform: process.platform, vars: process.env })
  const engineContext = { environment, dataDir, disk: realDisk, clock }
  const projects = createProjectFolders({ confirm, isWritten: (folder) => isConfiguredProject(folder, engineContext) })
  // Calls from the window could name any folder, so a project folder needs consent. On the command line, the user
  // types the folder.
  const projectGuard = deps.by === 'window' ? { requireProject: (folder: string) => projects.require(folder) } : {}
  const distributions = createDistributions(process.platform, realDisk)
  const machine = { place: engineContext, distributions, ...projectGuard }
  const tools = new Tools({
    ...deps,
    relay: routes,
    machine,
    detect: createToolDetector(environment, { cacheFile: join(dataDir, 'tool-versions.json') }),
    runHelper,
    loginShell: createLoginShell(),
  })
  const toolName = (toolId: string): string => targets.find(({ id }) => id === toolId)?.name ?? toolId
  const register = new Register({
    ...deps,
    clock,
    consoles: () => connections.consoleIds(),
    uses: () =>
      readKeyUses({ dataDir, settings }).map(({ toolId, ...use }) => ({ toolName: toolName(toolId), ...use })),
    unknownTools: () => listDamagedJournals(dataDir).map(({ toolId }) => toolName(toolId)),
    onLate: () => onChanged?.('register'),
    onLeave: () => rotation.engine.wake(),
  })
  const switchPorts = { ...deps, tools, relay: routes }
  const keySwitch = new KeySwitch(switchPorts)
  const openTeam = async () => (settings.read().team ? (await loadTeam()).open() : undefined)
  const rotation = new Rotation({
    ...switchPorts,
    clock,
    sleep: sleepMs,
    listHolders: (key) => register.listHolders(key),
    listHandovers: (keys) => handouts.listHandovers(keys),
    notify: (event) => noteRotationEvent(event, { register, audit, settings }),
    lease: async () => (await openTeam())?.lease,
    findOtherUses: async (key) => (await openTeam())?.computers.findUses(key),
  })
  const handouts = new Handouts({
    ...deps,
    clock,
    register,
    keySwitch,
    disk: realDisk,
    sender: () => userInfo().username,
    workFactor: deps.kitWorkFactor,
    onAcknowledged: () => rotation.engine.wake(),
    acknowledgeInTeam: async (hash) => (settings.read().team ? (await loadTeam()).acknowledge(hash) : undefined),
  })
  return {
    tools,
    projects,
    mcpServers: new McpServers({
      ...deps,
      machine,
      permissions: (toolId) => listMcpPermissions(settings, toolId),
      revoke: (toolId) => revokeMcpAccess(settings, toolId),
      relay: routes,
    }),
    profiles: new Profiles({ settings, plans, tools, clock }),
    register,
    rotation,
    handouts,
    /** Switches tools to the new key of another computer's rotation. */
    switchKey: (pendingSwitch: PendingSwitch) => switchKey(pendingSwitch, { plans, account, keySwitch }),
  }
}

function noteRotationEvent(
  { what, record, step }: RotationEvent,
  { register, audit, settings }: Pick<ToolFeatureDeps, 'audit' | 'settings'> & { readonly register: Register },
): void {
  const { planId, planName, origin, oldKey, newKey } = record
  const [oldKeyId, newKeyId] = [oldKey.id, newKey.id]
  // Record the new key after the step `keep`, and again after `check` in case the process was killed in between.
  const isNewKeyStep = what === 'rotationStep' && (step === 'keep' || step === 'check')
  if (isNewKeyStep && newKeyId !== undefined) {
    register.noteRotated({ planId, oldKeyId, newKeyId })
    followRotation(settings, { oldKeyId, newKeyId })
    followScheduledKey(settings, { oldKeyId, newKeyId })
  }
  if (what === 'rotationUndone' && newKeyId !== undefined)
    followScheduledKey(settings, { oldKeyId: newKeyId, newKeyId: oldKeyId })
  if (what === 'rotationUndone' && newKey.keyId !== undefined) register.forgetKey({ ...origin, keyId: newKey.keyId })
  void audit.note({ what, planName, keyName: oldKey.name, subject: [newKey.name, step].filter(Boolean).join(': ') })
}

/**
 * Follows another computer's rotation: saves and tests the new key, and switches all local uses of the old key.
 * Switches as many as possible, then fails with the first problem that the user must solve.
 */
async function switchKey(
  { oldKey, newKeyId }: PendingSwitch,
  { plans, account, keySwitch }: Pick<ToolFeatureDeps, 'plans' | 'account'> & { readonly keySwitch: KeySwitch },
): Promise<void> {
  const { keyId: oldKeyId, ...origin } = oldKey
  const plan = plans.directory.localPlan(origin)
  const previousKey = plan?.keys.find((key) => key.origin?.keyId === oldKeyId)
  if (plan === undefined || previousKey === undefined) return
  const findLocalKey = () =>
    plans.view(plan.id).keys.find((key) => key.origin?.keyId === newKeyId && key.kept !== 'missing')
  if (findLocalKey() === undefined) await account.keepKey({ ...origin, keyId: newKeyId })
  const key = findLocalKey()
  if (key === undefined) throw new AppError('key.notFound', 'The new key could not be saved on this computer.')
  const results = await keySwitch.switchTools({ planId: plan.id, oldKeyIds: [previousKey.id], newKeyId: key.id })
  const failure = results.find((result) => result.state === 'failed')?.failure
  if (failure) throw new AppError(failure.code, failure.message)
}

const run = promisify(execFile)

/** Runs a helper command in a shell like the tools do, at most 15 s. Its output goes only to the caller. */
const runHelper: HelperRun = async (command) => {
  const [shell, flag] = process.platform === 'win32' ? ['cmd.exe', '/c'] : ['/bin/sh', '-c']
  const { stdout } = await run(shell, [flag, command], { timeout: 15_000, windowsHide: true })
  return stdout
}
