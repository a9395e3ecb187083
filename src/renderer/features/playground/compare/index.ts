export { growingAreaClass } from './column-sheet'
export type { PromptCopy } from './setup'
export { TextDiff } from './text-diff'
export { useNewComparison } from './use-comparison-menu'
