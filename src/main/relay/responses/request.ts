import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isObject, parseExternalJson } from '../../gateway/server-message'

/** Maximum size of a translated request in bytes. */
export const maxTranslatedBytes = 16 * 1024 * 1024

const storedFields: readonly (readonly [keyof ResponsesRequest, string])[] = [
  ['previous_response_id', 'an answer that was stored before; send the whole conversation as its input'],
  ['conversation', 'a conversation that was stored before; send the whole conversation as its input'],
  ['prompt', 'a prompt that was stored before; send its text as instructions'],
  ['background', 'work in the background'],
]

export type TranslatedRequest = ReturnType<typeof toChatRequest>

/** Converts a Responses request to chat-completions. `refusal`: a sentence that explains why that is impossible. */
export function translateRequest(body: Buffer): TranslatedRequest | { readonly refusal: string } {
  try {
    return toChatRequest(parseExternalJson(body.toString()))
  } catch (error) {
    if (!(error instanceof UntranslatableError)) throw error
    return { refusal: `The gateway of this plan speaks chat-completions, which cannot express ${error.message}.` }
  }
}

/** Throws `Untranslatable`. */
function toChatRequest(json: unknown) {
  const parsedRequest = ResponsesRequest.safeParse(json)
  if (!parsedRequest.success) {
    const [issue] = parsedRequest.error.issues
    const fieldPath = issue?.path.join('.') || 'its body'
    throw new UntranslatableError(
      `something that is not of the Responses protocol (${fieldPath}: ${issue?.message ?? ''})`,
    )
  }
  const request = parsedRequest.data
  for (const [name, refusalText] of storedFields)
    if ((request[name] ?? false) !== false) throw new UntranslatableError(`${refusalText} (${name})`)
  const { model, instructions, input } = request
  const items: readonly ResponsesItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  const conversation = new Conversation(instructions ?? '')
  for (const item of items) conversation.add(item)
  const messages = conversation.toMessages()
  if (messages.length === 0) throw new UntranslatableError('no input')
  const tools = listTools([...(request.tools ?? []), ...items.flatMap((item) => item.tools ?? [])])
  const isStream = request.stream === true
  const stream = isStream ? { stream: true } : {}
  const chat = { model, messages, ...toolSettings(request, tools), ...settings(request), ...stream }
  return {
    /** Chat-completions request for the gateway. */
    body: Buffer.from(JSON.stringify(chat)),
    model,
    tools,
    isStream,
  }
}

const withoutNull = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

const settings = ({ max_output_tokens, temperature, top_p, user, reasoning, text }: ResponsesRequest) =>
  withoutNull({
    max_tokens: max_output_tokens,
    temperature,
    top_p,
    user,
    reasoning_effort: reasoning?.effort,
    response_format: responseFormat(text),
  })

function responseFormat(text: ResponsesRequest['text']) {
  const { type, name, description, schema, strict } = text?.format ?? {}
  if (type === 'json_object') return { type }
  if (type !== 'json_schema') return undefined
  return { type, json_schema: withoutNull({ name: name ?? 'answer', description, schema, strict }) }
}

/** Gateways reject a tool choice without tools. */
function toolSettings({ tool_choice: choice, parallel_tool_calls }: ResponsesRequest, offered: OfferedTools) {
  const list = [...offered.values()].map(({ tool }) => tool)
  if (list.length === 0) return {}
  const toolFields = { tools: list, ...(parallel_tool_calls === false && { parallel_tool_calls }) }
  if (choice === null || choice === undefined) return toolFields
  if (typeof choice === 'string') return { ...toolFields, tool_choice: choice }
  if (choice.type === 'allowed_tools') {
    const allowedTools = new Set(
      (choice.tools ?? []).map(({ name, namespace, type }) => toChatName(name ?? type, namespace)),
    )
    const tools = list.filter((tool) => allowedTools.has(tool.function.name))
    return tools.length === 0 ? {} : { ...toolFields, tools, tool_choice: choice.mode ?? 'auto' }
  }
  const name = toChatName(choice.name ?? choice.type, choice.namespace)
  if (!offered.has(name)) {
    throw new UntranslatableError(`a choice of a tool that the gateway does not have (${choice.name ?? choice.type})`)
  }
  return { ...toolFields, tool_choice: { type: 'function', function: { name } } }
}

/** Command of the client's own shell tool. */
export const ShellAction = z.object({
  command: z.array(z.string()),
  timeout_ms: z.number().nullish().catch(undefined),
  working_directory: z.string().nullish().catch(undefined),
})

const getCallId = ({ call_id, id }: ResponsesItem): string => call_id ?? id ?? ''

