import type { Site, ToolChoice, ToolStatus } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { inputOf } from '../tools/apply'
import type { EngineContext } from '../tools/environment'
import { readHistory } from '../tools/history'
import { allJournals, damagedJournals, type Journal, type OwnedSetting } from '../tools/journal'
import { editName, nameOf } from '../tools/owned-settings'
import { readFiles, toolStatus } from '../tools/status'
import { setupIdOf, userSite, type WrittenTarget } from '../tools/target'
import { writtenTargets } from '../tools/targets'
import { type Machine, placeOf } from './config-scopes'
import { expectedOf } from './setup-request'
import { chosenIn, type ViewDeps } from './setup-views'

/** A setup that this app wrote: what it was asked for, ready to be asked for again, and whether it still is as written. */
export interface WrittenSetup {
  readonly toolId: string
  readonly toolName: string
  /** A running instance goes on with what it had, the key included, until it is started again. */
  readonly needsRestart: boolean
  readonly site: Site
  readonly choice: ToolChoice
  /** Against what was written alone: a plan that asks for something else by now is no drift. */
  readonly status: ToolStatus
  readonly problem?: Failure | undefined
}

/** Every setup of this machine, at every site; one whose settings cannot be reached is `unreadable`. */
export function writtenSetups(deps: ViewDeps): Promise<WrittenSetup[]> {
  return Promise.all(allJournals(deps.machine.place.dataDir).map((journal) => writtenSetup(journal, deps)))
}

/** Whether this app has a record of writing to a project, now or in its history. */
export async function isWrittenProject(
  folder: string,
  home: Pick<EngineContext, 'dataDir' | 'disk'>,
): Promise<boolean> {
  const isIt = ({ site }: { readonly site: Site }): boolean => site.kind === 'project' && site.folder === folder
  return allJournals(home.dataDir).some(isIt) || (await readHistory(home)).some(({ tools }) => tools.some(isIt))
}

async function writtenSetup(journal: Journal, deps: ViewDeps): Promise<WrittenSetup> {
  const { toolId, site } = journal
  const { base: _, requestAddress: __, ...asked } = chosenIn(journal, deps)
  const choice: ToolChoice = { toolId, site, ...asked, keep: journal.ceded }
  const target = writtenTargets.find(({ id }) => id === toolId)
  // The relay takes another key for what runs already.
  const needsRestart = choice.route !== 'relay' && target?.needsRestart === true
  const setup = { toolId, toolName: target?.name ?? toolId, needsRestart, site, choice }
  try {
    if (target === undefined) throw new AppError('tool.notFound', `This version of the app does not know ${toolId}.`)
    const place = await placeOf(deps.machine, site)
    const { status, problem } = await toolStatus(target, undefined, place)
    if (status !== 'configured') return { ...setup, status, problem }
    return { ...setup, status, choice: { ...choice, takeOut: await takenOut(target, { journal, place }, deps) } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...setup, status: 'unreadable', problem: error.failure }
  }
}

type Written = { readonly journal: Journal; readonly place: EngineContext }

/** The settings in the way that the person let this app take out: removed, though the target itself would not. */
export async function takenOut(target: WrittenTarget, { journal, place }: Written, deps: ViewDeps): Promise<string[]> {
  const record = journal.files.find(({ id }) => id === 'settings')
  const file = target.files.find(({ id }) => id === 'settings')
  const choice = { ...chosenIn(journal, deps), toolId: journal.toolId, site: journal.site }
  const plan = deps.plans.list().find(({ id }) => id === choice.planId)
  if (!record || !file || !plan) return []
  const input = inputOf(target, expectedOf(plan, choice, deps), journal.keyFiles[0]?.path)
  const now = (await readFiles(target, place)).find(({ id }) => id === 'settings')?.current ?? {}
  const own = [now, {}].flatMap((settings) => file.edits(input, settings, place.environment))
  const names = new Set(own.map((edit) => editName(edit, file.id)))
  return record.owned
    .filter(isRemoval)
    .map((setting) => nameOf(setting, file.id))
    .filter((name) => !names.has(name))
}

const isRemoval = ({ digest, member, role, element }: OwnedSetting): boolean =>
  [digest, member, role, element].every((part) => part === undefined)

/** A tool of which it cannot be known what it was given: the record of that is damaged. */
export interface UnknownSetup {
  readonly toolId: string
  readonly toolName: string
  readonly site: Site
  readonly recordPath: string
}

/** The tools whose records cannot be read; where such a tool is set up is known as far as the history tells. */
export async function unknownSetups({ place }: Pick<Machine, 'place'>): Promise<UnknownSetup[]> {
  const damaged = damagedJournals(place.dataDir)
  if (damaged.length === 0) return []
  const past = (await readHistory(place)).flatMap(({ tools }) => tools)
  return damaged.map(({ toolId, setupId, path }) => {
    const known = past.find((tool) => setupIdOf(tool.toolId, tool.site) === setupId)
    const [, where] = setupId.split('@')
    const site: Site = known?.site ?? (where === undefined ? userSite : { kind: 'project', folder: where })
    return { toolId, toolName: writtenTargets.find(({ id }) => id === toolId)?.name ?? toolId, site, recordPath: path }
  })
}
