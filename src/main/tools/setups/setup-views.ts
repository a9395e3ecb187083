import type { SetupView, Site, ToolChoice, ToolStatus, ToolView, ToolWarning } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import type { EngineContext } from '../../core/environment'
import { findKeyProblem } from '../../plans/plan-directory'
import { applyRoute } from '../../relay/routing/routes'
import { buildTargetInput } from '../apply'
import { findBlockers } from '../conflicting-settings'
import type { Detection } from '../detect'
import { readHistory } from '../history'
import { type Journal, listDamagedJournals, readAllJournals, readJournal } from '../journal'
import { editName, settingName } from '../owned-settings'
import { readFiles, readToolStatus } from '../status'
import {
  isSameSite,
  listRoutes,
  type SettingsByFile,
  type Target,
  toSetupId,
  userSite,
  type WrittenTarget,
} from '../target'
import { writtenTargets } from '../targets'
import { modelCodes } from '../targets/shared'
import { findContext, type SetupEnvironment } from './config-scopes'
import { buildExpectedRequest, type RequestDeps } from './setup-request'

export interface ViewDeps extends RequestDeps {
  readonly machine: SetupEnvironment
  readonly detect: (target: Target) => Promise<Detection>
  /** Folders in which tools start. Settings files there may override the user's settings. Default: known projects. */
  readonly workFolders?: readonly string[] | undefined
}

type Setup = Omit<SetupView, 'site'>

/** A tool with its setups in all scopes: the user's home, projects and WSL distributions. */
export async function buildToolView(target: Target, deps: ViewDeps): Promise<ToolView> {
  const detection = await deps.detect(target)
  const { id, name, kind, standard, executables, install, sites, evidence } = target
  const startCommand = target.start ?? executables[0]
  const commonFields = {
    id,
    name,
    standard,
    ...detection,
    ...(startCommand ? { start: startCommand } : {}),
    ...(install ? { install } : {}),
    ...(evidence.kind === 'run' ? { triedVersion: evidence.version } : {}),
  }
  if (target.kind !== 'written') return { ...commonFields, kind, ...emptySetup }
  const setup = await buildSetup(target, userSite, deps)
  const hasNoSetup = setup.file === ''
  const projectJournals = listJournals(id, deps.machine.place.dataDir).filter(({ site }) => site.kind !== 'user')
  return {
    ...commonFields,
    ...(target.requestSuffix === '/responses' ? { speaks: 'responses' as const } : {}),
    kind: hasNoSetup ? 'unsupported' : kind,
    ...(hasNoSetup ? { reason: 'platform' as const } : {}),
    deliveries: [...target.deliveries],
    routes: [...listRoutes(target)],
    slots: target.slots.map(({ id, isSmall = false }) => ({ id, isSmall })),
    sites: [...sites],
    needsRestart: target.needsRestart,
    ...setup,
    setups: await Promise.all(
      projectJournals.map(async ({ site }) => ({ site, ...(await buildSetup(target, site, deps)) })),
    ),
  }
}

/**
 * Plan, key, model and route of a tool's setup. If the tool uses the relay, plan and key are those of its relay
 * route. `plan` and `expected`, the request that the plan requires now, are undefined if the plan was removed.
 */
function resolveSetup({ toolId, site, choice: writtenChoice }: Journal, deps: RequestDeps) {
  const choice = applyRoute(writtenChoice, deps.relay.getUpstream(toolId))
  const plan = deps.plans.list().find(({ id }) => id === choice.planId)
  return { choice, plan, expected: plan && buildExpectedRequest(plan, { ...choice, toolId, site }, deps) }
}

/** State of a tool in a scope. `setup` is undefined if this app did not configure the tool. */
export async function readToolState(target: WrittenTarget, site: Site, deps: ViewDeps) {
  const context = await findContext(deps.machine, site)
  const { journal } = await readJournal(target.id, context).catch(() => ({ journal: undefined }))
  const setup = journal && resolveSetup(journal, deps)
  const keyId = setup?.choice.keyId
  const isKeyAvailable = keyId === undefined || setup?.plan?.keys.some(({ id }) => id === keyId)
  const state = await readToolStatus(target, isKeyAvailable ? setup?.expected : undefined, context)
  return { ...state, context, setup: state.journal && setup }
}

