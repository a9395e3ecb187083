import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type Call, serveWorkerCalls } from '../../core/worker-thread'
import { type CountCalls, counterName } from './token-counter'

const sliceLength = 256
const longRunPattern = /\S{2048}|\s{2048}/

/** Special tokens in a text are counted as ordinary text. */
const tokenizerOptions = { disallowedSpecial: new Set<string>() }

/** Counts tokens. Very long words (encoded files) are counted in slices, because the tokenizer is quadratic. */
export function countTextTokens(text: string): number {
  if (!longRunPattern.test(text)) return countTokens(text, tokenizerOptions)
  let sum = 0
  for (let position = 0; position < text.length; position += sliceLength)
    sum += countTokens(text.slice(position, position + sliceLength), tokenizerOptions)
  return sum
}

const host = { answer: async ({ input: [texts] }: Call<CountCalls>) => texts.map(countTextTokens) }
if (parentPort) serveWorkerCalls<CountCalls>(parentPort, host, counterName)
