import type { PlaygroundParameters, PlaygroundToolCall } from '@shared/contract'
import type { ApiStandard } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { type JSONVisitor, visit } from 'jsonc-parser'
import { isObject, parseExternalJson } from './server-message'
import type { TokenUsage } from './usage'

export type ChatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string }
  /** A tool call of the model. `input` is JSON text. */
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly kind: 'toolResult'; readonly id: string; readonly text: string }

/** A conversation turn. Tool calls are parts of an assistant turn. Their results begin the next user turn. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly ChatPart[]
}

/** Chat request, independent of the standard. */
interface ChatRequest {
  readonly standard: ApiStandard
  readonly modelCode: string
  readonly system: string
  readonly messages: readonly ChatMessage[]
  readonly parameters: PlaygroundParameters
}

type CompletionRequest = Pick<ChatRequest, 'standard' | 'modelCode' | 'parameters'> & { readonly prompt: string }
type EmbeddingsRequest = Pick<ChatRequest, 'standard' | 'modelCode'> & { readonly inputs: readonly string[] }

export type ResponseDelta =
  | { readonly kind: 'text'; readonly piece: string }
  | { readonly kind: 'thinking'; readonly piece: string }
  /** All tool calls of the response so far, each with its input so far. */
  | { readonly kind: 'toolCalls'; readonly calls: readonly PlaygroundToolCall[] }

export interface ResponseFacts {
  readonly usage?: TokenUsage | undefined
  /** Tokens of the model's reasoning, included in the output tokens. */
  readonly reasoningTokens?: number | undefined
  readonly finishReason?: string | undefined
  /** Error within a stream or in a body with a status below 300: the server's text, for `explainStatus`. */
  readonly lateError?: string | undefined
  /** Response id of the gateway (`chatcmpl-…`, `msg_…`). */
  readonly responseId?: string | undefined
  readonly modelCode?: string | undefined
  /** Time of the response, in seconds since 1970. */
  readonly created?: number | undefined
  /** Start of the generated output, and its full length in characters. */
  readonly output?: { readonly text: string; readonly length: number } | undefined
  /** Whether the end mark was seen (`[DONE]`, `message_stop`, complete JSON), or a finish reason, and no error. */
  readonly isWhole: boolean
  /** Whether an end mark or a complete body was received. */
  readonly isEnded?: boolean
  readonly isTooLong?: boolean
  readonly events?: number
  /** Start of a response in neither JSON nor event stream format, such as a web page. May be empty. */
  readonly unknown?: string | undefined
}

/** Reads a response from chunks that may end at any byte. */
export interface ResponseReader {
  feed(bytes: Uint8Array): readonly ResponseDelta[]
  /** Ends the response. Call it once, after all data. */
  end(): readonly ResponseDelta[]
  facts(): ResponseFacts
}

/** Kind of request body. Text completions support fewer parameters than chats. */
type BodyKind = ApiStandard | 'completion'

type PlainParameter = Exclude<keyof PlaygroundParameters, 'effort' | 'jsonMode' | 'schema' | 'tools' | 'extra'>
type Json = Readonly<Record<string, unknown>>

const chat = {
  temperature: 'temperature',
  topP: 'top_p',
  maxTokens: 'max_tokens',
  stop: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const satisfies Partial<Record<PlainParameter, string>>

/** Parameter names by kind of body. A parameter without a name is unsupported. */
const names: Readonly<Record<BodyKind, Readonly<Partial<Record<PlainParameter, string>>>>> = {
  'chat-completions': chat,
  completion: chat,
  messages: {
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    maxTokens: 'max_tokens',
    stop: 'stop_sequences',
  },
}

const kindTexts: Readonly<Record<BodyKind, string>> = {
  'chat-completions': 'The chat-completions standard',
  completion: 'A text completion',
  messages: 'The messages standard',
}

/** Body members of the parameters, except `extra`. Throws `input.invalid` for an unsupported or invalid field. */
function parameterMembers(parameters: PlaygroundParameters, kind: BodyKind): Json {
  const { effort, jsonMode, schema, tools, extra: _, ...otherParameters } = parameters
  const members: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(otherParameters)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    const name = Object.entries(names[kind]).find(([knownField]) => knownField === field)?.[1]
    if (name === undefined) throw createUnsupportedFieldError(kind, field)
    members[name] = value
  }
  if (kind === 'completion') {
    const refusedParameters = Object.entries({ effort, jsonMode, schema: schema?.trim(), tools: tools?.trim() })
    const firstRefusedParameter = refusedParameters.find(([, value]) => value)
    if (firstRefusedParameter) throw createUnsupportedFieldError(kind, firstRefusedParameter[0])
    return members
  }
  return { ...members, ...buildChatFields(parameters, kind) }
}

