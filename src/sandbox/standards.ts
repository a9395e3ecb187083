import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type ZodError, z } from 'zod'
import { HttpError } from './http'
import type { AdmissionRefusal } from './state/plans'
import type { Key, Plan } from './state/world'
import type { Reply, ReplyRequest, Tokenizer } from './text-model'

const keyLength = 51

export const shortenText = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** 401: the key is unknown. */
export function createUnknownKeyError(secret: string): HttpError {
  const hasWrongLength = secret.startsWith('sk-sandbox-') && secret.length !== keyLength
  const remedy = hasWrongLength
    ? `it has ${secret.length} characters where ${keyLength} belong. Copy it again`
    : 'copy it again'
  return new HttpError(401, 'invalid_key', `Unknown subscription key: ${remedy}.`)
}

const refusalMessages: Record<AdmissionRefusal, (key: string, plan: string) => string> = {
  key_deleted: (key, plan) => `The subscription key "${key}" of plan "${plan}" was deleted.`,
  key_disabled: (key, plan) => `The subscription key "${key}" of plan "${plan}" is disabled. Enable it first.`,
  plan_deleted: (_, plan) => `The plan "${plan}" was deleted. Buy a plan again.`,
  plan_expired: (_, plan) => `The plan "${plan}" has expired. Buy it again.`,
}

/** 401 for the key itself, 402 for its plan (spec, "Errors", A). */
export const createAdmissionError = (refusal: AdmissionRefusal, key: Key, plan: Plan): HttpError =>
  new HttpError(refusal.startsWith('key') ? 401 : 402, refusal, refusalMessages[refusal](key.name, plan.name))

/** 403: the plan does not include the model. */
export function createModelNotInPlan(modelCode: string, plan: Plan): HttpError {
  const codes = plan.models.map((model) => model.modelCode).join(', ')
  const message = `The model "${shortenText(modelCode)}" is not included in plan "${plan.name}". Its models: ${codes}.`
  return new HttpError(403, 'model_not_in_plan', message)
}

/** 400: the body is invalid for the standard. */
export function invalidBody({ issues: [issue] }: ZodError): HttpError {
  const field = shortenText(issue?.path.join('.') || 'body')
  return new HttpError(400, 'invalid_request', `${field}: ${issue?.message ?? 'not accepted'}`)
}

/** 429: an allowance of the model is used up. Retrying is pointless. Our assumption: the spec names no status. */
export function quotaExhausted(plan: Plan, modelCode: string, allowance: 'tokens' | 'requests'): HttpError {
  const name = allowance === 'tokens' ? 'token' : 'request'
  const message =
    `The ${name} allowance of model "${modelCode}" in plan "${plan.name}" is used up (quota exhausted). ` +
    'Calls to it pause until the next cycle; use another model, another plan or a pay-as-you-go key.'
  return new HttpError(429, 'quota_exhausted', message, { 'x-should-retry': 'false' })
}

export type CredentialHeader = 'authorization' | 'x-api-key'

