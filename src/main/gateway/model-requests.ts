import type { PlaygroundParameters, PlaygroundToolCall } from '@shared/contract'
import type { Standard } from '@shared/contract/common'
import type { TokenUsage } from './standards'

/** One piece of a message as it is sent. */
export type TalkPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string }

/** A turn of a conversation; tool calls of an assistant are not sent again, their text is. */
export interface TalkMessage {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly TalkPart[]
}

/** What a chat asks, in neither standard yet. */
export interface TalkRequest {
  readonly standard: Standard
  readonly modelCode: string
  readonly system: string
  readonly messages: readonly TalkMessage[]
  readonly parameters: PlaygroundParameters
}

/** What a text completion asks. */
export interface CompletionRequest {
  /** Chat-completions when absent; the Messages standard knows no text completion and is refused. */
  readonly standard?: Standard | undefined
  readonly modelCode: string
  readonly prompt: string
  readonly parameters: PlaygroundParameters
}

/** What is asked of an embeddings model. */
export interface EmbeddingsRequest {
  /** Chat-completions when absent; the Messages standard knows no embeddings and is refused. */
  readonly standard?: Standard | undefined
  readonly modelCode: string
  readonly inputs: readonly string[]
}

/** Something new in an answer that comes. */
export type AnswerNews =
  | { readonly kind: 'text'; readonly piece: string }
  | { readonly kind: 'thinking'; readonly piece: string }
  /** All tool calls so far, each with its input as far as it came. */
  | { readonly kind: 'toolCalls'; readonly calls: readonly PlaygroundToolCall[] }

/** What an answer said about itself so far; what it did not say is absent. */
export interface AnswerFacts {
  readonly usage?: TokenUsage | undefined
  readonly finishReason?: string | undefined
  /** An error that came within the stream, or as the body of a good status: the server's JSON as text, for `explainStatus`. */
  readonly lateError?: string | undefined
  /**
   * Whether the standard's own end was seen (`[DONE]`, `message_stop`, a whole JSON body), or the bytes ended after a finish reason:
   * some servers leave the end mark out. Never with an error, or when nothing readable came.
   */
  readonly isWhole: boolean
}

/** What is beyond is not read; no answer of a model is nearly as long. */
export const LONGEST_ANSWER_BYTES = 64 * 1024 * 1024

/** Reads an answer from bytes as they come, cut anywhere. A JSON body where a stream was asked for is read as well. */
export interface AnswerReader {
  feed(bytes: Uint8Array): readonly AnswerNews[]
  /** No more will come. */
  end(): readonly AnswerNews[]
  facts(): AnswerFacts
}
