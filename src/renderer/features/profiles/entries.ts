import type { PlanView, ProfileEntry, ProfileView, ToolView } from '@shared/contract'
import { isModelCode, setupKey, setupsOf } from '../tools'

type ShownEntry = ProfileView['entries'][number]

/** The entry as main keeps it. */
export const toProfileEntry = ({ toolName: _, planName: __, ...entry }: ShownEntry): ProfileEntry => entry

/** What names an entry within its profile. */
export const entryKey = ({ toolId, site }: ProfileEntry): string => setupKey(toolId, site)

/** The setups of this computer as they are now, as entries; those whose plan is gone are left out. */
export const presentEntries = (tools: readonly ToolView[]): readonly ProfileEntry[] =>
  tools.flatMap((tool) =>
    setupsOf(tool).flatMap(({ site, applied }) => {
      if (applied?.planName === undefined) return []
      const { planId, keyId, modelCode, slots, delivery } = applied
      return [{ toolId: tool.id, site, planId, ...(keyId === undefined ? {} : { keyId }), modelCode, slots, delivery }]
    }),
  )

/** The entry with another model. Slots that took the former model's code take the new one's. */
export function withModel(entry: ProfileEntry, modelCode: string): ProfileEntry {
  const slots = Object.entries(entry.slots).filter(([, code]) => code !== entry.modelCode)
  return { ...entry, modelCode, slots: Object.fromEntries(slots) }
}

/** The entry with another plan: its first key, and its first model where it does not list the ones there were. */
export function withPlan(entry: ProfileEntry, plan: PlanView): ProfileEntry {
  const { keyId: _, ...rest } = entry
  const has = (code: string): boolean => plan.models.length === 0 || plan.models.includes(code)
  const modelCode = has(entry.modelCode) ? entry.modelCode : (plan.models[0] ?? entry.modelCode)
  const slots = Object.fromEntries(Object.entries(entry.slots).filter(([, code]) => has(code)))
  return { ...rest, planId: plan.id, modelCode, slots }
}

/** The entry with another key of its plan. */
export const withKey = (entry: ProfileEntry, keyId: string): ProfileEntry => ({ ...entry, keyId })

/** Whether both hold the same entries, in whatever order their parts are. */
export function sameEntries(a: readonly ProfileEntry[], b: readonly ProfileEntry[]): boolean {
  const text = (entries: readonly ProfileEntry[]): string =>
    JSON.stringify(
      entries.map((entry) => [entryKey(entry), entry.planId, entry.keyId, modelsOf(entry), entry.delivery]),
    )
  return text(a) === text(b)
}

const modelsOf = ({ modelCode, slots }: ProfileEntry): unknown => [
  modelCode,
  Object.entries(slots).toSorted(([a], [b]) => a.localeCompare(b)),
]

/** What keeps an entry from being saved: its plan is gone, or its model code cannot be one. */
export function findEntryProblem(
  entry: ProfileEntry,
  plans: readonly PlanView[],
): 'plan' | 'key' | 'model' | undefined {
  const plan = plans.find(({ id }) => id === entry.planId)
  if (!plan) return 'plan'
  if (entry.keyId !== undefined && !plan.keys.some(({ id }) => id === entry.keyId)) return 'key'
  return isModelCode(entry.modelCode) ? undefined : 'model'
}

/** Whether a name is the same as one that is taken, whatever the capitals. */
export const isTaken = (name: string, taken: readonly string[]): boolean => {
  const folded = (text: string): string => text.trim().normalize('NFC').toLocaleLowerCase()
  return taken.some((one) => folded(one) === folded(name))
}