/** Reads `Authorization: Bearer`, then `x-api-key`. An empty bearer counts as missing. */
export function readCredential(headers: IncomingHttpHeaders) {
  const bearerToken = /^Bearer\s+(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim()
  const apiKey = headers['x-api-key']
  const trimmedApiKey = typeof apiKey === 'string' && apiKey.trim() !== '' ? apiKey.trim() : undefined
  const names: readonly CredentialHeader[] = ['authorization', 'x-api-key']
  return { secret: bearerToken ?? trimmedApiKey, headers: names.filter((name) => headers[name] !== undefined) }
}

/** A chat-completions or Messages request, reduced to the fields that the sandbox uses. */
interface TextRequest extends ReplyRequest {
  readonly isStream: boolean
  /** Whether a stream ends with a usage chunk (chat-completions only). */
  readonly wantsUsage: boolean
  readonly maxTokens: number | undefined
  readonly messageCount: number
  /** All input texts: tools and system prompt first, then the messages in order. */
  readonly texts: readonly string[]
  /** Number of texts before the last message, which a prompt cache may know. */
  readonly leadingCount: number
}

/** A complete answer, independent of the standard. */
export interface Completion {
  readonly createdMs: number
  readonly modelCode: string
  readonly text: string
  readonly reasoning?: string | undefined
  readonly toolCall?: Reply['toolCall']
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  /** Tokens written to the prompt cache. Only the messages standard reports them, in others they count as input. */
  readonly cacheWrittenTokens?: number
  /** Whether `max_tokens` truncated the answer. */
  readonly isCut: boolean
  readonly wantsUsage: boolean
}

/** One frame of a stream with the text it carries. */
export interface StreamFrame {
  readonly wire: string
  readonly text: string
}

export type ApiStandardName = 'chat-completions' | 'messages'

/** Request, response and error format of a protocol standard. */
export interface ApiStandard {
  readonly name: ApiStandardName
  readonly requestIdHeader: string
  /** Schema of a request body. */
  readonly body: z.ZodType<TextRequest>
  readonly answer: (completion: Completion) => unknown
  readonly stream: (completion: Completion) => Iterable<StreamFrame>
  readonly error: (error: { status: number; code: string; message: string; requestId: string }) => unknown
}

/** Stream pieces: each word with its leading space, so no character is split. */
export const splitWords = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? []

const tokensPerMessage = 3

/** Tokens of each text, and input tokens: all texts plus a fixed overhead per message. */
export function countInput(tokenizer: Tokenizer, { texts, messageCount }: TextRequest) {
  const counts: readonly TextTokenCount[] = texts.map((text) => ({ text, tokens: tokenizer.count(text) }))
  const inputTokens = counts.reduce((sum, { tokens }) => sum + tokens, tokensPerMessage * (messageCount + 1))
  return { counts, inputTokens }
}

interface TextTokenCount {
  readonly text: string
  readonly tokens: number
}

/** Minimum cacheable prefix, as in the real services. */
const minTokens = 1_024
const maxPrefixes = 4_096

/** Empty LRU prompt cache. It stores digests of prefixes, not their texts. */
export function createPromptCache() {
  const knownIds = new Set<string>()
  return {
    /** Looks up the leading texts of a prompt and caches them for `owner` (a model of a plan). */
    use(owner: string, leading: readonly TextTokenCount[]) {
      const total = leading.reduce((sum, { tokens }) => sum + tokens, 0)
      if (total < minTokens) return { readTokens: 0, writtenTokens: 0 }
      let [beginning, tokens, readTokens] = [owner, 0, 0]
      for (const part of leading) {
        beginning = createHash('sha256').update(beginning).update('\n').update(part.text).digest('base64')
        tokens += part.tokens
        if (tokens < minTokens) continue
        if (knownIds.delete(beginning)) readTokens = tokens
        knownIds.add(beginning)
        const [oldest = ''] = knownIds
        if (knownIds.size > maxPrefixes) knownIds.delete(oldest)
      }
      return { readTokens, writtenTokens: total - readTokens }
    },
  }
}

export type PromptCache = ReturnType<typeof createPromptCache>

/** Random id prefix of this process. A counter makes ids unique. */
const generatedId = randomBytes(10).toString('hex')
let lastNumber = 0

export function newId(prefix: string): string {
  lastNumber += 1
  return prefix + generatedId + lastNumber.toString(16).padStart(12, '0')
}

/** A message part in the chat-completions or Messages format. Unknown kinds are accepted but not counted. */
interface ContentPart {
  readonly text?: string | undefined
  readonly input?: unknown
  readonly content?: Content | undefined
  readonly tool_use_id?: string | undefined
}

/** Content of a message in the chat-completions or Messages format. */
type Content = string | readonly ContentPart[] | null

/** Message content: a string or parts. Tool results contain content themselves. */
const Content: z.ZodType<Content> = z.lazy(() => z.union([z.string(), z.array(ContentPart), z.null()]))

const ContentPart: z.ZodType<ContentPart> = z.object({
  text: z.string().optional(),
  input: z.unknown().optional(),
  content: Content.optional(),
  tool_use_id: z.string().optional(),
})

/** Content that must not be null. */
const RequiredContent = z.union([z.string(), z.array(ContentPart)], 'a text or a list of parts is required')

function listTexts(content: Content | undefined): readonly string[] {
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
function lastPrompt(messages: readonly ContentMessage[]): { prompt: string; isToolResult: boolean } {
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

/** Fields of a request that both standards share, after its model and messages. */
const sharedFields = { stream: z.boolean().nullish(), max_tokens: limit, tools: z.array(z.unknown()).nullish() }

interface RequestBody {
  readonly model: string
  readonly messages: readonly (ContentMessage & { readonly tool_calls?: unknown })[]
  readonly stream?: boolean | null | undefined
  readonly tools?: readonly unknown[] | null | undefined
}

const listMessageTexts = ({ content, tool_calls }: RequestBody['messages'][number]): readonly string[] =>
  tool_calls ? [...listTexts(content), JSON.stringify(tool_calls)] : listTexts(content)

function readRequest({ model, messages, stream, tools }: RequestBody, systemTexts: readonly string[] = []) {
  const toolTexts = tools ? [JSON.stringify(tools)] : []
  const leadingTexts = [...toolTexts, ...systemTexts, ...messages.slice(0, -1).flatMap(listMessageTexts)]
  return {
    modelCode: model,
    isStream: stream ?? false,
    messageCount: messages.length,
    texts: [...leadingTexts, ...messages.slice(-1).flatMap(listMessageTexts)],
    leadingCount: leadingTexts.length,
    ...lastPrompt(messages),
  }
}

/** Fields that may replace an assistant's content. */
const contentReplacements = ['tool_calls', 'function_call', 'refusal', 'audio'] as const

const ChatMessage = z
  .looseObject({ role: z.string(), content: Content.optional(), tool_calls: z.unknown().optional() })
  .superRefine((message, context) => {
    if (message.role === 'assistant' && contentReplacements.some((name) => message[name] != null)) return
    const { error } = RequiredContent.safeParse(message.content)
    for (const { message: text } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['content'], message: text })
  })

const ChatBody = z.object({
  model: z.string().min(1),
  messages: z.array(ChatMessage).min(1),
  ...sharedFields,
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_completion_tokens: limit,
  reasoning_effort: z.unknown().optional(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.unknown() }).nullish() })
    .nullish(),
})

