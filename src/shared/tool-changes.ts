import type { ToolChanges } from './contract/tools'

/** Whether applying a preview would write no file and not change the tool's plan or key in the relay. */
export const hasNoChanges = (changes: Pick<ToolChanges, 'files' | 'setsWay'> | undefined): boolean =>
  changes !== undefined && changes.setsWay !== true && changes.files.every(({ action }) => action === 'none')

/** Whether applying a preview writes a key in plain text. */
export const writesPlainText = (changes: ToolChanges): boolean =>
  !hasNoChanges(changes) && changes.warnings.some(({ code }) => code === 'plainText')
