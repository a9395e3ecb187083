import { describe, expect, test } from 'vitest'
import { readUsage } from '../../../../src/main/gateway/usage'

type ExpectedCounts = readonly (number | undefined)[]

const toTokenUsage = ([inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]: ExpectedCounts) =>
  Object.fromEntries(
    Object.entries({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }).filter(([, n]) => n !== undefined),
  )
const buildCachedUsage = (n: number, extraFields: object = {}) => ({
  prompt_tokens_details: { cached_tokens: n, ...extraFields },
})
const reasoningTokens = (n: number) => ({ completion_tokens_details: { reasoning_tokens: n } })
const chat = (prompt_tokens: number, completion_tokens: number, total_tokens?: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: total_tokens ?? prompt_tokens + completion_tokens,
})
const messages = (
  input_tokens: number,
  output_tokens: number,
  cacheReadTokens?: number,
  cacheWriteTokens?: number,
) => ({
  input_tokens,
  output_tokens,
  cache_read_input_tokens: cacheReadTokens,
  cache_creation_input_tokens: cacheWriteTokens,
})

describe('usage of a chat', () => {
  test.each<[string, object, ExpectedCounts]>([
    ['without output, with reasoning in the total', { ...chat(21, 0, 81), ...reasoningTokens(60) }, [21, 60]],
    ['with reasoning beside the output', { ...chat(279, 6, 374), ...reasoningTokens(89) }, [279, 95]],
    ['with a total that is more than its parts', chat(10, 5, 45), [10, 35]],
    [
      'with reasoning beside the output and no total',
      { completion_tokens: 0, ...reasoningTokens(60) },
      [undefined, 60],
    ],
    ['with reasoning as part of the output', { ...chat(10, 50), ...reasoningTokens(45) }, [10, 50]],
    [
      'with cache hits and misses',
      { ...chat(100, 5), prompt_cache_hit_tokens: 80, prompt_cache_miss_tokens: 20 },
      [20, 5, 80],
    ],
    ['with cached tokens at the top', { ...chat(100, 5), cached_tokens: 80 }, [20, 5, 80]],
    ['with cache writes', { ...chat(100, 5), ...buildCachedUsage(60, { cache_write_tokens: 30 }) }, [10, 5, 60, 30]],
    [
      'in several forms',
      { ...chat(100, 5), ...buildCachedUsage(80), prompt_cache_hit_tokens: 80, cached_tokens: 80 },
      [20, 5, 80],
    ],
    [
      'in several forms, one of them zero',
      { ...chat(100, 5), ...buildCachedUsage(0), prompt_cache_hit_tokens: 80 },
      [20, 5, 80],
    ],
    ['with Messages names', messages(18, 426, 8831), [18, 426, 8831]],
    ['with Messages names and writes', messages(18, 426, 8831, 7), [18, 426, 8831, 7]],
    ['with both names, the cache in the prompt', { ...chat(100, 5), ...messages(20, 5, 80) }, [20, 5, 80]],
    ['with both names, the cache beside the prompt', { ...chat(18, 426), ...messages(18, 426, 8831) }, [18, 426, 8831]],
    [
      'with a cache beside the prompt, by its total',
      { ...chat(100, 5, 185), cache_read_input_tokens: 80 },
      [100, 5, 80],
    ],
    ['with Responses names', { ...messages(100, 5), input_tokens_details: { cached_tokens: 80 } }, [20, 5, 80]],
    ['with chat names that are zero beside others', { ...chat(0, 0), ...messages(20, 5) }, [20, 5]],
    ['of embeddings, without an output', { prompt_tokens: 7, total_tokens: 7 }, [7]],
    ['with text for counts', { prompt_tokens: '12', completion_tokens: 5 }, [12, 5]],
    ['with decimals and spaces', { prompt_tokens: ' 12 ', completion_tokens: 4.6 }, [12, 5]],
    ['with counts that are none', { prompt_tokens: -1, completion_tokens: '?', total_tokens: null }, []],
    ['with more cached than prompt tokens', { ...chat(18, 426), ...buildCachedUsage(8831) }, [18, 426, 8831]],
    [
      'with more cached than prompt tokens, by its total',
      { ...chat(18, 426, 9275), ...buildCachedUsage(8831) },
      [18, 426, 8831],
    ],
    [
      'with cache writes of new-api',
      { ...chat(100, 5), ...buildCachedUsage(60, { cached_creation_tokens: 30 }) },
      [10, 5, 60, 30],
    ],
    [
      'with cache writes by lifetime',
      { ...messages(18, 5), cache_creation: { ephemeral_5m_input_tokens: 7 } },
      [18, 5, undefined, 7],
    ],
    ['of a total alone', { total_tokens: 15 }, [15]],
    ['of a total and an output', { completion_tokens: 5, total_tokens: 15 }, [10, 5]],
  ])('%s', (_name, usage, expectedCounts) => {
    expect(readUsage(usage) ?? {}).toEqual(toTokenUsage(expectedCounts))
  })
})

describe('usage that is reported several times', () => {
  test.each<[string, readonly object[], ExpectedCounts]>([
    ['replaces input that did not know of the cache', [messages(8834, 0), messages(18, 426, 8831)], [18, 426, 8831]],
    ['keeps the input before an input of zero', [messages(18, 1, 8831), messages(0, 426, 0)], [18, 426, 8831]],
    ['keeps the input before none', [messages(18, 1, 8831), { output_tokens: 426 }], [18, 426, 8831]],
    [
      'keeps counts before zeros',
      [
        { ...chat(100, 5), ...buildCachedUsage(80) },
        { ...chat(0, 0), ...buildCachedUsage(0) },
      ],
      [20, 5, 80],
    ],
    ['is the last of a chat', [chat(10, 1), chat(10, 2), chat(10, 3)], [10, 3]],
    ['subtracts the cache once', [{ ...chat(100, 1), ...buildCachedUsage(80) }, chat(100, 5)], [20, 5, 80]],
    ['keeps what one chunk of several knew', [chat(10, 5), {}, { prompt_tokens: null }], [10, 5]],
  ])('%s', (_name, usages, expectedCounts) => {
    const usage = usages.reduce<ReturnType<typeof readUsage>>((earlier, next) => readUsage(next, earlier), undefined)
    expect(usage).toEqual(toTokenUsage(expectedCounts))
  })
})