const ChatTool = z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown() }) })

/** Schema of a structured response. JSON mode accepts any object. */
function readSchema(format: z.infer<typeof ChatBody>['response_format']): unknown {
  if (format?.type === 'json_object') return { type: 'object', properties: { result: { type: 'string' } } }
  return format?.type === 'json_schema' ? (format.json_schema?.schema ?? {}) : undefined
}

const chatUsage = ({ inputTokens, outputTokens, cacheReadTokens = 0 }: Completion) => ({
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

const chatFields = (object: string, { createdMs, modelCode }: Completion) => ({
  id: newId('chatcmpl-'),
  object,
  created: Math.floor(createdMs / 1000),
  model: modelCode,
})

const chatErrorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** The chat-completions standard (spec, "Endpoints", A). */
export const chatCompletions: ApiStandard = {
  name: 'chat-completions',
  requestIdHeader: 'x-request-id',
  body: ChatBody.transform((chatRequest) => ({
    ...readRequest(chatRequest),
    wantsUsage: chatRequest.stream_options?.include_usage ?? false,
    maxTokens: chatRequest.max_completion_tokens ?? chatRequest.max_tokens ?? undefined,
    // Ignore other kinds than function tools.
    tools: (chatRequest.tools ?? []).flatMap((tool) => ChatTool.safeParse(tool).data?.function ?? []),
    schema: readSchema(chatRequest.response_format),
    isReasoning: chatRequest.reasoning_effort != null,
  })),
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
      ...chatFields('chat.completion', completion),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(completion) }],
      usage: chatUsage(completion),
    }
  },
  *stream(completion) {
    const { text, reasoning, toolCall, wantsUsage } = completion
    const fields = chatFields('chat.completion.chunk', completion)
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
      yield { wire: `data: ${JSON.stringify({ ...fields, choices: [], usage: chatUsage(completion) })}\n\n`, text: '' }
    yield { wire: 'data: [DONE]\n\n', text: '' }
  },
  error({ status, code, message }) {
    const type = chatErrorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
    return { error: { message, type, param: null, code } }
  },
}