interface ToolCall {
  /** Id of the call in the Responses request. Of two consecutive calls with one id, the second gets another `chatId`. */
  readonly id: string
  readonly chatId: string
  readonly name: string
  readonly callArguments: string
  result: ResponsesContent | undefined
}

/** A chat message. A message of the model has its thoughts and calls, which their results follow. */
interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: string | null | readonly ChatPart[]
  readonly thoughts: string[]
  readonly calls: ToolCall[]
}

/**
 * Converts the items of a conversation to messages. Leading developer messages become one system message, later ones
 * user messages. Results follow their calls. Throws `Untranslatable`.
 */
class Conversation {
  readonly #system: string[]
  readonly #turns: Turn[] = []
  /** Thoughts belong to the model's next message. Those before a user message are dropped. */
  #thoughts: string[] = []
  /** Whether the last item was a call. Consecutive calls belong to one message. */
  #isLastItemCall = false
  #hasMessage = false
  #hasOrphan = false

  constructor(instructions: string) {
    this.#system = [instructions]
  }

  /** Ignores items that only the vendor's service can use. */
  add(item: ResponsesItem) {
    const { type, name, namespace, input, arguments: callArguments } = item
    switch (type ?? 'message') {
      case 'message':
        return this.#addMessage(item)
      case 'reasoning':
        return this.#addThoughts(joinText(item.content) || joinText(item.summary))
      case 'function_call': {
        const text = typeof callArguments === 'string' ? callArguments || '{}' : JSON.stringify(callArguments ?? {})
        return this.#addCall(item, toChatName(name ?? '', namespace), text)
      }
      case 'custom_tool_call':
        return this.#addCall(item, toChatName(name ?? '', namespace), JSON.stringify({ input: input ?? '' }))
      case 'local_shell_call': {
        const action = ShellAction.safeParse(item.action).data ?? { command: [] }
        return this.#addCall(item, shellName, JSON.stringify(action))
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'local_shell_call_output':
        return this.#addResult(item)
      case 'item_reference':
        throw new UntranslatableError('an item that was stored before; send the item itself')
    }
  }

  toMessages(): readonly object[] {
    if (this.#hasOrphan && !this.#hasMessage && this.#turns.every(({ calls }) => calls.length === 0))
      throw new UntranslatableError(
        'the result of a call that is not in its input; send the whole conversation as its input',
      )
    const system = this.#system.filter((text) => text !== '')
    const messages = this.#turns.flatMap(toMessages)
    return system.length === 0 ? messages : [{ role: 'system', content: system.join('\n\n') }, ...messages]
  }

  #addMessage({ role, content }: ResponsesItem): void {
    if (typeof role !== 'string') return
    this.#isLastItemCall = false
    const isDeveloper = role === 'developer' || role === 'system'
    this.#hasMessage ||= !isDeveloper
    if (!this.#hasMessage) this.#system.push(joinText(content))
    else if (role === 'assistant') this.#addAnswer(joinText(content, ''))
    else this.#addUserContent(chatContent(content))
  }

  #addThoughts(text: string): void {
    if (text === '') return
    this.#isLastItemCall = false
    this.#thoughts.push(text)
  }

  /** Adds a call to the model's message before it, so that the text and all consecutive calls become one message. */
  #addCall(item: ResponsesItem, name: string, callArguments: string): void {
    const lastTurn = this.#turns.at(-1)
    const canJoin = lastTurn?.role === 'assistant' && (this.#isLastItemCall || lastTurn.calls.length === 0)
    const turn = canJoin ? lastTurn : this.#addAnswer(null)
    turn.thoughts.push(...this.#thoughts.splice(0))
    this.#isLastItemCall = true
    const id = getCallId(item)
    const chatId = id || 'call'
    const isTaken = turn.calls.some((call) => call.chatId === chatId)
    const uniqueId = isTaken ? `${chatId}_${turn.calls.length}` : chatId
    turn.calls.push({ id, chatId: uniqueId, name, callArguments, result: undefined })
  }

  #addAnswer(content: string | null): Turn {
    const turn: Turn = { role: 'assistant', content, thoughts: this.#thoughts.splice(0), calls: [] }
    this.#turns.push(turn)
    return turn
  }

  /**
   * Adds a result to the nearest earlier call, because ids may recur in a later turn. Gateways reject a result without
   * its call, which a tool may have dropped to shorten the conversation, so that becomes words of the user.
   */
  #addResult(item: ResponsesItem): void {
    this.#isLastItemCall = false
    const result = toResultContent(item)
    const isOpen = (call: ToolCall) => call.id === getCallId(item) && call.result === undefined
    const openCall = this.#turns.findLast(({ calls }) => calls.some(isOpen))?.calls.find(isOpen)
    if (openCall) {
      openCall.result = result
      return
    }
    this.#hasOrphan = true
    this.#addUserContent(`Result of an earlier tool call (${getCallId(item)}):\n${joinText(result)}`)
    const parts = nonTextParts(result)
    if (parts.length > 0) this.#addUserContent(parts)
  }

  #addUserContent(content: string | readonly ChatPart[]): void {
    this.#thoughts = []
    this.#turns.push({ role: 'user', content, thoughts: [], calls: [] })
  }
}

