import type { ModelFacts } from './contract/plans'

/** Context size of a model whose real size is unknown, in tokens. */
export const defaultContextTokens = 128_000

/** Context size for a model of a plan. A value that the user entered wins over the known size. */
export function getContextTokens(
  {
    contextTokens,
    modelFacts = [],
  }: { readonly contextTokens: number; readonly modelFacts?: readonly ModelFacts[] | undefined },
  modelCode: string,
): number {
  if (contextTokens !== defaultContextTokens) return contextTokens
  return modelFacts.find((facts) => facts.modelCode === modelCode)?.contextTokens ?? contextTokens
}

/** Members of a model in model lists, best first: of the platform, vLLM, OpenRouter, LiteLLM, LM Studio, llama.cpp, Mistral. */
export const modelMembers = {
  /** Code of a model in the platform's list, exactly as requests must contain it. */
  code: ['modelCode', 'code', 'model', 'modelName', 'modelId', 'name'],
  context: [
    'contextTokens',
    'contextWindow',
    'contextLength',
    'context_length',
    'context_window',
    'context_size',
    'max_model_len',
    'max_context_length',
    'max_context_tokens',
    'max_input_tokens',
    'maxInputTokens',
    'inputTokenLimit',
    'n_ctx',
    'n_ctx_train',
    'maxTokens',
  ],
  capabilities: ['enabledTypes', 'types', 'type', 'capabilities', 'tasks', 'input_modalities'],
} as const
