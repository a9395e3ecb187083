import { z } from 'zod'
import { Content, conversationOf, RequiredContent, textsOf } from './content'
import { newId } from './ids'
import { type Completion, type Frame, pieces, type Standard, type TextRequest } from './standard'

const Body = z.object({
  model: z.string().min(1),
  messages: z.array(z.object({ role: z.string(), content: RequiredContent })).min(1),
  system: Content.optional(),
  stream: z.boolean().nullish(),
  max_tokens: z.number().int().positive().nullish(),
  tools: z.array(z.unknown()).nullish(),
})

function parse(body: unknown): TextRequest {
  const { model, messages, system, stream, max_tokens, tools } = Body.parse(body)
  const before = [...(tools ? [JSON.stringify(tools)] : []), ...textsOf(system)]
  const leading = [...before, ...messages.slice(0, -1).flatMap(({ content }) => textsOf(content))]
  return {
    modelCode: model,
    isStream: stream ?? false,
    wantsUsage: true,
    maxTokens: max_tokens ?? undefined,
    messageCount: messages.length,
    texts: [...leading, ...textsOf(messages.at(-1)?.content)],
    leadingCount: leading.length,
    ...conversationOf(messages),
  }
}

const stopReason = ({ isCut }: Completion): string => (isCut ? 'max_tokens' : 'end_turn')

function usage({ inputTokens, cacheReadTokens = 0, cacheWrittenTokens = 0 }: Completion, output_tokens: number) {
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWrittenTokens,
    cache_creation_input_tokens: cacheWrittenTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens,
  }
}

const message = (completion: Completion, rest: object) => ({
  id: newId('msg_'),
  type: 'message',
  role: 'assistant',
  model: completion.modelCode,
  ...rest,
})

function answer(completion: Completion): unknown {
  return message(completion, {
    content: [{ type: 'text', text: completion.text }],
    stop_reason: stopReason(completion),
    stop_sequence: null,
    usage: usage(completion, completion.outputTokens),
  })
}

function frame(type: string, rest: object, text = ''): Frame {
  return { wire: `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`, text }
}

function* stream(completion: Completion): Iterable<Frame> {
  const empty = { content: [], stop_reason: null, stop_sequence: null, usage: usage(completion, 0) }
  yield frame('message_start', { message: message(completion, empty) })
  yield frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  yield frame('ping', {})
  for (const piece of pieces(completion.text)) {
    yield frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }, piece)
  }
  yield frame('content_block_stop', { index: 0 })
  yield frame('message_delta', {
    delta: { stop_reason: stopReason(completion), stop_sequence: null },
    usage: { output_tokens: completion.outputTokens },
  })
  yield frame('message_stop', {})
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const errorType = (status: number): string =>
  errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')

/** The second standard, served at `/v1/messages` in its public format. `error.code` is an addition of the sandbox. */
export const messages: Standard = {
  name: 'messages',
  requestIdHeader: 'request-id',
  tellsCacheWrites: true,
  needsMaxTokens: true,
  parse,
  answer,
  stream,
  error: ({ status, code, message: text, requestId }) => ({
    type: 'error',
    error: { type: errorType(status), message: text, code },
    request_id: requestId,
  }),
}
