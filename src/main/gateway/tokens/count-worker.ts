import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { answerQuestions, type Call } from '../../core/worker-thread'
import { type CountCalls, counterName } from './token-counter'

const sliceLength = 256
const longRun = /\S{2048}|\s{2048}/

/** Words that look like the encoding's control tokens are ordinary text here. */
const asText = { disallowedSpecial: new Set<string>() }

/** Tokens of a text. The time for one word grows with the square of its length, so endless words (encoded files) are counted in slices. */
export function countText(text: string): number {
  if (!longRun.test(text)) return countTokens(text, asText)
  let sum = 0
  for (let at = 0; at < text.length; at += sliceLength) sum += countTokens(text.slice(at, at + sliceLength), asText)
  return sum
}

// The thread that counts tokens.
const host = { answer: async ({ input: [texts] }: Call<CountCalls>) => texts.map(countText) }
if (parentPort) answerQuestions<CountCalls>(parentPort, host, counterName)
