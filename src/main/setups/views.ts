import type { SetupView, Site, ToolView } from '@shared/contract'
import { journalsOf } from '../tools/all-journals'
import type { Detection } from '../tools/detect'
import { type Journal, readJournal } from '../tools/journal'
import { userSite } from '../tools/sites'
import { pathsOf, type ToolState, toolStatus } from '../tools/status'
import type { Target, WrittenTarget } from '../tools/target'
import { expectedOf, type KnownPlan, type RequestDeps } from './requests'
import { type Machine, placeOf } from './sites'

/** What a tool's view is made with. */
export interface ViewDeps extends RequestDeps {
  readonly machine: Machine
  readonly detect: (target: Target) => Promise<Detection>
}

type Setup = Omit<SetupView, 'site'>

/** A tool as the window sees it: how it stands in this user's home, and at every other site where this app wrote. */
export async function viewOf(target: Target, deps: ViewDeps): Promise<ToolView> {
  const detection = await deps.detect(target)
  const { id, name, kind, standard, install, sites, evidence } = target
  const common = {
    id,
    name,
    standard,
    ...detection,
    ...(install ? { install } : {}),
    ...(evidence.kind === 'run' ? { triedVersion: evidence.version } : {}),
  }
  if (target.kind !== 'written') return { ...common, kind, ...nothingWritten, reason: reasonOf(target) }
  const setup = await setupOf(target, userSite, deps)
  const isNowhere = setup.file === ''
  const others = journalsOf(id, deps.machine.place.dataDir).filter(({ site }) => site.kind !== 'user')
  return {
    ...common,
    kind: isNowhere ? 'unsupported' : kind,
    ...(isNowhere ? { reason: 'platform' as const } : {}),
    deliveries: [...target.deliveries],
    slots: target.slots.map(({ id, isSmall = false }) => ({ id, isSmall })),
    sites: [...sites],
    needsRestart: target.needsRestart,
    ...setup,
    setups: await Promise.all(others.map(async ({ site }) => ({ site, ...(await setupOf(target, site, deps)) }))),
  }
}

/** How a tool stands at a site, against what was written and against what its plan asks for now. */
export async function stateOf(target: WrittenTarget, site: Site, deps: ViewDeps): Promise<ToolState> {
  const place = await placeOf(deps.machine, site)
  const { journal } = await readJournal(target.id, place).catch(() => ({ journal: undefined }))
  const choice = journal?.choice
  const plan = deps.plans.list().find(({ id }) => id === choice?.planId)
  const isKept = choice?.keyId === undefined || plan?.keys.some(({ id }) => id === choice.keyId)
  return toolStatus(target, choice && plan && isKept ? expectedOf(plan, { ...choice, site }, deps) : undefined, place)
}

async function setupOf(target: WrittenTarget, site: Site, deps: ViewDeps): Promise<Setup> {
  const place = await placeOf(deps.machine, site).catch(() => undefined)
  if (place === undefined) return { ...unreachable(target, site), ...appliedAt(target.id, site, deps) }
  const { journal, found, status, problem, drift, files } = await stateOf(target, site, deps)
  const [file = ''] = pathsOf(target, place)
  return {
    status,
    ...(problem ? { problem } : {}),
    drift: [...drift],
    file,
    files: files.map((each) => ({ ...each })),
    ...(status === 'absent' || !journal ? {} : { applied: applied(journal, deps.plans.list()) }),
    ...(found ? { found: { base: found.base, modelCode: found.modelCode } } : {}),
  }
}

function unreachable({ name }: WrittenTarget, site: Site): Setup {
  const where = site.kind === 'project' ? site.folder : site.kind === 'wsl' ? site.distribution : ''
  const message = `The settings of ${name} in ${where} cannot be reached.`
  return { status: 'unreadable', problem: { code: 'file.unreadable', message }, drift: [], file: where, files: [] }
}

function appliedAt(toolId: string, site: Site, { machine, plans }: ViewDeps): Pick<Setup, 'applied'> {
  const journal = journalsOf(toolId, machine.place.dataDir).find(
    (each) => JSON.stringify(each.site) === JSON.stringify(site),
  )
  return journal ? { applied: applied(journal, plans.list()) } : {}
}

function applied({ choice, at }: Journal, plans: readonly KnownPlan[]): NonNullable<ToolView['applied']> {
  const { planId, keyId, modelCode, slots, delivery, requestAddress } = choice
  const plan = plans.find(({ id }) => id === planId)
  const keyName = plan?.keys.find(({ id }) => id === keyId)?.name
  return { planId, planName: plan?.name, keyId, keyName, modelCode, slots, delivery, requestAddress, at }
}

const reasonOf = (target: Target): ToolView['reason'] => (target.kind === 'unsupported' ? target.reason : undefined)

const nothingWritten = {
  deliveries: [],
  slots: [],
  sites: [],
  needsRestart: false,
  status: 'absent',
  drift: [],
  file: '',
  files: [],
  setups: [],
} satisfies Partial<ToolView>
