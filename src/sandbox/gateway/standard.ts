/** A request of either standard, reduced to what the sandbox needs of it. */
export interface TextRequest {
  readonly modelCode: string
  readonly isStream: boolean
  /** Whether a stream ends with a usage chunk (chat-completions only; the other standard always tells). */
  readonly wantsUsage: boolean
  readonly maxTokens: number | undefined
  readonly messageCount: number
  /** Every text that counts as input. */
  readonly texts: readonly string[]
  /** The user's last words, without what tools add to them. */
  readonly prompt: string
}

/** A finished answer before it is put into a standard's words. */
export interface Completion {
  readonly createdMs: number
  readonly modelCode: string
  readonly text: string
  readonly inputTokens: number
  readonly outputTokens: number
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
  /** Throws `ZodError` for a body that does not fit. */
  readonly parse: (body: unknown) => TextRequest
  readonly answer: (completion: Completion) => unknown
  readonly stream: (completion: Completion) => Iterable<Frame>
  readonly error: (error: { status: number; code: string; message: string; requestId: string }) => unknown
}

/** The pieces in which an answer is streamed: each word with the space before it, so no character is ever split. */
export const pieces = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? []
