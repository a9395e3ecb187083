import { createHash, randomBytes } from 'node:crypto'
import type { Turn } from '../text-model/question'
import type { Tokenizer } from '../text-model/tokenizer'

/** A request of either standard, reduced to what the sandbox needs of it. */
export interface TextRequest {
  readonly modelCode: string
  readonly isStream: boolean
  /** Whether a stream ends with a usage chunk (chat-completions only; the other standard always tells). */
  readonly wantsUsage: boolean
  readonly maxTokens: number | undefined
  readonly messageCount: number
  /** Every text that counts as input: tools and system first, then the messages in order. */
  readonly texts: readonly string[]
  /** How many of the texts come before the last message: what a prompt cache may know. */
  readonly leadingCount: number
  /** The user's last words, without what tools add to them. */
  readonly prompt: string
  /** What was said before. */
  readonly history: readonly Turn[]
}

/** A finished answer before it is put into a standard's words. */
export interface Completion {
  readonly createdMs: number
  readonly modelCode: string
  readonly text: string
  /** The whole prompt, with what the cache knew of it. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Prompt tokens that were in the cache. */
  readonly cacheReadTokens?: number
  /** Prompt tokens that were put into the cache, in a standard that tells them apart from input. */
  readonly cacheWrittenTokens?: number
  /** Whether `max_tokens` cut it. */
  readonly isCut: boolean
  readonly wantsUsage: boolean
}

/** One piece of a stream as it goes over the wire, with the part of the answer that it carries. */
export interface Frame {
  readonly wire: string
  readonly text: string
}

/** The name of a protocol standard. */
export type StandardName = 'chat-completions' | 'messages'

/** How one protocol standard words requests, answers and errors. */
export interface Standard {
  readonly name: StandardName
  readonly requestIdHeader: string
  /** Whether its usage tells what was put into the cache; else that counts as input. */
  readonly tellsCacheWrites: boolean
  /** Whether a request without a limit of its answer is refused. */
  readonly needsMaxTokens: boolean
  /** Throws `ZodError` for a body that does not fit. */
  readonly parse: (body: unknown) => TextRequest
  readonly answer: (completion: Completion) => unknown
  readonly stream: (completion: Completion) => Iterable<Frame>
  readonly error: (error: { status: number; code: string; message: string; requestId: string }) => unknown
}

/** The pieces in which an answer is streamed: each word with the space before it, so no character is ever split. */
export const pieces = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? []

const tokensPerMessage = 3

/** Each text that counts as input with its tokens. */
export function countTexts(tokenizer: Tokenizer, { texts }: TextRequest): readonly CountedText[] {
  return texts.map((text) => ({ text, tokens: tokenizer.count(text) }))
}

/** Input tokens: all texts, and a few for the frame of each message. */
export function countInputTokens(counted: readonly CountedText[], { messageCount }: TextRequest): number {
  return counted.reduce((sum, { tokens }) => sum + tokens, tokensPerMessage * (messageCount + 1))
}

/** A text with its number of tokens. */
interface CountedText {
  readonly text: string
  readonly tokens: number
}

/** Tokens of a prompt that were in the cache, and tokens that are there from now on. */
interface CacheUse {
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

/** What the ids of this process share: a counter behind it is enough to make them unique. */
const ours = randomBytes(10).toString('hex')
let last = 0

/** A new id: the prefix and 32 hex digits. */
export function newId(prefix: string): string {
  last += 1
  return prefix + ours + last.toString(16).padStart(12, '0')
}