/** Converts a turn to its message, the results of its calls, and the images of these results. */
function toMessages({ role, content, thoughts, calls }: Turn): readonly object[] {
  const results = calls.map(({ chatId, result }) => ({
    role: 'tool',
    tool_call_id: chatId,
    content: result === undefined ? 'no result: interrupted' : joinText(result) || 'See below.',
  }))
  const toolCalls = calls.map(({ chatId, name, callArguments }) => ({
    id: chatId,
    type: 'function',
    function: { name, arguments: callArguments },
  }))
  const message = {
    role,
    content,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n\n') }),
    ...(calls.length > 0 && { tool_calls: toolCalls }),
  }
  const parts = calls.flatMap(({ result }) => nonTextParts(result))
  return [message, ...results, ...(parts.length > 0 ? [{ role: 'user', content: parts }] : [])]
}

/** Content of a tool result: text or parts. Other values become JSON. */
const toResultContent = ({ output }: ResponsesItem): ResponsesContent =>
  Content.safeParse(output).data ?? JSON.stringify(output ?? '')

interface ChatPart {
  readonly type: 'text' | 'image_url' | 'file' | 'input_audio'
  readonly [content: string]: unknown
}

/** Joins the texts of a content. Omits parts of other types. */
function joinText(content: ResponsesContent | null | undefined, between = '\n\n'): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  const texts = content.flatMap((part) => part.text ?? part.refusal ?? [])
  return texts.filter((text) => text !== '').join(between)
}

/** Content for chat completions; plain text where possible. Throws `Untranslatable`. */
function chatContent(content: ResponsesContent | null | undefined): string | readonly ChatPart[] {
  if (content === null || content === undefined || typeof content === 'string') return content ?? ''
  const parts = content.map(toChatPart).filter((part) => part !== undefined)
  return parts.every(({ type }) => type === 'text') ? joinText(content) : parts
}

/** The parts of a tool result other than text, which its chat message cannot contain. Throws `Untranslatable`. */
function nonTextParts(content: ResponsesContent | undefined): readonly ChatPart[] {
  const parts = content === undefined ? '' : chatContent(content)
  return typeof parts === 'string' ? [] : parts.filter(({ type }) => type !== 'text')
}

function toChatPart(part: ResponsesPart): ChatPart | undefined {
  const { type, image_url, detail, file_data, filename } = part
  if (type === 'input_image' || type === 'image_url') {
    const url = typeof image_url === 'string' ? image_url : image_url?.url
    if (url === undefined) throw new UntranslatableError('an image that was uploaded before; send the image itself')
    return { type: 'image_url', image_url: { url, ...(typeof detail === 'string' && { detail }) } }
  }
  if (type === 'input_file') {
    if (typeof file_data !== 'string')
      throw new UntranslatableError('a file that was uploaded before or lies elsewhere; send the file itself')
    return { type: 'file', file: { ...(typeof filename === 'string' && { filename }), file_data } }
  }
  if (type === 'input_audio') return { type, input_audio: part.input_audio }
  const text = part.text ?? part.refusal
  return typeof text === 'string' ? { type: 'text', text } : undefined
}

/** The request has no equivalent in chat-completions. The message is for the user at the tool. */
class UntranslatableError extends Error {
  override readonly name = 'Untranslatable'
}

const OptionalText = z.string().nullish()

const ContentPart = z.object({
  type: z.string(),
  text: OptionalText,
  refusal: OptionalText,
  image_url: z.union([z.string(), z.object({ url: z.string() })]).nullish(),
  detail: OptionalText,
  file_data: OptionalText,
  filename: OptionalText,
  input_audio: z.unknown().optional(),
})
type ResponsesPart = z.infer<typeof ContentPart>

const Content = z.union([z.string(), z.array(ContentPart)])
type ResponsesContent = z.infer<typeof Content>

/** An offered tool. A tool of type `namespace` contains further tools. */
const Tool = z.object({
  type: z.string(),
  name: OptionalText,
  description: OptionalText,
  parameters: z.unknown().optional(),
  strict: z.boolean().nullish(),
  format: z.object({ syntax: z.string().optional(), definition: z.string().optional() }).nullish(),
  get tools() {
    return z.array(Tool).nullish()
  },
})
type ResponsesTool = z.infer<typeof Tool>

