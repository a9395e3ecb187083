import { z } from 'zod'
import type { Turn } from '../text-model/question'
import { type Completion, type Frame, newId, pieces, type Standard, type TextRequest } from './standard'

/** A part of a message, in either standard; kinds that are not known here are accepted and not counted. */
interface Part {
  readonly text?: string | undefined
  readonly input?: unknown
  readonly content?: Content | undefined
}

/** A message's content as both standards allow it. */
export type Content = string | readonly Part[] | null

/** Parses the content of a message: a string, or parts, which may hold content themselves (tool results). */
export const Content: z.ZodType<Content> = z.lazy(() => z.union([z.string(), z.array(Part), z.null()]))

const Part: z.ZodType<Part> = z.object({
  text: z.string().optional(),
  input: z.unknown().optional(),
  content: Content.optional(),
})

/** The content of a message that must have some. */
export const RequiredContent = z.union([z.string(), z.array(Part)], 'a text or a list of parts is required')

/** All texts of a content, in order. */
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

/** The words of a message without the reminders that coding tools put around them. */
function wordsOf({ content }: ContentMessage): string {
  return listTexts(content)
    .map((text) => text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim())
    .filter((text) => text !== '')
    .join('\n')
}

/** The last words of a user, and what user and model said before, oldest first. */
export function splitConversation(messages: readonly ContentMessage[]): { prompt: string; history: readonly Turn[] } {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const prompt = messages[last]
  const history = messages
    .slice(0, Math.max(0, last))
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map((message) => ({ role: message.role, text: wordsOf(message) }))
  return { prompt: prompt ? wordsOf(prompt) : '', history: history.filter(({ text }) => text !== '') }
}

const limit = z.number().int().positive().nullish()

/** What an assistant can have said instead of a content. */
const insteadOfContent = ['tool_calls', 'function_call', 'refusal', 'audio'] as const

const Message = z
  .looseObject({ role: z.string(), content: Content.optional(), tool_calls: z.unknown().optional() })
  .superRefine((message, context) => {
    if (message.role === 'assistant' && insteadOfContent.some((name) => message[name] != null)) return
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
})

type Message = z.infer<typeof Message>

const textsOfMessage = ({ content, tool_calls }: Message): readonly string[] =>
  tool_calls ? [...listTexts(content), JSON.stringify(tool_calls)] : listTexts(content)

function parse(body: unknown): TextRequest {
  const { model, messages, stream, stream_options, max_tokens, max_completion_tokens, tools } = Body.parse(body)
  const before = tools ? [JSON.stringify(tools)] : []
  const leading = [...before, ...messages.slice(0, -1).flatMap(textsOfMessage)]
  return {
    modelCode: model,
    isStream: stream ?? false,
    wantsUsage: stream_options?.include_usage ?? false,
    maxTokens: max_completion_tokens ?? max_tokens ?? undefined,
    messageCount: messages.length,
    texts: [...leading, ...messages.slice(-1).flatMap(textsOfMessage)],
    leadingCount: leading.length,
    ...splitConversation(messages),
  }
}

const usage = ({ inputTokens, outputTokens, cacheReadTokens = 0 }: Completion) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cacheReadTokens },
})

const finishReason = ({ isCut }: Completion): string => (isCut ? 'length' : 'stop')
const seconds = ({ createdMs }: Completion): number => Math.floor(createdMs / 1000)

function answer(completion: Completion): unknown {
  const message = { role: 'assistant', content: completion.text, refusal: null }
  return {
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created: seconds(completion),
    model: completion.modelCode,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(completion) }],
    usage: usage(completion),
  }
}

function* stream(completion: Completion): Iterable<Frame> {
  const common = {
    id: newId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: seconds(completion),
    model: completion.modelCode,
  }
  const noUsage = completion.wantsUsage ? { usage: null } : {}
  const chunk = (delta: object, finish_reason: string | null, text = ''): Frame => {
    const data = { ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...noUsage }
    return { wire: `data: ${JSON.stringify(data)}\n\n`, text }
  }
  yield chunk({ role: 'assistant', content: '' }, null)
  for (const piece of pieces(completion.text)) yield chunk({ content: piece }, null, piece)
  yield chunk({}, finishReason(completion))
  if (completion.wantsUsage) {
    yield { wire: `data: ${JSON.stringify({ ...common, choices: [], usage: usage(completion) })}\n\n`, text: '' }
  }
  yield { wire: 'data: [DONE]\n\n', text: '' }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

const errorType = (status: number): string =>
  errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')

/** The chat-completions standard (spec, "Endpoints", A). */
export const chatCompletions: Standard = {
  name: 'chat-completions',
  requestIdHeader: 'x-request-id',
  tellsCacheWrites: false,
  needsMaxTokens: false,
  parse,
  answer,
  stream,
  error: ({ status, code, message }) => ({ error: { message, type: errorType(status), param: null, code } }),
}
