import type { PlanView, ProfileEntry, Site, ToolView } from '@shared/contract'
import type { ProfileRecord } from '../settings/settings'
import { sameSite, userSite } from '../tools/sites'

/** An entry as it is kept: with the names of its plan and key. */
export type KeptEntry = ProfileRecord['entries'][number]

/** What of a plan is needed to name it and its keys. */
export type NamedPlan = Pick<PlanView, 'id' | 'name'> & {
  readonly keys: readonly Pick<PlanView['keys'][number], 'id' | 'name'>[]
}

type Applied = NonNullable<ToolView['applied']>

/** A tool that is set up by this app, at one site. */
interface Setup {
  readonly site: Site
  readonly status: ToolView['status']
  readonly applied?: Applied | undefined
}

const setupsOf = (tool: ToolView): readonly Setup[] => [
  { site: userSite, status: tool.status, applied: tool.applied },
  ...tool.setups,
]

const entryOf = (toolId: string, { site, applied }: Setup): ProfileEntry[] => {
  if (!applied) return []
  const { planId, keyId, modelCode, slots, delivery, route } = applied
  const key = keyId === undefined ? {} : { keyId }
  return [{ toolId, site, planId, ...key, modelCode, slots, delivery, ...(route === 'relay' ? { route } : {}) }]
}

/** The setups of these tools as they are now; of all when none are named. */
export function entriesOf(tools: readonly ToolView[], toolIds?: readonly string[]): ProfileEntry[] {
  return tools
    .filter(({ id }) => toolIds === undefined || toolIds.includes(id))
    .flatMap((tool) => setupsOf(tool).flatMap((setup) => entryOf(tool.id, setup)))
}

/** The entry with the names that its plan and key have now; those it had when they are gone. */
export function withNames(entry: ProfileEntry, plans: readonly NamedPlan[], before: readonly KeptEntry[]): KeptEntry {
  const plan = plans.find(({ id }) => id === entry.planId)
  const key = plan?.keys.find(({ id }) => id === entry.keyId)
  const old = before.find(({ planId, keyId }) => planId === entry.planId && keyId === entry.keyId)
  const keyName = key?.name ?? old?.keyName
  return {
    ...entry,
    planName: plan?.name ?? old?.planName ?? entry.planId,
    ...(entry.keyId === undefined || keyName === undefined ? {} : { keyName }),
  }
}

/** What an entry names that is not on this machine any more: its plan, or a key of it; nothing when all is there. */
export function missingIn(entry: KeptEntry, plans: readonly NamedPlan[]): string | undefined {
  const plan = plans.find(({ id }) => id === entry.planId)
  if (!plan) return entry.planName
  if (entry.keyId === undefined || plan.keys.some(({ id }) => id === entry.keyId)) return undefined
  return entry.keyName === undefined ? plan.name : `${plan.name} / ${entry.keyName}`
}

/** True when a tool is set up just as an entry says. */
export function isSetUp(entry: ProfileEntry, tools: readonly ToolView[], plans: readonly NamedPlan[]): boolean {
  const tool = tools.find(({ id }) => id === entry.toolId)
  const setup = tool && setupsOf(tool).find(({ site }) => sameSite(site, entry.site))
  if (setup?.status !== 'configured' || !setup.applied) return false
  const { applied } = setup
  const firstKey = plans.find(({ id }) => id === entry.planId)?.keys[0]?.id
  return (
    applied.planId === entry.planId &&
    (applied.keyId ?? firstKey) === (entry.keyId ?? firstKey) &&
    applied.modelCode === entry.modelCode &&
    applied.delivery === entry.delivery &&
    applied.route === (entry.route ?? 'gateway') &&
    hasSameSlots(applied, entry)
  )
}

type Models = Pick<ProfileEntry, 'modelCode' | 'slots'>

/** A slot that is not named takes the model's own code. */
function hasSameSlots(a: Models, b: Models): boolean {
  const ids = new Set([...Object.keys(a.slots), ...Object.keys(b.slots)])
  return [...ids].every((id) => (a.slots[id] ?? a.modelCode) === (b.slots[id] ?? b.modelCode))
}
