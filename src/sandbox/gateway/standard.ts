import type { Turn } from '../text-model/question'

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
