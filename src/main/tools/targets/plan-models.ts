import type { TargetInput } from '../target'

const MOST_OUTPUT_TOKENS = 8192

/** How long an answer may be, in tokens, so that a question of some length fits a model's window beside it. */
export function outputTokens(contextTokens: number): number {
  return Math.min(MOST_OUTPUT_TOKENS, Math.floor(contextTokens / 2))
}

/** Every model code to offer in a tool, each once: the chosen one, those of the slots, the rest of the plan. */
export function modelCodes({
  modelCode,
  slots,
  models,
}: Pick<TargetInput, 'modelCode' | 'slots' | 'models'>): string[] {
  return [...new Set([modelCode, ...Object.values(slots), ...models])]
}