/** Members of the request body for parameters that only chats have. */
function buildChatFields({ effort, jsonMode, schema = '', tools = '' }: PlaygroundParameters, kind: ApiStandard): Json {
  const definitions = isBlank(tools) ? undefined : parseWrittenJson('tools', tools)
  if (definitions !== undefined && !Array.isArray(definitions))
    throw inputError('tools', 'tools must be a JSON array of tool definitions.')
  if (kind === 'messages' && isBlank(schema) && jsonMode) throw createUnsupportedFieldError(kind, 'jsonMode')
  return {
    ...(effort && (kind === 'messages' ? { output_config: { effort } } : { reasoning_effort: effort })),
    ...(definitions && { tools: definitions }),
    ...(isBlank(schema) ? {} : schemaMembers(parseSchema(schema), kind, definitions)),
    ...(isBlank(schema) && jsonMode ? { response_format: { type: 'json_object' } } : {}),
  }
}

/** Name of the schema, and of the tool that the Messages standard is forced to call with it. */
export const schemaName = 'answer'

function schemaMembers(schema: Json, standard: ApiStandard, tools: readonly unknown[] = []): Json {
  if (standard !== 'messages')
    return { response_format: { type: 'json_schema', json_schema: { name: schemaName, schema } } }
  const answer = { name: schemaName, description: 'Give the answer in this form.', input_schema: schema }
  return { tools: [...tools, answer], tool_choice: { type: 'tool', name: schemaName } }
}

/** Parses a JSON schema. Throws `input.invalid` if it is no JSON object. */
export function parseSchema(text: string): Json {
  const schema = parseWrittenJson('schema', text)
  if (!isObject(schema)) throw inputError('schema', 'schema must be a JSON object, as {"type": "object"}.')
  return schema
}

/** Merges `extra` into the body. Throws `input.invalid` if it is no JSON object or changes streaming. */
function addExtraParameters(body: Json, { extra = '' }: PlaygroundParameters): Json {
  if (isBlank(extra)) return body
  const members = parseWrittenJson('extra', extra)
  if (!isObject(members)) throw inputError('extra', 'extra must be a JSON object, as {"name": "value"}.')
  if ('stream' in members && members.stream !== true)
    throw inputError('extra', 'extra must not contain stream, because the app sets it. Remove it.')
  return { ...body, ...members }
}

function createUnsupportedFieldError(kind: BodyKind, field: string): AppError {
  const remedyText = 'Leave it empty. For a server that accepts it, use extra.'
  return inputError(field, `${kindTexts[kind]} knows no ${field}. ${remedyText}`)
}

const inputError = (field: string, message: string): AppError => new AppError('input.invalid', message, { field })

/** Default of the token limit, which the Messages standard requires. */
const DEFAULT_MAX_TOKENS = 4096

/** Requests usage, which chat-completions streams otherwise omit. */
const streamOptions = { stream: true, stream_options: { include_usage: true } } as const

const conversations: Readonly<Record<ApiStandard, (request: ChatRequest) => Json>> = {
  'chat-completions': ({ modelCode, system, messages, parameters }) => ({
    model: modelCode,
    messages: [
      ...(isBlank(system) ? [] : [{ role: 'system', content: system }]),
      ...mergeConsecutive(messages).flatMap(chatMessages),
    ],
    ...streamOptions,
    ...parameterMembers(parameters, 'chat-completions'),
  }),
  messages: ({ modelCode, system, messages, parameters }) => ({
    model: modelCode,
    max_tokens: DEFAULT_MAX_TOKENS,
    ...(isBlank(system) ? {} : { system }),
    messages: mergeConsecutive(messages).map(({ role, parts }) => ({
      role,
      content: plainText(parts) ?? parts.map(messagesPart),
    })),
    stream: true,
    ...parameterMembers(parameters, 'messages'),
  }),
}

