import type { ToolChanges } from '@shared/contract'

/** Whether carrying it out would change nothing: no file of the tool, and not what the relay uses for it. */
export const changesNothing = ({ files, setsWay }: Pick<ToolChanges, 'files' | 'setsWay'>): boolean =>
  setsWay !== true && files.every(({ action }) => action === 'none')
