import type { ToolWarning } from '@shared/contract'

const todo: readonly ToolWarning['code'][] = [
  'variableNeeded',
  'keyInTool',
  'restartNeeded',
  'shellVariable',
  'rivalFile',
]

/** Whether a warning of a preview is something a person still has to do once it was written. */
export const isTodo = ({ code }: ToolWarning): boolean => todo.includes(code)
