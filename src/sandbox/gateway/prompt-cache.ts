import { createHash } from 'node:crypto'

/** A text with its number of tokens. */
export interface CountedText {
  readonly text: string
  readonly tokens: number
}

/** Tokens of a prompt that were in the cache, and tokens that are there from now on. */
export interface CacheUse {
  readonly readTokens: number
  readonly writtenTokens: number
}

/** Remembers how prompts began. */
export interface PromptCache {
  /** Looks up the leading texts of a prompt and remembers them for `owner` (a model of a plan). */
  readonly use: (owner: string, leading: readonly CountedText[]) => CacheUse
}

/** Shorter beginnings are not cached, as with the real services. */
const leastTokens = 1_024
const mostBeginnings = 4_096

const nothing: CacheUse = { readTokens: 0, writtenTokens: 0 }

const lengthOf = (texts: readonly CountedText[]): number => texts.reduce((sum, { tokens }) => sum + tokens, 0)

/** An empty cache. It keeps digests of the beginnings, not their texts, and forgets those that were not asked for longest. */
export function createPromptCache(): PromptCache {
  const known = new Set<string>()
  const remember = (beginning: string) => {
    known.delete(beginning)
    known.add(beginning)
    const [oldest] = known.size > mostBeginnings ? known : []
    if (oldest !== undefined) known.delete(oldest)
  }
  const use: PromptCache['use'] = (owner, leading) => {
    const total = lengthOf(leading)
    if (total < leastTokens) return nothing
    let [beginning, tokens, readTokens] = [owner, 0, 0]
    for (const part of leading) {
      beginning = createHash('sha256').update(beginning).update('\n').update(part.text).digest('base64')
      tokens += part.tokens
      if (tokens < leastTokens) continue
      if (known.has(beginning)) readTokens = tokens
      remember(beginning)
    }
    return { readTokens, writtenTokens: total - readTokens }
  }
  return { use }
}
