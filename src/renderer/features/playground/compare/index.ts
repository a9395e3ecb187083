export { useNewComparison } from './comparisons-page'
export { growingAreaClass } from './grid'
export type { PromptCopy } from './setup'
export { TextDiff } from './text-diff'