async function buildSetup(target: WrittenTarget, site: Site, deps: ViewDeps): Promise<Setup> {
  const context = await findContext(deps.machine, site).catch(() => undefined)
  if (context === undefined) return buildUnreachableSetup(target, site, deps)
  const { journal, found, status, problem, drift, settings, files } = await readToolState(target, site, deps)
  const conflicts = settings && journal ? await listBlockers(target, settings, journal, context, deps) : []
  const appliedJournal = status === 'absent' ? undefined : journal
  const isRelayed = appliedJournal?.choice.route === 'relay'
  const isOutdated = status === 'drifted' && (await readToolStatus(target, undefined, context)).status === 'configured'
  return {
    status,
    ...(problem ? { problem } : {}),
    drift: [...drift],
    file: files[0]?.path ?? '',
    files: [...files],
    ...(appliedJournal ? { applied: toAppliedView(appliedJournal, deps) } : {}),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    ...(isOutdated ? { isOutdated } : {}),
    ...(isRelayed && !(await deps.relay.isOn()) ? { relayOff: true } : {}),
    ...(found ? { found } : {}),
  }
}

export async function listBlockers(
  target: WrittenTarget,
  settings: SettingsByFile,
  journal: Journal,
  place: EngineContext,
  deps: ViewDeps,
): Promise<ToolWarning[]> {
  const { environment, disk } = place
  const fileSearch = { environment, disk, workFolders: listWorkFolders(target, place, deps) }
  const { choice, plan } = resolveSetup(journal, deps)
  const models = modelCodes({ ...choice, models: plan?.models ?? [] })
  return findBlockers(target, settings, { base: choice.base, models }, fileSearch)
}

/** Folders in which the tool uses the user's settings. Excludes projects with a setup of their own. */
export function listWorkFolders({ id }: WrittenTarget, { dataDir }: EngineContext, { workFolders }: ViewDeps) {
  const projects = readAllJournals(dataDir).flatMap(({ toolId, site }) =>
    site.kind === 'project' ? [{ toolId, folder: site.folder }] : [],
  )
  const folders = new Set(workFolders ?? projects.map(({ folder }) => folder))
  for (const { toolId, folder } of projects) if (toolId === id) folders.delete(folder)
  return [...folders]
}

function buildUnreachableSetup({ id, name }: WrittenTarget, site: Site, deps: ViewDeps): Setup {
  const siteName = site.kind === 'project' ? site.folder : site.kind === 'wsl' ? site.distribution : ''
  const message = `The settings of ${name} in ${siteName} cannot be reached.`
  const journal = listJournals(id, deps.machine.place.dataDir).find((candidate) => isSameSite(candidate.site, site))
  return {
    status: 'unreadable',
    problem: { code: 'file.unreadable', message },
    drift: [],
    file: siteName,
    files: [],
    ...(journal ? { applied: toAppliedView(journal, deps) } : {}),
  }
}

function toAppliedView(journal: Journal, deps: ViewDeps): NonNullable<ToolView['applied']> {
  const { choice, plan } = resolveSetup(journal, deps)
  const { base: _, ...fields } = choice
  const keyName = plan?.keys.find(({ id }) => id === choice.keyId)?.name
  const keyProblem = plan ? findKeyProblem(plan, choice.keyId, new Date()) : 'keyMissing'
  return { ...fields, planName: plan?.name, keyName, at: journal.at, ...(keyProblem ? { keyProblem } : {}) }
}

const emptySetup = {
  deliveries: [],
  routes: [],
  slots: [],
  sites: [],
  needsRestart: false,
  status: 'absent',
  drift: [],
  file: '',
  files: [],
  setups: [],
} satisfies Partial<ToolView>

/** A configured setup: its plan, key and model, and whether its files are unchanged. */
export interface WrittenSetup {
  readonly toolId: string
  readonly toolName: string
  /** Whether a running tool uses the old settings and key until it is restarted. */
  readonly needsRestart: boolean
  readonly site: Site
  readonly choice: ToolChoice
  /** Compared only with the last write, so that a change of the plan does not count as changed settings. */
  readonly status: ToolStatus
  readonly problem?: Failure | undefined
}

