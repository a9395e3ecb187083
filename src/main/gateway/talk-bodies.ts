import type { Standard } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { parameterMembers, withExtra } from './request-parameters'
import type { CompletionRequest, EmbeddingsRequest, TalkMessage, TalkPart, TalkRequest } from './talk'

/** How the answer shall come. */
export interface BodyOptions {
  readonly stream: boolean
}

type Json = Readonly<Record<string, unknown>>

/** The Messages standard must be told a limit: this many tokens when none is set. */
export const DEFAULT_MAX_TOKENS = 4096

/** Asks for the usage, which a stream of the chat-completions standard does not tell by itself. */
const streamed = { stream: true, stream_options: { include_usage: true } } as const

/** How each standard writes a conversation. */
const conversations: Readonly<Record<Standard, (request: TalkRequest, options: BodyOptions) => Json>> = {
  'chat-completions': ({ modelCode, system, messages, parameters }, { stream }) => ({
    model: modelCode,
    messages: [
      ...(isBlank(system) ? [] : [{ role: 'system', content: system }]),
      ...written(messages, (base64, mediaType) => ({
        type: 'image_url',
        image_url: { url: `data:${mediaType};base64,${base64}` },
      })),
    ],
    ...(stream ? streamed : {}),
    ...parameterMembers(parameters, 'chat-completions'),
  }),
  messages: ({ modelCode, system, messages, parameters }, { stream }) => ({
    model: modelCode,
    max_tokens: DEFAULT_MAX_TOKENS,
    ...(isBlank(system) ? {} : { system }),
    messages: written(alternating(messages), (base64, mediaType) => ({
      type: 'image',
      source: { type: 'base64', media_type: mediaType, data: base64 },
    })),
    ...(stream ? { stream } : {}),
    ...parameterMembers(parameters, 'messages'),
  }),
}

/** The body of a chat in the request's standard. Throws `input.invalid` with the parameter that cannot be sent. */
export function chatBody(request: TalkRequest, options: BodyOptions): Record<string, unknown> {
  return withExtra(conversations[request.standard](request, options), request.parameters)
}

/** The body of a text completion (spec, "Inference"). Throws `input.invalid` with the parameter that cannot be sent, or for the Messages standard. */
export function completionBody(request: CompletionRequest, { stream }: BodyOptions): Record<string, unknown> {
  refuseMessages(request.standard, 'text completions')
  const { modelCode, prompt, parameters } = request
  const body = { model: modelCode, prompt, ...(stream ? streamed : {}), ...parameterMembers(parameters, 'completion') }
  return withExtra(body, parameters)
}

/** The body of an embeddings request (spec, "Inference"). Throws `input.invalid` for the Messages standard. */
export function embeddingsBody({ standard, modelCode, inputs }: EmbeddingsRequest): Record<string, unknown> {
  refuseMessages(standard, 'embeddings')
  return { model: modelCode, input: [...inputs] }
}

function refuseMessages(standard: Standard | undefined, what: string): void {
  if (standard !== 'messages') return
  const message = `The messages standard has no ${what}. Use an address of the chat-completions standard.`
  throw new AppError('input.invalid', message, { field: 'standard' })
}

const isBlank = (text: string): boolean => text.trim() === ''

/** Consecutive messages of one role as one: the Messages standard wants roles that alternate. */
function alternating(messages: readonly TalkMessage[]): readonly TalkMessage[] {
  const merged: TalkMessage[] = []
  for (const { role, parts } of messages.map(withoutBlanks).filter(hasParts)) {
    const last = merged.at(-1)
    if (last?.role === role) merged[merged.length - 1] = { role, parts: [...last.parts, ...parts] }
    else merged.push({ role, parts })
  }
  return merged
}

/** Servers refuse texts without a word. */
function withoutBlanks({ role, parts }: TalkMessage): TalkMessage {
  return { role, parts: parts.filter((part) => part.kind !== 'text' || !isBlank(part.text)) }
}

const hasParts = ({ parts }: TalkMessage): boolean => parts.length > 0

/** Messages as both standards write them: a plain text where there is no image, which every server takes, or else parts. */
function written(messages: readonly TalkMessage[], image: (base64: string, mediaType: string) => Json) {
  return messages
    .map(withoutBlanks)
    .filter(hasParts)
    .map(({ role, parts }) => ({ role, content: plainText(parts) ?? parts.map((part) => writtenPart(part, image)) }))
}

function plainText(parts: readonly TalkPart[]): string | undefined {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n\n') : undefined
}

function writtenPart(part: TalkPart, image: (base64: string, mediaType: string) => Json): Json {
  return part.kind === 'text' ? { type: 'text', text: part.text } : image(part.base64, part.mediaType)
}
