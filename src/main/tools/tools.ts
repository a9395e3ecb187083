import type {
  BulkPreview,
  CheckView,
  DriftEntry,
  GuideView,
  HistoryEntry,
  PreviewView,
  Recovery,
  Snippet,
  ToolChoice,
  ToolLocation,
  ToolView,
} from '@shared/contract'
import { AppError } from '@shared/failure'
import { isLoopbackHost } from '../core/net/address'
import type { AuditPort } from '../core/ports'
import { buildTargetInput, prepareApply } from './apply'
import type { ChangeSet } from './change-set'
import { commit } from './commit'
import { sourcePaths } from './conflicting-settings'
import { type DoctorDeps, runDiagnostics } from './doctor'
import { findEntry, prepareRewind, readHistory } from './history'
import { readAllJournals, readJournal } from './journal'
import { prepareRestore, prepareUnmanage } from './restore'
import {
  applyChangeSets,
  createRevealKey,
  entryView,
  Previews,
  planEach,
  recoverChanges,
} from './setups/change-history'
import { findContext, requireSite } from './setups/config-scopes'
import { buildExpectedRequest, buildToolRequest, loadKey } from './setups/setup-request'
import {
  buildToolView,
  listRemovedSettings,
  listWorkFolders,
  readToolState,
  type UnknownSetup,
  unknownSetups,
  type WrittenSetup,
  writtenSetups,
} from './setups/setup-views'
import {
  buildDoctorInput,
  type ExaminationDeps,
  type LauncherFile,
  listOtherWarnings,
  missingLauncherWarning,
  verifySetup,
} from './setups/verify'
import { buildSnippets } from './snippets'
import { listDriftEntries, listPaths } from './status'
import { listRoutes, userSite } from './target'
import { anyTarget, guidedTarget, targets, writtenTarget, writtenTargets } from './targets'

interface ToolsDeps extends Omit<ExaminationDeps, 'platform' | 'workFolders'> {
  /** The program that tools run to get the key. `ensure` creates it before a tool's settings refer to it. */
  readonly launcher: LauncherFile & { ensure(): void }
  /** Audit log of tool changes. Without it, changes are not logged. */
  readonly audit?: AuditPort
}

type GuideChoice = Pick<ToolChoice, 'toolId' | 'planId' | 'keyId' | 'modelCode'>

export class Tools {
  readonly #deps: ToolsDeps
  readonly #views: ExaminationDeps
  readonly #previews: Previews
  #recovery: Promise<Recovery> | undefined

  constructor(deps: ToolsDeps) {
    this.#deps = deps
    this.#previews = new Previews(deps.relay)
    this.#views = { ...deps, platform: deps.machine.place.environment.platform }
  }