const Item = z.object({
  type: OptionalText,
  role: OptionalText,
  content: Content.nullish(),
  summary: Content.nullish().catch(undefined),
  call_id: OptionalText,
  id: OptionalText,
  name: OptionalText,
  namespace: OptionalText,
  arguments: z.unknown().optional(),
  input: OptionalText,
  output: z.unknown().optional(),
  action: z.unknown().optional(),
  tools: z.array(Tool).nullish(),
})
type ResponsesItem = z.infer<typeof Item>

const NamedTool = z.object({ type: z.string(), name: OptionalText, namespace: OptionalText })

const ResponsesRequest = z.object({
  model: z.string().min(1),
  instructions: OptionalText,
  input: z.union([z.string(), z.array(Item)]).nullish(),
  tools: z.array(Tool).nullish(),
  tool_choice: z
    .union([z.string(), NamedTool.extend({ mode: OptionalText, tools: z.array(NamedTool).nullish() })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  user: OptionalText,
  reasoning: z.object({ effort: OptionalText }).nullish(),
  text: z
    .object({
      format: z
        .object({
          type: z.string(),
          name: OptionalText,
          description: OptionalText,
          schema: z.unknown().optional(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  previous_response_id: OptionalText,
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  background: z.boolean().nullish(),
})
type ResponsesRequest = z.infer<typeof ResponsesRequest>

/** A function for the gateway, and its origin in the client. */
interface OfferedTool {
  readonly tool: { readonly type: 'function'; readonly function: { readonly name: string } }
  readonly origin: {
    /** `custom` takes free text, `shell` is the client's own tool. */
    readonly kind: 'function' | 'custom' | 'shell'
    readonly name: string
    readonly namespace?: string | undefined
  }
}

/** Offered tools by their chat name. */
export type OfferedTools = ReadonlyMap<string, OfferedTool>

const shellParameters = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
    working_directory: { type: 'string' },
    timeout_ms: { type: 'number' },
  },
  required: ['command'],
}

const shellName = 'local_shell'

/** Chat name of a tool, possibly in a namespace: at most 64 letters, digits, `_` and `-`. */
function toChatName(name: string, namespace?: string | null): string {
  const fullName = typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name
  const sanitizedName = fullName.replace(/[^\w-]/g, '_')
  if (sanitizedName === fullName && fullName.length <= 64) return fullName
  return `${sanitizedName.slice(0, 55)}_${createHash('sha256').update(fullName).digest('hex').slice(0, 8)}`
}

/** Tools that a gateway can offer a model. The first of several with one name wins. */
function listTools(tools: readonly ResponsesTool[]): OfferedTools {
  const offeredTools = new Map<string, OfferedTool>()
  for (const offered of tools.flatMap((tool) => listOfferedTools(tool))) {
    const { name } = offered.tool.function
    if (!offeredTools.has(name)) offeredTools.set(name, offered)
  }
  return offeredTools
}

/** The functions for a tool. Omits tools that only the vendor's service runs, such as web search. */
function listOfferedTools(tool: ResponsesTool, namespace?: string): readonly OfferedTool[] {
  const { type, name } = tool
  if (type === 'namespace') return (tool.tools ?? []).flatMap((item) => listOfferedTools(item, name ?? undefined))
  if (type === 'local_shell') {
    const description = 'Runs a command on the computer of the user.'
    const shell = { name: shellName, description, parameters: shellParameters }
    return [{ tool: { type: 'function', function: shell }, origin: { kind: 'shell', name: shellName } }]
  }
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return []
  const description = toDescription(tool)
  const chatFunction = {
    name: toChatName(name, namespace),
    ...(description === '' ? {} : { description }),
    ...(type === 'custom' ? { parameters: freeTextSchema } : toParameters(tool)),
  }
  return [{ tool: { type: 'function', function: chatFunction }, origin: { kind: type, name, namespace } }]
}

const freeTextSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

/** Gateways require a schema of type `object` with properties, and reject null. Keeps `oneOf` and `required`. */
function toParameters({ parameters, strict }: ResponsesTool) {
  const schema: Readonly<Record<string, unknown>> = isObject(parameters) ? withoutNull(parameters) : {}
  const properties = isObject(schema.properties) ? schema.properties : {}
  const functionFields = { parameters: { ...schema, type: 'object', properties } }
  return strict === true ? { ...functionFields, strict } : functionFields
}

/** Other models cannot enforce a grammar, so it becomes part of the description. */
function toDescription({ description, format }: ResponsesTool): string {
  const { syntax = '', definition } = format ?? {}
  const grammarLines = definition === undefined ? [] : [`The input follows this ${syntax} grammar:`, definition]
  return [description ?? '', ...grammarLines].filter((line) => line !== '').join('\n\n')
}