/** All setups on this computer. The status is `unreadable` if a setup's files cannot be read. */
export const writtenSetups = (deps: ViewDeps): Promise<WrittenSetup[]> =>
  Promise.all(readAllJournals(deps.machine.place.dataDir).map((journal) => writtenSetup(journal, deps)))

type DataFolder = Pick<EngineContext, 'dataDir' | 'disk'>

export async function isConfiguredProject(folder: string, home: DataFolder): Promise<boolean> {
  const isMatch = ({ site }: { readonly site: Site }): boolean => site.kind === 'project' && site.folder === folder
  const pastTools = (await readHistory(home)).flatMap(({ tools }) => tools)
  return [...readAllJournals(home.dataDir), ...pastTools].some(isMatch)
}

async function writtenSetup(journal: Journal, deps: ViewDeps): Promise<WrittenSetup> {
  const { toolId, site } = journal
  const { base: _, requestAddress: __, ...routedChoice } = resolveSetup(journal, deps).choice
  const choice: ToolChoice = { toolId, site, ...routedChoice, keep: journal.ceded }
  const target = writtenTargets.find(({ id }) => id === toolId)
  // Tools on the relay need no restart, because the relay replaces the key in each request.
  const needsRestart = choice.route !== 'relay' && target?.needsRestart === true
  const setup = { toolId, toolName: target?.name ?? toolId, needsRestart, site, choice }
  try {
    if (target === undefined) throw new AppError('tool.notFound', `This version of the app does not know ${toolId}.`)
    const context = await findContext(deps.machine, site)
    const { status, problem } = await readToolStatus(target, undefined, context)
    if (status !== 'configured') return { ...setup, status, problem }
    const settingsToRemove = await listRemovedSettings(target, journal, context, deps)
    return { ...setup, status, choice: { ...choice, settingsToRemove } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...setup, status: 'unreadable', problem: error.failure }
  }
}

/** Conflicting settings that this app removed because the user agreed, without those that it always removes. */
export async function listRemovedSettings(
  target: WrittenTarget,
  journal: Journal,
  place: EngineContext,
  deps: ViewDeps,
): Promise<string[]> {
  const record = journal.files.find(({ id }) => id === 'settings')
  const file = target.files.find(({ id }) => id === 'settings')
  const { expected } = resolveSetup(journal, deps)
  if (!record || !file || !expected) return []
  const input = buildTargetInput(target, expected, journal.keyFiles[0]?.path)
  const currentSettings = (await readFiles(target, place)).find(({ id }) => id === 'settings')?.current ?? {}
  const ownEdits = [currentSettings, {}].flatMap((settings) => file.edits(input, settings, place.environment))
  const names = new Set(ownEdits.map((edit) => editName(edit, file.id)))
  return record.owned
    .filter(({ digest, member, role, element }) =>
      [digest, member, role, element].every((field) => field === undefined),
    )
    .map((setting) => settingName(setting, file.id))
    .filter((name) => !names.has(name))
}

/** A configured tool whose record is damaged, so its plan and model are unknown. */
export interface UnknownSetup {
  readonly toolId: string
  readonly toolName: string
  readonly site: Site
  readonly recordPath: string
}

/** Tools whose records cannot be read. Their scopes (user, project or WSL) are read from the history. */
export async function unknownSetups({ place }: Pick<SetupEnvironment, 'place'>): Promise<UnknownSetup[]> {
  const damagedJournalList = listDamagedJournals(place.dataDir)
  if (damagedJournalList.length === 0) return []
  const pastTools = (await readHistory(place)).flatMap(({ tools }) => tools)
  return damagedJournalList.map(({ toolId, setupId, path }) => {
    const pastTool = pastTools.find((tool) => toSetupId(tool.toolId, tool.site) === setupId)
    const [, projectFolder] = setupId.split('@')
    const site: Site =
      pastTool?.site ?? (projectFolder === undefined ? userSite : { kind: 'project', folder: projectFolder })
    return { toolId, toolName: writtenTargets.find(({ id }) => id === toolId)?.name ?? toolId, site, recordPath: path }
  })
}

const listJournals = (toolId: string, dataDir: string): readonly Journal[] =>
  readAllJournals(dataDir).filter((journal) => journal.toolId === toolId)
