export { growingArea } from './column-sheet'
export { filled, type TriedPrompt, variablesIn } from './setup'
export { TextDiff } from './text-diff'
export { useNewComparison } from './use-comparison-menu'
