import { z } from 'zod'
import { type ApiStandard, type Completion, newId, type StreamFrame, splitWords } from './standard'

/** A message part in the chat-completions or Messages format. Unknown kinds are accepted but not counted. */
interface ContentPart {
  readonly text?: string | undefined
  readonly input?: unknown
  readonly content?: Content | undefined
  readonly tool_use_id?: string | undefined
}

/** Content of a message in the chat-completions or Messages format. */
export type Content = string | readonly ContentPart[] | null

/** Message content: a string or parts. Tool results contain content themselves. */
export const Content: z.ZodType<Content> = z.lazy(() => z.union([z.string(), z.array(ContentPart), z.null()]))

const ContentPart: z.ZodType<ContentPart> = z.object({
  text: z.string().optional(),
  input: z.unknown().optional(),
  content: Content.optional(),
  tool_use_id: z.string().optional(),
})

/** Content that must not be null. */
export const RequiredContent = z.union([z.string(), z.array(ContentPart)], 'a text or a list of parts is required')

export function listTexts(content: Content | undefined): readonly string[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => [
    ...(part.text === undefined ? [] : [part.text]),
    ...(part.input === undefined ? [] : [JSON.stringify(part.input)]),
    ...listTexts(part.content),
  ])
}

interface ContentMessage {
  readonly role: string
  readonly content?: Content | undefined
}

/** Message text without the reminders that coding tools insert. */
function messageText({ content }: ContentMessage): string {
  return listTexts(content)
    .map((text) => text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim())
    .filter((text) => text !== '')
    .join('\n')
}

/** Text of the last user message, and whether a tool result follows it. */
export function lastPrompt(messages: readonly ContentMessage[]): { prompt: string; isToolResult: boolean } {
  const lastQuestionIndex = messages.findLastIndex((message) => message.role === 'user' && messageText(message) !== '')
  const prompt = messages[lastQuestionIndex]
  const isResult = ({ role, content }: ContentMessage) =>
    role === 'tool' || (Array.isArray(content) && content.some((part) => part.tool_use_id !== undefined))
  return {
    prompt: prompt ? messageText(prompt) : '',
    isToolResult: messages.slice(Math.max(lastQuestionIndex, 0)).some(isResult),
  }
}

const limit = z.number().int().positive().nullish()

/** Fields that may replace an assistant's content. */
const contentReplacements = ['tool_calls', 'function_call', 'refusal', 'audio'] as const

const Message = z
  .looseObject({ role: z.string(), content: Content.optional(), tool_calls: z.unknown().optional() })
  .superRefine((message, context) => {
    if (message.role === 'assistant' && contentReplacements.some((name) => message[name] != null)) return
    const { error } = RequiredContent.safeParse(message.content)
    for (const { message: text } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['content'], message: text })
  })

const Body = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: limit,
  max_completion_tokens: limit,
  tools: z.array(z.unknown()).nullish(),
  reasoning_effort: z.unknown().optional(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.unknown() }).nullish() })
    .nullish(),
})

const ChatTool = z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown() }) })

/** Schema of a structured response. JSON mode accepts any object. */
function readSchema(format: z.infer<typeof Body>['response_format']): unknown {
  if (format?.type === 'json_object') return { type: 'object', properties: { result: { type: 'string' } } }
  return format?.type === 'json_schema' ? (format.json_schema?.schema ?? {}) : undefined
}

type Message = z.infer<typeof Message>

const listMessageTexts = ({ content, tool_calls }: Message): readonly string[] =>
  tool_calls ? [...listTexts(content), JSON.stringify(tool_calls)] : listTexts(content)

const usage = ({ inputTokens, outputTokens, cacheReadTokens = 0 }: Completion) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cacheReadTokens },
})

function finishReason({ isCut, toolCall }: Completion): string {
  if (toolCall) return 'tool_calls'
  return isCut ? 'length' : 'stop'
}

function toolCalls({ toolCall }: Completion): object {
  if (toolCall === undefined) return {}
  const call = { name: toolCall.name, arguments: JSON.stringify(toolCall.arguments) }
  return { tool_calls: [{ index: 0, id: newId('call_'), type: 'function', function: call }] }
}

const commonFields = (object: string, { createdMs, modelCode }: Completion) => ({
  id: newId('chatcmpl-'),
  object,
  created: Math.floor(createdMs / 1000),
  model: modelCode,
})

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** The chat-completions standard (spec, "Endpoints", A). */
export const chatCompletions: ApiStandard = {
  name: 'chat-completions',
  requestIdHeader: 'x-request-id',
  parse(body) {
    const chatRequest = Body.parse(body)
    const { model, messages, stream, stream_options, max_tokens, max_completion_tokens, tools } = chatRequest
    const toolTexts = tools ? [JSON.stringify(tools)] : []
    const leadingTexts = [...toolTexts, ...messages.slice(0, -1).flatMap(listMessageTexts)]
    return {
      modelCode: model,
      isStream: stream ?? false,
      wantsUsage: stream_options?.include_usage ?? false,
      maxTokens: max_completion_tokens ?? max_tokens ?? undefined,
      messageCount: messages.length,
      texts: [...leadingTexts, ...messages.slice(-1).flatMap(listMessageTexts)],
      leadingCount: leadingTexts.length,
      // Ignore other kinds than function tools.
      tools: (tools ?? []).flatMap((tool) => ChatTool.safeParse(tool).data?.function ?? []),
      schema: readSchema(chatRequest.response_format),
      isReasoning: chatRequest.reasoning_effort != null,
      ...lastPrompt(messages),
    }
  },
  answer(completion) {
    const { text, reasoning, toolCall } = completion
    const message = {
      role: 'assistant',
      content: toolCall ? null : text,
      refusal: null,
      reasoning_content: reasoning,
      ...toolCalls(completion),
    }
    return {
      ...commonFields('chat.completion', completion),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(completion) }],
      usage: usage(completion),
    }
  },
  *stream(completion) {
    const { text, reasoning, toolCall, wantsUsage } = completion
    const fields = commonFields('chat.completion.chunk', completion)
    const chunk = (delta: object, finish_reason: string | null, text = ''): StreamFrame => {
      const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
      const data = { ...fields, choices, usage: wantsUsage ? null : undefined }
      return { wire: `data: ${JSON.stringify(data)}\n\n`, text }
    }
    yield chunk({ role: 'assistant', content: '' }, null)
    for (const word of splitWords(reasoning ?? '')) yield chunk({ reasoning_content: word }, null, word)
    for (const word of splitWords(text)) yield chunk({ content: word }, null, word)
    if (toolCall) yield chunk(toolCalls(completion), null, JSON.stringify(toolCall))
    yield chunk({}, finishReason(completion))
    if (wantsUsage)
      yield { wire: `data: ${JSON.stringify({ ...fields, choices: [], usage: usage(completion) })}\n\n`, text: '' }
    yield { wire: 'data: [DONE]\n\n', text: '' }
  },
  error({ status, code, message }) {
    const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
    return { error: { message, type, param: null, code } }
  },
}
