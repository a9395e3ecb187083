import { type ChatMessage, messagesOf } from './conversation'
import { ResponsesRequest } from './responses-request'
import { type ChatTool, chatNameOf, type ToolTable, toolTable } from './tools'
import { Untranslatable } from './untranslatable'

/** The body for the gateway. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ChatTool[]
  readonly [name: string]: unknown
}

/** A request that was translated, with what its answer needs of it. */
export interface TranslatedRequest {
  readonly chat: ChatRequest
  readonly tools: ToolTable
  readonly isStream: boolean
}

const stored: readonly (readonly [keyof ResponsesRequest, string])[] = [
  ['previous_response_id', 'an answer that was stored before; send the whole conversation as its input'],
  ['conversation', 'a conversation that was stored before; send the whole conversation as its input'],
  ['prompt', 'a prompt that was stored before; send its text as instructions'],
  ['background', 'work in the background'],
]

/** The chat-completions request for the body of a Responses request. Throws `Untranslatable`. */
export function translateRequest(body: unknown): TranslatedRequest {
  const parsed = ResponsesRequest.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'its body'
    throw new Untranslatable(`something that is not of the Responses protocol (${where}: ${issue?.message ?? ''})`)
  }
  const request = parsed.data
  for (const [name, words] of stored) if (isGiven(request[name])) throw new Untranslatable(`${words} (${name})`)
  const items = typeof request.input === 'string' ? [] : (request.input ?? [])
  const messages = [...messagesOf(request.instructions ?? '', items)]
  if (typeof request.input === 'string') messages.push({ role: 'user', content: request.input })
  if (messages.length === 0) throw new Untranslatable('no input')
  const tools = toolTable([...(request.tools ?? []), ...items.flatMap((item) => item.tools ?? [])])
  const isStream = request.stream === true
  const chat = {
    model: request.model,
    messages,
    ...toolSettings(request, tools),
    ...settings(request),
    ...(isStream ? { stream: true } : {}),
  }
  return { chat, tools, isStream }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false

function settings({ max_output_tokens, temperature, top_p, user, reasoning, text }: ResponsesRequest) {
  const all = {
    max_tokens: max_output_tokens,
    temperature,
    top_p,
    user,
    reasoning_effort: reasoning?.effort,
    response_format: responseFormat(text),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => isGiven(value)))
}

function responseFormat(text: ResponsesRequest['text']) {
  const { type, name, description, schema, strict } = text?.format ?? {}
  if (type === 'json_object') return { type }
  if (type !== 'json_schema') return undefined
  const said = Object.entries({ name: name ?? 'answer', description, schema, strict })
  return { type, json_schema: Object.fromEntries(said.filter(([, value]) => value !== undefined && value !== null)) }
}

/** Gateways refuse a choice of tools where there are none. */
function toolSettings({ tool_choice: choice, parallel_tool_calls }: ResponsesRequest, { list }: ToolTable) {
  if (list.length === 0) return {}
  const parallel = parallel_tool_calls === false ? { parallel_tool_calls } : {}
  if (choice === null || choice === undefined) return { tools: list, ...parallel }
  if (typeof choice === 'string') return { tools: list, tool_choice: choice, ...parallel }
  if (choice.type === 'allowed_tools') {
    const allowed = new Set(
      (choice.tools ?? []).map(({ name, namespace, type }) => chatNameOf(name ?? type, namespace)),
    )
    const tools = list.filter((tool) => allowed.has(tool.function.name))
    return tools.length === 0 ? {} : { tools, tool_choice: choice.mode ?? 'auto', ...parallel }
  }
  const name = chatNameOf(choice.name ?? choice.type, choice.namespace)
  if (!list.some((tool) => tool.function.name === name)) {
    throw new Untranslatable(`a choice of a tool that the gateway does not have (${choice.name ?? choice.type})`)
  }
  return { tools: list, tool_choice: { type: 'function', function: { name } }, ...parallel }
}
