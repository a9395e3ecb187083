import type { Tokenizer } from '../text-model/tokenizer'
import type { CountedText } from './prompt-cache'
import type { TextRequest } from './standard'

const tokensPerMessage = 3

/** Each text that counts as input with its tokens. */
export function countTexts(tokenizer: Tokenizer, { texts }: TextRequest): readonly CountedText[] {
  return texts.map((text) => ({ text, tokens: tokenizer.count(text) }))
}

/** Input tokens: all texts, and a few for the frame of each message. */
export function inputTokensOf(counted: readonly CountedText[], { messageCount }: TextRequest): number {
  return counted.reduce((sum, { tokens }) => sum + tokens, tokensPerMessage * (messageCount + 1))
}
