import { z } from 'zod'

/** Tokens that one request cost, as the gateway counted them; what it did not say is absent, never zero. */
export type TokenUsage = {
  /** Prompt tokens that did not come from the cache. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** What a complete, not streamed answer says; the text may be empty (all tokens spent on thinking). */
export type Answer = { readonly text: string; readonly usage?: TokenUsage }

/** One standard's smallest real request and how to read its answer; pure. */
export type Wire = {
  /** Headers beside the key's. */
  readonly headers: Readonly<Record<string, string>>
  smallestRequest(model: string): Readonly<Record<string, unknown>>
  /** The answer in a parsed body, or undefined when the body is not this standard's. */
  readAnswer(body: unknown): Answer | undefined
}

/** How a gateway sees that this app asked, not a tool. */
export const ownHeaders = { 'content-type': 'application/json', 'user-agent': 'platform-companion' } as const

/** What the smallest request asks for, and how many tokens the answer may have. */
export const smallest = { prompt: 'Reply with the word ok.', maxTokens: 16 } as const

/** A count of tokens in an answer; what is not a count is as good as absent. */
export const TokenCount = z.int().nonnegative().optional().catch(undefined)

/** The counts that are known, or undefined when none is. */
export function knownUsage(counts: { readonly [K in keyof TokenUsage]-?: number | undefined }): TokenUsage | undefined {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}
