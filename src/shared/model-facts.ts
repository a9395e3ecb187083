import { ModelCode } from './contract/common'
import type { ModelFacts } from './contract/plans'

/** Context size of a model whose real size is unknown, in tokens. */
export const defaultContextTokens = 128_000

/**
 * Context size for a model of a plan. A value that the user entered for the plan wins over the known size of the
 * model.
 */
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

/** Objects inside a model that may contain these members. */
const containers = ['meta', 'limit', 'limits', 'architecture', 'model_info', 'details', 'metadata']

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Facts about a model in an entry of a model list. Undefined without a model code. */
export function readModelFacts(entry: unknown, codeMembers: readonly string[]): ModelFacts | undefined {
  if (!isMembers(entry)) return undefined
  const modelCode = codeMembers.map((name) => ModelCode.safeParse(entry[name]).data).find((code) => code !== undefined)
  if (modelCode === undefined) return undefined
  const places = [entry, ...containers.map((name) => entry[name]).filter(isMembers)]
  const read = <T>(names: readonly string[], parse: (value: unknown) => T | undefined): T | undefined =>
    places.flatMap((place) => names.map((name) => parse(place[name]))).find((value) => value !== undefined)
  const contextTokens = read(modelMembers.context, parseTokens) ?? read(['context'], parseTokens)
  const capabilities = read(modelMembers.capabilities, parseCapabilities)
  return { modelCode, ...(contextTokens && { contextTokens }), ...(capabilities && { capabilities }) }
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** Number of tokens in the range that plans accept. Also reads texts such as "128K". */
function parseTokens(value: unknown): number | undefined {
  const [, digits = '', unit = ''] = /^([\d.,_]+)\s*([km]?)(?: tokens)?$/i.exec(String(value).trim()) ?? []
  const tokens = Math.floor(Number(digits.replace(/[,_]/g, '')) * (units[unit.toLowerCase()] ?? 1))
  return digits !== '' && tokens >= 1000 && tokens <= 10_000_000 ? tokens : undefined
}

/** Texts of a list, or names of the true members of an object. */
function parseCapabilities(value: unknown): string[] | undefined {
  const names = Array.isArray(value)
    ? value
    : isMembers(value)
      ? Object.keys(value).filter((name) => value[name] === true)
      : []
  const texts = names.filter((name) => typeof name === 'string' && name !== '' && name.length <= 40).slice(0, 20)
  return texts.length > 0 ? texts : undefined
}