/** Streaming chat body of the request's standard. Throws `input.invalid` with an unsupported parameter. */
export const chatBody = (request: ChatRequest): Json =>
  addExtraParameters(conversations[request.standard](request), request.parameters)

/** Streaming text completion body (spec, "Inference"). Throws `input.invalid` for unsupported parameters or Messages. */
export function completionBody({ standard, modelCode, prompt, parameters }: CompletionRequest): Json {
  refuseMessages(standard, 'text completions')
  const body = { model: modelCode, prompt, ...streamOptions, ...parameterMembers(parameters, 'completion') }
  return addExtraParameters(body, parameters)
}

/** Embeddings body (spec, "Inference"). Throws `input.invalid` for the Messages standard. */
export function embeddingsBody({ standard, modelCode, inputs }: EmbeddingsRequest): Json {
  refuseMessages(standard, 'embeddings')
  return { model: modelCode, input: [...inputs] }
}

function refuseMessages(standard: ApiStandard, feature: string): void {
  if (standard !== 'messages') return
  const message = `The messages standard has no ${feature}. Use an address of the chat-completions standard.`
  throw new AppError('input.invalid', message, { field: 'standard' })
}

const isBlank = (text: string): boolean => text.trim() === ''

/** Merges consecutive messages of one role, because the Messages standard and many chat templates require alternating roles. */
function mergeConsecutive(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const mergedMessages: ChatMessage[] = []
  for (const { role, parts: allParts } of messages) {
    // Servers reject blank texts.
    const parts = allParts.filter((part) => part.kind !== 'text' || !isBlank(part.text))
    if (parts.length === 0) continue
    const lastMergedMessage = mergedMessages.at(-1)
    if (lastMergedMessage?.role === role)
      mergedMessages[mergedMessages.length - 1] = { role, parts: [...lastMergedMessage.parts, ...parts] }
    else mergedMessages.push({ role, parts })
  }
  return mergedMessages
}

/** Joins text parts to one text, which every server accepts. Undefined if there are other parts. */
function plainText(parts: readonly ChatPart[]): string | undefined {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n\n') : undefined
}

/** Converts a conversation turn to chat-completions messages, with a separate message for each tool result. */
function chatMessages({ role, parts }: ChatMessage): readonly Json[] {
  const results = parts.flatMap((part) =>
    part.kind === 'toolResult' ? [{ role: 'tool', tool_call_id: part.id, content: part.text }] : [],
  )
  const calls = parts.flatMap((part) =>
    part.kind === 'toolCall'
      ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: part.input || '{}' } }]
      : [],
  )
  const contentParts = parts.filter(({ kind }) => kind === 'text' || kind === 'image')
  if (contentParts.length === 0 && calls.length === 0) return results
  const content = contentParts.length === 0 ? null : (plainText(contentParts) ?? contentParts.flatMap(toChatParts))
  return [...results, { role, content, ...(calls.length > 0 && { tool_calls: calls }) }]
}

function toChatParts(part: ChatPart): readonly Json[] {
  if (part.kind === 'text') return [{ type: 'text', text: part.text }]
  if (part.kind !== 'image') return []
  return [{ type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.base64}` } }]
}

function messagesPart(part: ChatPart): Json {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  if (part.kind === 'toolResult') return { type: 'tool_result', tool_use_id: part.id, content: part.text }
  if (part.kind === 'image')
    return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.base64 } }
  const input = parseExternalJson(part.input)
  return { type: 'tool_use', id: part.id, name: part.name, input: isObject(input) ? input : {} }
}

/** Parses user JSON. Throws `input.invalid` with field, line and, in the message, column (both from 1). */
function parseWrittenJson(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const { line, column } = findSyntaxError(text)
    const message = `${field} is not JSON: error at line ${line}, column ${column}. Correct it, or leave it empty.`
    throw new AppError('input.invalid', message, { field, line, cause })
  }
}

/** Position of the syntax error, or the start if only the strict parser rejects the text. */
function findSyntaxError(text: string): { readonly line: number; readonly column: number } {
  const positions: ReturnType<typeof findSyntaxError>[] = []
  const visitor: JSONVisitor = {
    onError: (...[, , , line, column]) => void positions.push({ line: line + 1, column: column + 1 }),
  }
  visit(text, visitor, { disallowComments: true, allowTrailingComma: false })
  return positions[0] ?? { line: 1, column: 1 }
}
