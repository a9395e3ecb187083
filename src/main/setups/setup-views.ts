import type { SetupView, Site, ToolView } from '@shared/contract'
import { chosenBy } from '../routing/upstream-choices'
import { findBlockers } from '../tools/conflicting-settings'
import type { Detection } from '../tools/detect'
import { type Journal, journalsOf, readJournal } from '../tools/journal'
import { pathsOf, type ToolState, toolStatus } from '../tools/status'
import { routesOf, type Target, userSite, type WrittenTarget } from '../tools/target'
import { type Machine, placeOf } from './config-scopes'
import { expectedOf, type RequestDeps } from './setup-request'

/** What a tool's view is made with. */
export interface ViewDeps extends RequestDeps {
  readonly machine: Machine
  readonly detect: (target: Target) => Promise<Detection>
}

type Setup = Omit<SetupView, 'site'>

/** A tool as the window sees it: how it stands in this user's home, and at every other site where this app wrote. */
export async function viewOf(target: Target, deps: ViewDeps): Promise<ToolView> {
  const detection = await deps.detect(target)
  const { id, name, kind, standard, executables, install, sites, evidence } = target
  const start = target.start ?? executables[0]
  const common = {
    id,
    name,
    standard,
    ...detection,
    ...(start ? { start } : {}),
    ...(install ? { install } : {}),
    ...(evidence.kind === 'run' ? { triedVersion: evidence.version } : {}),
  }
  if (target.kind !== 'written') return { ...common, kind, ...nothingWritten }
  const setup = await setupOf(target, userSite, deps)
  const isNowhere = setup.file === ''
  const others = journalsOf(id, deps.machine.place.dataDir).filter(({ site }) => site.kind !== 'user')
  return {
    ...common,
    kind: isNowhere ? 'unsupported' : kind,
    ...(isNowhere ? { reason: 'platform' as const } : {}),
    deliveries: [...target.deliveries],
    routes: [...routesOf(target)],
    slots: target.slots.map(({ id, isSmall = false }) => ({ id, isSmall })),
    sites: [...sites],
    needsRestart: target.needsRestart,
    ...setup,
    setups: await Promise.all(others.map(async ({ site }) => ({ site, ...(await setupOf(target, site, deps)) }))),
  }
}

/** What a tool was set up with; of one that goes through the relay, what the relay uses for it by now. */
export function chosenIn({ toolId, choice }: Journal, { relay }: Pick<RequestDeps, 'relay'>): Journal['choice'] {
  return chosenBy(choice, relay.wayOf(toolId))
}

/** How a tool stands at a site, against what was written and against what its plan asks for now. */
export async function stateOf(target: WrittenTarget, site: Site, deps: ViewDeps): Promise<ToolState> {
  const place = await placeOf(deps.machine, site)
  const { journal } = await readJournal(target.id, place).catch(() => ({ journal: undefined }))
  const choice = journal && chosenIn(journal, deps)
  const plan = deps.plans.list().find(({ id }) => id === choice?.planId)
  const isKept = choice?.keyId === undefined || plan?.keys.some(({ id }) => id === choice.keyId)
  const expected = choice && plan && isKept ? expectedOf(plan, { ...choice, toolId: target.id, site }, deps) : undefined
  return toolStatus(target, expected, place)
}

async function setupOf(target: WrittenTarget, site: Site, deps: ViewDeps): Promise<Setup> {
  const place = await placeOf(deps.machine, site).catch(() => undefined)
  if (place === undefined) return { ...unreachable(target, site), ...appliedAt(target.id, site, deps) }
  const { journal, found, status, problem, drift, settings, files } = await stateOf(target, site, deps)
  const conflicts = settings ? await findBlockers(target, settings, place) : []
  const isRelayed = status !== 'absent' && journal?.choice.route === 'relay'
  const [file = ''] = pathsOf(target, place)
  return {
    status,
    ...(problem ? { problem } : {}),
    drift: [...drift],
    file,
    files: files.map((each) => ({ ...each })),
    ...(status === 'absent' || !journal ? {} : { applied: applied(journal, deps) }),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    ...(isRelayed && !(await deps.relay.isOn()) ? { relayOff: true } : {}),
    ...(found ? { found: { base: found.base, modelCode: found.modelCode } } : {}),
  }
}

function unreachable({ name }: WrittenTarget, site: Site): Setup {
  const where = site.kind === 'project' ? site.folder : site.kind === 'wsl' ? site.distribution : ''
  const message = `The settings of ${name} in ${where} cannot be reached.`
  return { status: 'unreadable', problem: { code: 'file.unreadable', message }, drift: [], file: where, files: [] }
}

function appliedAt(toolId: string, site: Site, deps: ViewDeps): Pick<Setup, 'applied'> {
  const journal = journalsOf(toolId, deps.machine.place.dataDir).find(
    (each) => JSON.stringify(each.site) === JSON.stringify(site),
  )
  return journal ? { applied: applied(journal, deps) } : {}
}

function applied(journal: Journal, deps: ViewDeps): NonNullable<ToolView['applied']> {
  const { planId, keyId, modelCode, slots, delivery, route, requestAddress } = chosenIn(journal, deps)
  const { at } = journal
  const plan = deps.plans.list().find(({ id }) => id === planId)
  const keyName = plan?.keys.find(({ id }) => id === keyId)?.name
  return { planId, planName: plan?.name, keyId, keyName, modelCode, slots, delivery, route, requestAddress, at }
}

const nothingWritten = {
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
