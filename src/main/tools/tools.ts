import type {
  CheckView,
  DriftEntry,
  GuideView,
  HistoryEntry,
  ManyPreview,
  PreviewView,
  Recovery,
  Site,
  Snippet,
  ToolAt,
  ToolChoice,
  ToolView,
} from '@shared/contract'
import { AppError } from '@shared/failure'
import type { EngineContext, ToolEnvironment } from '../core/environment'
import type { AuditPort } from '../core/ports'
import type { Vault } from '../core/vault/vault'
import type { GatewayCheck, ListModels } from '../gateway/probe'
import type { RelayPort } from '../relay/routing/relay-protocol'
import { buildTargetInput, prepareApply } from './apply'
import type { ChangeSet } from './change-set'
import { commit } from './commit'
import { sourcePaths } from './conflicting-settings'
import type { Detection } from './detect'
import { findEntry, prepareRewind, readHistory } from './history'
import { allJournals, readJournal } from './journal'
import type { LoginShell } from './login-shell'
import { prepareRestore, prepareUnmanage } from './restore'
import { applyChangeSets, entryView, Previews, recoverAt, revealFrom } from './setups/change-history'
import { findContext, type Machine, requireSite } from './setups/config-scopes'
import { buildExpectedRequest, buildToolRequest, loadKey, type PlanSource } from './setups/setup-request'
import {
  buildToolView,
  chosenIn,
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
  buildGuide,
  checkGuide,
  type ExaminationDeps,
  type LauncherFile,
  missingLauncherWarning,
  moreWarnings,
  verifySetup,
} from './setups/verify'
import { buildSnippets } from './snippets'
import { driftEntries, listPaths } from './status'
import { listRoutes, type Target, userSite, type WrittenTarget } from './target'
import { anyTarget, guidedTarget, targets, writtenTarget, writtenTargets } from './targets'
import type { HelperRun } from './tool-settings'

interface ToolsDeps {
  readonly plans: PlanSource
  readonly vault: Vault
  readonly check: GatewayCheck
  readonly listModels: ListModels
  readonly machine: Machine
  readonly detect: (target: Target) => Promise<Detection>
  readonly relay: RelayPort
  /** What tools call for the key; written before a tool is pointed at it. */
  readonly launcher: LauncherFile & { ensure(): void }
  readonly runHelper: HelperRun
  readonly loginShell: LoginShell
  /** Where every write to a tool is noted; nowhere unless given. */
  readonly audit?: AuditPort
}

/** The values that a person pastes into a tool of their own choice. */
type GuideChoice = Pick<ToolChoice, 'toolId' | 'planId' | 'keyId' | 'modelCode'>

