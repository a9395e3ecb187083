import { execFile } from 'node:child_process'
import { homedir, userInfo } from 'node:os'
import { promisify } from 'node:util'
import type { ToolView } from '@shared/contract'
import type { AuditPort } from './audit/port'
import { followRotation } from './budgets/budgets'
import type { Core, CoreOptions } from './compose'
import { Handouts } from './handout/handouts'
import { mcpPermissionsOf, revokeMcp } from './mcp/permissions'
import { sleepFor } from './platform/deadline'
import { Profiles } from './profiles/profiles'
import { Register } from './register/register'
import type { RotationEvent } from './rotation/ports'
import { Rotation } from './rotation/rotation'
import { keyUses } from './routing/upstream-choices'
import { createProjectFolders, distributionsOf, type ProjectFolders } from './setups/config-scopes'
import { isWrittenProject } from './setups/configured-tools'
import { createDetector } from './tools/detect'
import { realDisk } from './tools/disk'
import { Doctor } from './tools/doctor/doctor'
import { environmentOf } from './tools/environment'
import { damagedJournals } from './tools/journal'
import { createLoginShell } from './tools/login-shell'
import { McpServers } from './tools/mcp-servers'
import { targets, writtenTarget } from './tools/targets'
import type { HelperRun } from './tools/tool-settings'
import { Tools, type ToolsDeps } from './tools/tools'

/** What knows the coding tools: their targets, editors and libraries are most of what the command line would load. */
export interface ToolFeatures {
  readonly tools: Tools
  /** Which projects may be used. */
  readonly projects: ProjectFolders
  /** The MCP server of this app in coding tools. */
  readonly mcpServers: McpServers
  readonly profiles: Profiles
  readonly doctor: Doctor
  readonly register: Register
  readonly handouts: Handouts
  /** Nothing is followed before `follow`. */
  readonly rotation: Rotation
}

type Below = Pick<Core, 'settings' | 'plans' | 'check' | 'audit' | 'account' | 'connections' | 'routes'>

/** Builds the features of the coding tools and of the care of keys over a core; nothing runs yet. */
export function createToolFeatures(
  core: Below,
  options: Pick<CoreOptions, 'dataDir' | 'vault' | 'launcher' | 'log' | 'kitWorkFactor' | 'confirm' | 'by'>,
): ToolFeatures {
  const { settings, plans, check, audit, routes } = core
  const { dataDir, vault, launcher, confirm, by } = options
  const clock = (): Date => new Date()
  const environment = environmentOf({ home: homedir(), platform: process.platform, vars: process.env })
  const place = { environment, dataDir, disk: realDisk, clock }
  const projects = createProjectFolders({ confirm, isWritten: (folder) => isWrittenProject(folder, place) })
  // In a terminal the person types the folder; a call of the window may name any.
  const guard = by === 'window' ? { requireProject: (folder: string) => projects.require(folder) } : {}
  const machine = { place, distributions: distributionsOf(process.platform, realDisk), ...guard }
  const detect = createDetector(environment)
  const loginShell = createLoginShell()
  const ports = { plans, vault, relay: routes, check, machine, detect, launcher, runHelper, loginShell }
  const tools = new AuditedTools({ audit, ...ports })
  return {
    tools,
    projects,
    mcpServers: new McpServers({
      ...{ machine, launcher, audit },
      permissions: (toolId) => mcpPermissionsOf(settings, toolId),
      revoke: (toolId) => revokeMcp(settings, toolId),
    }),
    profiles: new Profiles({ settings, plans, tools, clock }),
    doctor: new Doctor({ target: writtenTarget, depsAt: (target, site) => tools.examination(target, site) }),
    ...createKeyFeatures({ ...core, tools, clock }, options),
  }
}

type Ground = Below & { readonly tools: Tools; readonly clock: () => Date }

function createKeyFeatures(
  { connections, ...parts }: Ground,
  options: Pick<CoreOptions, 'dataDir' | 'vault' | 'log' | 'kitWorkFactor' | 'onRegisterChanged'>,
) {
  const { dataDir, vault, log, kitWorkFactor: workFactor, onRegisterChanged } = options
  const { settings, plans, check, audit, account, routes, tools, clock } = parts
  const late = onRegisterChanged ? { onLate: onRegisterChanged } : {}
  const toolName = (toolId: string): string => targets.find(({ id }) => id === toolId)?.name ?? toolId
  const uses = () =>
    keyUses({ dataDir, settings }).map(({ toolId, ...use }) => ({ toolName: toolName(toolId), ...use }))
  const consoles = () => connections.list().flatMap(({ id, addresses }) => (addresses.consoleUrl ? [id] : []))
  const unknownTools = () => damagedJournals(dataDir).map(({ toolId }) => toolName(toolId))
  const register = new Register({ settings, plans, account, audit, clock, consoles, uses, unknownTools, ...late })
  const sender = (): string => userInfo().username
  const rotation = new Rotation({
    settings,
    account,
    plans,
    tools,
    relay: routes,
    check,
    clock,
    log,
    sleep: sleepFor,
    holdersOf: (key) => register.holdersOf(key),
    handoverOf: (keys) => handouts.handoverOf(keys),
    tell: (event) => note(event, { register, audit, settings }),
  })
  const handouts = new Handouts({
    ...{ settings, plans, account, audit, clock, vault, register, disk: realDisk, sender, workFactor },
    onAcknowledged: () => rotation.wake(),
  })
  return { register, rotation, handouts }
}

function note(
  event: RotationEvent,
  { register, audit, settings }: { readonly register: Register; readonly audit: AuditPort } & Pick<Core, 'settings'>,
): void {
  const { what, planId, planName, oldKeyId, oldKeyName, newKeyId, newKeyName, newKeyAt, step } = event
  // As soon as both keys are here, and once more behind the next step: a kill may have come between.
  const isKept = what === 'rotationStep' && (step === 'keep' || step === 'check')
  if (isKept && newKeyId !== undefined) {
    register.noteRotated({ planId, oldKeyId, newKeyId })
    followRotation(settings, { oldKeyId, newKeyId })
  }
  if (what === 'rotationUndone' && newKeyAt) register.forgetKey(newKeyAt)
  void audit.note({ what, planName, keyName: oldKeyName, subject: [newKeyName, step].filter(Boolean).join(': ') })
}

const run = promisify(execFile)

/** Runs a helper command through the shell, as the tools do, within 15 s; its output goes nowhere but to the caller. */
export const runHelper: HelperRun = async (command) => {
  const [shell, flag] = process.platform === 'win32' ? ['cmd.exe', '/c'] : ['/bin/sh', '-c']
  const { stdout } = await run(shell, [flag, command], { timeout: 15_000, windowsHide: true })
  return stdout
}

/** The coding tools, with every write to one in the audit trail. */
export class AuditedTools extends Tools {
  readonly #audit: AuditPort

  constructor({ audit, ...deps }: ToolsDeps & { readonly audit: AuditPort }) {
    super(deps)
    this.#audit = audit
  }

  override async carryOutMany(previewId: string): Promise<ToolView[]> {
    const views = await super.carryOutMany(previewId)
    for (const { name, applied } of views) {
      await this.#audit.note({ what: 'toolWritten', planName: applied?.planName, subject: name })
    }
    return views
  }
}