const MessagesBody = z.object({
  model: z.string().min(1),
  messages: z.array(z.object({ role: z.string(), content: RequiredContent })).min(1),
  system: Content.optional(),
  ...sharedFields,
  thinking: z.looseObject({ type: z.string() }).nullish(),
})

const MessagesTool = z.looseObject({ name: z.string(), input_schema: z.unknown() })

function stopReason({ isCut, toolCall }: Completion): string {
  if (toolCall) return 'tool_use'
  return isCut ? 'max_tokens' : 'end_turn'
}

interface Block {
  readonly whole: object
  readonly start: object
  /** Stream deltas, each with the text that it carries. */
  readonly deltas: readonly (readonly [delta: object, text: string])[]
}

/** Content blocks of a response with their start events and stream deltas. */
function* blocks({ text, reasoning, toolCall }: Completion): Generator<Block> {
  if (reasoning !== undefined)
    yield {
      whole: { type: 'thinking', thinking: reasoning, signature: 'sandbox' },
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: splitWords(reasoning).map((word) => [{ type: 'thinking_delta', thinking: word }, word]),
    }
  if (toolCall) {
    const call = { type: 'tool_use', id: newId('toolu_'), name: toolCall.name }
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(toolCall.arguments) }
    yield {
      whole: { ...call, input: toolCall.arguments },
      start: { ...call, input: {} },
      deltas: [[delta, JSON.stringify(toolCall)]],
    }
  } else
    yield {
      whole: { type: 'text', text },
      start: { type: 'text', text: '' },
      deltas: splitWords(text).map((word) => [{ type: 'text_delta', text: word }, word]),
    }
}

function messagesUsage(
  { inputTokens, cacheReadTokens = 0, cacheWrittenTokens = 0 }: Completion,
  output_tokens: number,
) {
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWrittenTokens,
    cache_creation_input_tokens: cacheWrittenTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens,
  }
}

const message = (completion: Completion, fields: object) => ({
  id: newId('msg_'),
  type: 'message',
  role: 'assistant',
  model: completion.modelCode,
  ...fields,
})

function buildFrame(type: string, fields: object, text = ''): StreamFrame {
  return { wire: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`, text }
}

const messagesErrorTypes: Readonly<Record<number, string>> = {
  ...chatErrorTypes,
  404: 'not_found_error',
  413: 'request_too_large',
  529: 'overloaded_error',
}

/** The Messages standard (spec, "Endpoints", A). */
export const messages: ApiStandard = {
  name: 'messages',
  requestIdHeader: 'request-id',
  body: MessagesBody.transform((messagesRequest) => ({
    ...readRequest(messagesRequest, listTexts(messagesRequest.system)),
    wantsUsage: true,
    maxTokens: messagesRequest.max_tokens ?? undefined,
    tools: (messagesRequest.tools ?? []).flatMap((tool) => {
      const { data } = MessagesTool.safeParse(tool)
      return data ? [{ name: data.name, parameters: data.input_schema }] : []
    }),
    isReasoning: messagesRequest.thinking?.type === 'enabled',
  })),
  answer: (completion) =>
    message(completion, {
      content: [...blocks(completion)].map(({ whole }) => whole),
      stop_reason: stopReason(completion),
      stop_sequence: null,
      usage: messagesUsage(completion, completion.outputTokens),
    }),
  *stream(completion) {
    const emptyMessage = { content: [], stop_reason: null, stop_sequence: null, usage: messagesUsage(completion, 0) }
    yield buildFrame('message_start', { message: message(completion, emptyMessage) })
    for (const [index, { start, deltas }] of [...blocks(completion)].entries()) {
      yield buildFrame('content_block_start', { index, content_block: start })
      if (index === 0) yield buildFrame('ping', {})
      for (const [delta, text] of deltas) yield buildFrame('content_block_delta', { index, delta }, text)
      yield buildFrame('content_block_stop', { index })
    }
    yield buildFrame('message_delta', {
      delta: { stop_reason: stopReason(completion), stop_sequence: null },
      usage: { output_tokens: completion.outputTokens },
    })
    yield buildFrame('message_stop', {})
  },
  error({ status, code, message, requestId }) {
    const type = messagesErrorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
    return { type: 'error', error: { type, message, code }, request_id: requestId }
  },
}