/** The coding tools of this machine: what they are, how they are configured, and what would change. */
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

  /** How every tool stands when it is started in this folder; in the projects that this app knows unless given. */
  list(workFolder?: string): Promise<ToolView[]> {
    return Promise.all(targets.map((target) => buildToolView(target, this.#viewsIn(workFolder))))
  }

  view(toolId: string): Promise<ToolView> {
    return buildToolView(anyTarget(toolId), this.#views)
  }

  /** The file of a tool to show in its folder: the one of this path, or the one with the address. Fails with `input.invalid`. */
  async fileToShow({ toolId, site }: ToolAt, path?: string): Promise<string> {
    const place = await findContext(this.#deps.machine, site)
    const target = writtenTarget(toolId)
    const known = [...listPaths(target, place), ...(await this.#overridingPaths(target, place))]
    const file = path === undefined ? known[0] : known.find((candidate) => candidate === path)
    if (file !== undefined) return file
    throw new AppError('input.invalid', `This is no file of ${target.name}.`, { field: 'path' })
  }

  /** Where a person starts a tool: in its project, else in the home. Fails with `input.invalid` where that is not on this system. */
  async findFolder({ toolId, site = userSite }: ToolAt): Promise<string> {
    writtenTarget(toolId)
    const { environment } = await findContext(this.#deps.machine, site)
    if (site.kind !== 'wsl') return environment.project ?? environment.home
    throw new AppError('input.invalid', `Open a terminal of ${site.distribution} yourself.`, { field: 'site' })
  }

  /** Every file that is worth watching on this system: those of this user's home, and of the projects that were written to. */
  watchedFiles(): string[] {
    const { place } = this.#deps.machine
    const projects = allJournals(place.dataDir).flatMap(({ site, files }) =>
      site.kind === 'project' ? files.map(({ path }) => path) : [],
    )
    const own = writtenTargets.flatMap((target) => [
      ...listPaths(target, place),
      ...fixedPaths(target, place.environment),
    ])
    return [...new Set([...own, ...projects])]
  }

  /** The Linux distributions whose homes tools can be set up in. */
  distributions(): Promise<readonly string[]> {
    return this.#deps.machine.distributions.list()
  }

  /** What configuring would write. Fails with `file.*` where a file must be left alone, `vault.*` where the key cannot be had. */
  async preview(choice: ToolChoice, workFolder?: string): Promise<PreviewView> {
    return this.#previews.keepOne(await this.#prepareApply(choice, workFolder))
  }

  /** The same for several, to be carried out together or not at all. */
  async previewMany(choices: readonly ToolChoice[], workFolder?: string): Promise<ManyPreview> {
    return this.#planMany(choices.map((choice) => ({ ...choice, plan: () => this.#prepareApply(choice, workFolder) })))
  }

  async previewRestore({ toolId, site }: ToolAt): Promise<PreviewView> {
    return this.#previews.keepOne(
      await prepareRestore(writtenTarget(toolId), await findContext(this.#deps.machine, site)),
    )
  }

  /** What taking back everything would write, at every site. */
  async previewRemoveAll(): Promise<ManyPreview> {
    const journals = allJournals(this.#deps.machine.place.dataDir)
    return this.#planMany(
      journals.map(({ toolId, site }) => ({
        toolId,
        site,
        plan: async () => prepareRestore(writtenTarget(toolId), await findContext(this.#deps.machine, site)),
      })),
    )
  }

  /** What going back to right before a write would write. Fails with `history.notFound`. */
  async previewRewind(entryId: string): Promise<ManyPreview> {
    const { machine } = this.#deps
    const { tools } = await findEntry(entryId, machine.place)
    const reveal = revealFrom(this.#deps)
    return this.#planMany(
      tools.map((tool) => ({
        ...tool,
        plan: async () =>
          prepareRewind(tool, {
            target: writtenTarget(tool.toolId),
            place: await findContext(machine, tool.site),
            reveal,
          }),
      })),
    )
  }

  /** Writes exactly what a preview showed. Fails with `file.changed` when a file is no longer as it was then. */
  async carryOut(previewId: string): Promise<ToolView> {
    const [view] = await this.carryOutMany(previewId)
    if (!view) throw new AppError('input.invalid', 'There is nothing to write.')
    return view
  }

  async carryOutMany(previewId: string): Promise<ToolView[]> {
    const plans = this.#previews.take(previewId)
    await applyChangeSets(plans, this.#deps)
    const views = await Promise.all([...new Set(plans.map(({ toolId }) => toolId))].map((toolId) => this.view(toolId)))
    for (const { name, applied } of views) {
      await this.#deps.audit?.note({ what: 'toolWritten', planName: applied?.planName, subject: name })
    }
    return views
  }

  /** Leaves a tool's files as they are and forgets that we wrote them. */
  async letGo({ toolId, site }: ToolAt): Promise<ToolView> {
    const { machine } = this.#deps
    await commit([await prepareUnmanage(writtenTarget(toolId), await findContext(machine, site))], machine.place)
    return this.view(toolId)
  }

  /** Every setting that is ours: as written, as it stands, as it is wanted. */
  async drift({ toolId, site = userSite }: ToolAt): Promise<DriftEntry[]> {
    const target = writtenTarget(toolId)
    const { journal } = await readToolState(target, site, this.#views)
    const choice = journal && chosenIn(journal, this.#deps)
    const plan = this.#deps.plans.list().find(({ id }) => id === choice?.planId)
    const expected = choice && plan && buildExpectedRequest(plan, { ...choice, toolId, site }, this.#views)
    const place = await findContext(this.#deps.machine, site)
    return driftEntries(target, { expected, asChosen: expected }, place)
  }

  /** Every write, newest first; with a tool's id those to it. Fails with `tool.notFound`. */
  async history(toolId?: string): Promise<HistoryEntry[]> {
    if (toolId !== undefined) anyTarget(toolId)
    const entries = await readHistory(this.#deps.machine.place)
    const views = entries.flatMap((entry) => entryView(entry, this.#deps.plans))
    return views.filter(({ tools }) => toolId === undefined || tools.some((tool) => tool.toolId === toolId))
  }

  /** Takes back what a kill cut off, once; nothing is written when nothing was. */
  recover(): Promise<Recovery> {
    this.#recovery ??= recoverAt(this.#deps.machine, this.#deps)
    return this.#recovery
  }

  /** What `recover` did; told once. */
  async tellRecovery(): Promise<Recovery> {
    const told = await this.recover()
    this.#recovery = Promise.resolve({ undone: [], left: [] })
    return told
  }

  /** One real small request with the address, key and model that the tool's own files give it now. */
  verify({ toolId, site = userSite }: ToolAt, workFolder?: string): Promise<CheckView> {
    return verifySetup(writtenTarget(toolId), site, this.#viewsIn(workFolder))
  }

  /** What the examination of a tool at a site, or of this user's in a folder, needs. */
  examination(target: WrittenTarget, site: Site, workFolder?: string) {
    return buildDoctorInput(target, site, this.#viewsIn(workFolder))
  }

  /** The same configuration as text, without a key. */
  async snippets(choice: ToolChoice): Promise<Snippet[]> {
    const target = writtenTarget(choice.toolId)
    const { plans, machine } = this.#deps
    const plan = plans.find(choice.planId)
    // What is pasted elsewhere cannot reach the relay of this machine.
    const route = listRoutes(target).includes('gateway') ? 'gateway' : 'relay'
    const expected = buildExpectedRequest(
      plan,
      { ...choice, route, keyId: loadKey(plan, choice.keyId).id },
      this.#views,
    )
    const { environment } = await findContext(machine, choice.site)
    return buildSnippets(target, buildTargetInput(target, expected, '<key file>'), environment)
  }

  /** How a person sets up a tool in its own window. */
  guide({ toolId, ...choice }: GuideChoice): GuideView {
    return buildGuide(guidedTarget(toolId), choice, this.#views)
  }

  /** One real small request with the values of the guide. */
  checkGuide({ toolId, ...choice }: GuideChoice): Promise<CheckView> {
    return checkGuide(guidedTarget(toolId), choice, this.#views)
  }

  /** Every setup that was written, at every site, and how it stands against what was written. */
  setups(): Promise<WrittenSetup[]> {
    return writtenSetups(this.#views)
  }

  /** The tools of which it cannot be known which key they were given. */
  unknownSetups(): Promise<UnknownSetup[]> {
    return unknownSetups(this.#deps.machine)
  }

  /** Gives a plan's new key to the tools that hold a copy of it, where nothing else changed in their files since. */
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

  /** Files that win over a tool's own, in the projects that this app knows too. */
  async #overridingPaths(target: WrittenTarget, place: EngineContext): Promise<string[]> {
    const { environment, disk } = place
    const search = { environment, disk, workFolders: listWorkFolders(target, place, this.#views) }
    const sources = target.precedence.sources.filter((source) => source.kind === 'file')
    return (await Promise.all(sources.map((source) => sourcePaths(source, search)))).flat()
  }

  async #prepareApply(choice: ToolChoice, workFolder?: string): Promise<ChangeSet> {
    const target = writtenTarget(choice.toolId)
    const { site = userSite } = choice
    requireSite(target, site)
    const place = await findContext(this.#deps.machine, site)
    const { journal } = await readJournal(target.id, place)
    // What was taken out stays out, unless the person says otherwise.
    const takeOut = choice.takeOut ?? (journal && (await listRemovedSettings(target, { journal, place }, this.#views)))
    const request = await buildToolRequest(target, { ...choice, takeOut }, this.#views)
    const { launcher, loginShell, relay } = this.#deps
    const input = buildTargetInput(target, request)
    // The login shell takes its time to answer; megabytes of settings are taken apart meanwhile.
    const [more, plan] = await Promise.all([
      moreWarnings(target, {
        ...{ input, place, loginShell, relay: request.route === 'relay' ? relay : undefined },
        workFolders: listWorkFolders(target, place, this.#viewsIn(workFolder)),
      }),
      prepareApply(target, request, place),
    ])
    // Of a tool that is set up anew it goes without saying.
    const lost = plan.past.journal ? missingLauncherWarning(input.delivery, launcher) : []
    return { ...plan, files: [...plan.files, ...lost], warnings: [...plan.warnings, ...more] }
  }

  async #planMany(wishes: readonly PlannedTool[]): Promise<ManyPreview> {
    const plans: ChangeSet[] = []
    const left: ManyPreview['left'] = []
    for (const { toolId, site = userSite, plan } of wishes) {
      try {
        plans.push(await plan())
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        left.push({ toolId, site, failure: error.failure })
      }
    }
    return this.#previews.keepMany(plans, left)
  }
}

/** Files of known names that win over a tool's own. */
function fixedPaths({ precedence }: WrittenTarget, environment: ToolEnvironment): string[] {
  const paths = precedence.sources.flatMap((source) => (source.kind === 'file' ? source.paths(environment) : []))
  return paths.filter((path) => !path.includes('*'))
}

type PlannedTool = {
  readonly toolId: string
  readonly site?: Site | undefined
  readonly plan: () => Promise<ChangeSet>
}
