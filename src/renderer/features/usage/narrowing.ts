import type { Usage } from './use-usage'
import type { Wanted } from './wanted'

/** Nothing but source and time narrows the figures. */
export const noFilters: Partial<Wanted> = {
  planId: undefined,
  modelCode: undefined,
  toolId: undefined,
  keyId: undefined,
  cycle: undefined,
}

/** Whether anything but source and time narrows the figures; the console always needs a plan, which does not count. */
export const isNarrowed = ({ wanted: { modelCode, toolId, keyId, planId }, scope }: Usage): boolean =>
  [modelCode, toolId, keyId, scope === 'console' ? undefined : planId].some((id) => id !== undefined)
