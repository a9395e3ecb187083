import { isObject } from './server-message'

type Json = Readonly<Record<string, unknown>>

/** Tokens of a request as reported by the gateway. Missing counts are unknown, not zero. */
export type TokenUsage = {
  /** Tokens of the prompt, without cached tokens. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** Largest count in any of these fields. Servers send the same count under several names, some of them zero. */
function findMaxCount(objects: readonly unknown[], names: readonly string[]): number | undefined {
  const values = objects.filter(isObject).flatMap((object) => names.map((name) => toCount(object[name])))
  const counts = values.filter((value) => value !== undefined)
  return counts.length === 0 ? undefined : Math.max(...counts)
}

/** Parses a token count. Some servers send numbers as text or with decimals. */
function toCount(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\s*\d/.test(value))
  const count = isNumber ? Math.round(Number(value)) : Number.NaN
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

/** Whether the prompt count includes cached tokens. Chat usage includes them, Messages usage does not. */
function includesCache(value: Json, prompt: number, cache: number): boolean {
  const isChat = findMaxCount([value], ['prompt_tokens']) || isObject(value.input_tokens_details)
  const outputTokens = findMaxCount([value], ['completion_tokens', 'output_tokens']) ?? 0
  const isSeparate = findMaxCount([value], ['total_tokens']) === prompt + outputTokens + cache
  // Some servers do not include cached tokens in a chat's prompt, as OpenRouter for Grok, or mix the field names of both
  // standards. Decide by more cached than prompt tokens, or for Messages names by the total.
  const cacheTokenCount = findMaxCount([value], ['cache_read_input_tokens', 'cache_creation_input_tokens'])
  const isCacheInPrompt = cache > 0 && (prompt < cache || (Boolean(cacheTokenCount) && isSeparate))
  return Boolean(isChat) && !isCacheInPrompt
}

/** Some servers exclude reasoning from the completion. Detects this by the total, or by the reasoning tokens. */
function readOutput(value: Json, prompt: number | undefined): number | undefined {
  const completion = findMaxCount([value], ['completion_tokens', 'output_tokens'])
  const total = findMaxCount([value], ['total_tokens'])
  const reasoning = readReasoningTokens(value) ?? 0
  if (total !== undefined && prompt !== undefined && total > prompt) return Math.max(completion ?? 0, total - prompt)
  return completion !== undefined && reasoning > completion ? completion + reasoning : completion
}

const cacheReadNames = ['cache_read_input_tokens', 'prompt_cache_hit_tokens', 'cached_tokens', 'cache_read_tokens']
const cacheWriteNames = [
  'cache_creation_input_tokens',
  'cache_write_input_tokens',
  'cache_write_tokens',
  'cache_creation_tokens',
  'cached_creation_tokens',
]

/** Returns the token count that was reported later, unless it is zero. */
const maxCount = (later: number | undefined, earlier: number | undefined): number | undefined =>
  later || (earlier ?? later)

/** Parses `usage` in any form (chat, Messages, Responses). `earlier`: previous usage of the same response. */
export function readUsage(value: unknown, earlier: TokenUsage = {}): TokenUsage | undefined {
  const usage = isObject(value) ? value : {}
  const cacheSources = [usage, usage.prompt_tokens_details, usage.input_tokens_details]
  const readTokens = findMaxCount(cacheSources, cacheReadNames)
  // Some servers list cache writes only by lifetime (`ephemeral_5m_input_tokens`).
  const writesByLifetime = isObject(usage.cache_creation)
    ? Object.values(usage.cache_creation).reduce<number>((sum, count) => sum + (toCount(count) ?? 0), 0)
    : undefined
  const cacheWriteCount = findMaxCount(cacheSources, cacheWriteNames) ?? writesByLifetime
  const cacheReadTokens = maxCount(readTokens, earlier.cacheReadTokens)
  const cacheWriteTokens = maxCount(cacheWriteCount, earlier.cacheWriteTokens)
  const totalCacheTokens = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)

  const prompt = findMaxCount([usage], ['prompt_tokens']) || findMaxCount([usage], ['input_tokens', 'prompt_tokens'])
  const isIncluded = includesCache(usage, prompt ?? 0, totalCacheTokens)
  const input = isIncluded && prompt ? Math.max(0, prompt - totalCacheTokens) : maxCount(prompt, earlier.inputTokens)
  const output = readOutput(usage, prompt === undefined || isIncluded ? prompt : prompt + totalCacheTokens)

  const outputTokens = maxCount(output, earlier.outputTokens)
  // Embeddings and rerankers may only report a total.
  const total = findMaxCount([usage], ['total_tokens'])
  const inputTokens =
    input || (total === undefined ? input : Math.max(0, total - (outputTokens ?? 0) - totalCacheTokens))
  const counts = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }
  const definedCounts = Object.entries(counts).filter(([, count]) => count !== undefined)
  return definedCounts.length === 0 ? undefined : Object.fromEntries(definedCounts)
}

export function readReasoningTokens(value: unknown): number | undefined {
  if (!isObject(value)) return undefined
  return findMaxCount([value, value.completion_tokens_details, value.output_tokens_details], ['reasoning_tokens'])
}