  /** State of every tool, with settings files in `workFolder` that override the user's. Default: all known projects. */
  list(workFolder?: string): Promise<ToolView[]> {
    return Promise.all(targets.map((target) => buildToolView(target, this.#viewsIn(workFolder))))
  }

  view(toolId: string): Promise<ToolView> {
    return buildToolView(anyTarget(toolId), this.#views)
  }

  /** Path of a tool's file for the file manager. Default: the file with the address. Fails with `input.invalid`. */
  async fileToShow({ toolId, site }: ToolLocation, path?: string): Promise<string> {
    const context = await findContext(this.#deps.machine, site)
    const { environment, disk } = context
    const target = writtenTarget(toolId)
    const search = { environment, disk, workFolders: listWorkFolders(target, context, this.#views) }
    const sources = target.overriddenBy.filter((source) => source.kind === 'file')
    const overridingPaths = await Promise.all(sources.map((source) => sourcePaths(source, search)))
    const knownPaths = [...listPaths(target, context), ...overridingPaths.flat()]
    const file = path === undefined ? knownPaths[0] : knownPaths.find((candidate) => candidate === path)
    if (file !== undefined) return file
    throw new AppError('input.invalid', `This file does not belong to ${target.name}.`, { field: 'path' })
  }

  /** The project folder of a setup, or the home folder. Fails with `input.invalid` if it is in a WSL distribution. */
  async findFolder({ toolId, site = userSite }: ToolLocation): Promise<string> {
    writtenTarget(toolId)
    const { environment } = await findContext(this.#deps.machine, site)
    if (site.kind !== 'wsl') return environment.project ?? environment.home
    throw new AppError('input.invalid', `Open a terminal of ${site.distribution} yourself.`, { field: 'site' })
  }

  /** Paths of local settings files to watch: in the user's home and in configured projects. */
  watchedFiles(): string[] {
    const { place } = this.#deps.machine
    const projects = readAllJournals(place.dataDir).flatMap(({ site, files }) =>
      site.kind === 'project' ? files.map(({ path }) => path) : [],
    )
    const ownPaths = writtenTargets.flatMap((target) => listPaths(target, place))
    const overridingPaths = writtenTargets
      .flatMap(({ overriddenBy }) => overriddenBy)
      .flatMap((source) => (source.kind === 'file' ? source.paths(place.environment) : []))
      .filter((path) => !path.includes('*'))
    return [...new Set([...ownPaths, ...overridingPaths, ...projects])]
  }

  distributions(): Promise<readonly string[]> {
    return this.#deps.machine.distributions.list()
  }

  /** Previews a setup. Fails with `file.*` for a file that must stay unchanged, `vault.*` for a missing key. */
  async preview(choice: ToolChoice, workFolder?: string): Promise<PreviewView> {
    return this.#previews.keepOne(await this.#prepareApply(choice, workFolder))
  }

  /** Previews several setups. They can only be applied together: all or none. */
  async previewMany(choices: readonly ToolChoice[], workFolder?: string): Promise<BulkPreview> {
    return this.#planMany(choices.map((choice) => ({ ...choice, plan: () => this.#prepareApply(choice, workFolder) })))
  }

  async previewRestore(location: ToolLocation): Promise<PreviewView> {
    return this.#previews.keepOne(await this.#prepareRestore(location))
  }

  /** Previews the removal of all setups in all scopes (user, projects and WSL). */
  async previewRemoveAll(): Promise<BulkPreview> {
    const journals = readAllJournals(this.#deps.machine.place.dataDir)
    return this.#planMany(journals.map((journal) => ({ ...journal, plan: () => this.#prepareRestore(journal) })))
  }

  /** Previews a rewind to the state before a write. Fails with `history.notFound`. */
  async previewRewind(entryId: string): Promise<BulkPreview> {
    const { machine } = this.#deps
    const { tools } = await findEntry(entryId, machine.place)
    const reveal = createRevealKey(this.#deps)
    return this.#planMany(
      tools.map((tool) => ({
        ...tool,
        plan: async () => {
          const place = await findContext(machine, tool.site)
          return prepareRewind(tool, { target: writtenTarget(tool.toolId), place, reveal })
        },
      })),
    )
  }

  /** Applies a preview. Fails with `file.changed` when a file has changed since. */
  async carryOut(previewId: string): Promise<ToolView> {
    const [view] = await this.carryOutMany(previewId)
    if (!view) throw new AppError('input.invalid', 'There is nothing to write.')
    return view
  }

  async carryOutMany(previewId: string): Promise<ToolView[]> {
    const plans = this.#previews.take(previewId)
    await applyChangeSets(plans, this.#deps)
    const views = await Promise.all([...new Set(plans.map(({ toolId }) => toolId))].map((toolId) => this.view(toolId)))
    for (const { id, name, applied } of views) {
      const isUndone = plans.every(({ toolId, kind }) => toolId !== id || kind === 'restore')
      const what = isUndone ? 'toolRestored' : 'toolWritten'
      await this.#deps.audit?.note({ what, planName: applied?.planName, subject: name })
    }
    return views
  }

  /** Stops managing a tool and leaves its files unchanged. */
  async stopManaging({ toolId, site }: ToolLocation): Promise<ToolView> {
    const { machine } = this.#deps
    await commit([await prepareUnmanage(writtenTarget(toolId), await findContext(machine, site))], machine.place)
    return this.view(toolId)
  }

  /** All settings that this app wrote: the written value, the current one, and the one that the plan requires. */
  async drift({ toolId, site = userSite }: ToolLocation): Promise<DriftEntry[]> {
    const target = writtenTarget(toolId)
    const { context, setup } = await readToolState(target, site, this.#views)
    return listDriftEntries(target, setup?.expected, context)
  }

  /** All writes by this app, newest first, or only those of one tool. Fails with `tool.notFound`. */
  async history(toolId?: string): Promise<HistoryEntry[]> {
    if (toolId !== undefined) anyTarget(toolId)
    const entries = await readHistory(this.#deps.machine.place)
    const views = entries.flatMap((entry) => entryView(entry, this.#deps.plans))
    return views.filter(({ tools }) => toolId === undefined || tools.some((tool) => tool.toolId === toolId))
  }

  /** Rolls back interrupted writes, once. */
  recover(): Promise<Recovery> {
    this.#recovery ??= recoverChanges(this.#deps.machine, this.#deps)
    return this.#recovery
  }

  /** The result of `recover`, returned only once. */
  async tellRecovery(): Promise<Recovery> {
    const recovery = await this.recover()
    this.#recovery = Promise.resolve({ undone: [], left: [] })
    return recovery
  }

  verify({ toolId, site = userSite }: ToolLocation, workFolder?: string): Promise<CheckView> {
    return verifySetup(writtenTarget(toolId), site, this.#viewsIn(workFolder))
  }

  /**
   * Diagnoses a tool with one real request, which costs a few tokens. Fails with `net.cancelled`. `workFolder`: folder in
   * which the tool is started with the user's settings. `sendsRequest`: whether to send the request. Default: true.
   */
  async diagnose({
    toolId,
    site = userSite,
    workFolder,
    ...options
  }: ToolLocation & Pick<DoctorDeps, 'signal' | 'sendsRequest'> & { readonly workFolder?: string | undefined }) {
    const target = writtenTarget(toolId)
    const deps = await buildDoctorInput(target, site, this.#viewsIn(workFolder))
    return runDiagnostics(target, { ...deps, site, ...options })
  }

  /** Returns the configuration as text, without a key. */
  async snippets(choice: ToolChoice): Promise<Snippet[]> {
    const target = writtenTarget(choice.toolId)
    const { plans, machine } = this.#deps
    const plan = plans.find(choice.planId)
    // Use the gateway if possible, because another computer cannot reach this relay.
    const route = listRoutes(target).includes('gateway') ? 'gateway' : 'relay'
    const keyId = loadKey(plan, choice.keyId).id
    const expectedRequest = buildExpectedRequest(plan, { ...choice, route, keyId }, this.#views)
    const { environment } = await findContext(machine, choice.site)
    return buildSnippets(target, buildTargetInput(target, expectedRequest, '<key file>'), environment)
  }

  /** The filled-in fields of a tool's form, without the key. Fails with `plan.notFound`. */
  guide({ toolId, planId, modelCode }: GuideChoice): GuideView {
    const { fields, place, requestAddress, isRemote, evidence } = guidedTarget(toolId)
    const { gatewayUrl } = this.#deps.plans.find(planId)
    const isUnreachable = isRemote && isLoopbackHost(new URL(gatewayUrl).hostname)
    return {
      place: [...place],
      fields: fields({ gatewayUrl, modelCode }).map(({ label, ...field }) =>
        'value' in field ? { label, value: field.value } : { label },
      ),
      requestAddress: requestAddress(gatewayUrl),
      warnings: [
        ...(isUnreachable ? [{ code: 'remoteMaker' as const, subject: gatewayUrl }] : []),
        ...(evidence.kind === 'docs' ? [{ code: 'notTried' as const }] : []),
      ],
    }
  }

  /** Sends one minimal request with the values of a guide. Fails with `plan.notFound`, `key.notFound` or `vault.*`. */
  async checkGuide({ toolId, planId, keyId, modelCode }: GuideChoice): Promise<CheckView> {
    const { standard, requestAddress } = guidedTarget(toolId)
    const { plans, check } = this.#deps
    const plan = plans.find(planId)
    const { gatewayUrl } = plan
    const key = await plans.readSecret(plan, loadKey(plan, keyId).id)
    return check({ base: gatewayUrl, requestAddress: requestAddress(gatewayUrl), key, modelCode, standard })
  }

  /** Lists all setups in all scopes (user, projects and WSL), compared with the last written settings. */
  setups(): Promise<WrittenSetup[]> {
    return writtenSetups(this.#views)
  }

  /** Tools whose key is unknown, because their record is damaged. */
  unknownSetups(): Promise<UnknownSetup[]> {
    return unknownSetups(this.#deps.machine)
  }

  /** Writes a plan's new key into all files that contain its key. Skips tools whose settings were changed otherwise. */
  async renewKeyFiles(planId: string): Promise<void> {
    for (const { status, choice } of await this.setups()) {
      const holdsCopy = choice.route !== 'relay' && ['file', 'envFile', 'plain'].includes(choice.delivery ?? '')
      if (choice.planId !== planId || !holdsCopy || status !== 'configured') continue
      await commit([await this.#prepareApply(choice)], this.#deps.machine.place)
    }
  }

  #viewsIn(workFolder: string | undefined): ExaminationDeps {
    return workFolder === undefined ? this.#views : { ...this.#views, workFolders: [workFolder] }
  }

  async #prepareRestore({ toolId, site }: ToolLocation): Promise<ChangeSet> {
    return prepareRestore(writtenTarget(toolId), await findContext(this.#deps.machine, site))
  }

  async #prepareApply(choice: ToolChoice, workFolder?: string): Promise<ChangeSet> {
    const target = writtenTarget(choice.toolId)
    const { site = userSite } = choice
    requireSite(target, site)
    const place = await findContext(this.#deps.machine, site)
    const { journal } = await readJournal(target.id, place)
    // Settings that were removed stay removed, unless this choice says otherwise.
    const settingsToRemove =
      choice.settingsToRemove ?? (journal && (await listRemovedSettings(target, journal, place, this.#views)))
    const request = await buildToolRequest(target, { ...choice, settingsToRemove }, this.#views)
    const { launcher, loginShell, relay } = this.#deps
    const input = buildTargetInput(target, request)
    // Parse the settings while the slow login shell runs.
    const [otherWarnings, plan] = await Promise.all([
      listOtherWarnings(target, {
        input,
        place,
        loginShell,
        relay: request.route === 'relay' ? relay : undefined,
        workFolders: listWorkFolders(target, place, this.#viewsIn(workFolder)),
      }),
      prepareApply(target, request, place),
    ])
    // Warn about a missing launcher only for existing setups, because a new setup creates the launcher.
    const launcherWarnings = plan.past.journal ? missingLauncherWarning(input.delivery, launcher) : []
    return { ...plan, files: [...plan.files, ...launcherWarnings], warnings: [...plan.warnings, ...otherWarnings] }
  }

  async #planMany(requests: Parameters<typeof planEach>[0]): Promise<BulkPreview> {
    const { plans, left: skippedTools } = await planEach(requests)
    return this.#previews.keepMany(plans, skippedTools)
  }
}
