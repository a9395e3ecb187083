import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isObject, parseExternalJson } from '../../gateway/server-message'

export interface TranslatedRequest {
  /** Chat-completions request for the gateway. */
  readonly body: Buffer
  readonly model: string
  readonly tools: ToolTable
  readonly isStream: boolean
}

/** Maximum size of a translated request in bytes. */
export const maxTranslatedBytes = 16 * 1024 * 1024

const storedFields: readonly (readonly [keyof ResponsesRequest, string])[] = [
  ['previous_response_id', 'an answer that was stored before; send the whole conversation as its input'],
  ['conversation', 'a conversation that was stored before; send the whole conversation as its input'],
  ['prompt', 'a prompt that was stored before; send its text as instructions'],
  ['background', 'work in the background'],
]

/** Converts a Responses request to chat-completions. `refusal`: a sentence that explains why that is impossible. */
export function translateRequest(body: Buffer): TranslatedRequest | { readonly refusal: string } {
  try {
    const { chat, ...translated } = toChatRequest(parseExternalJson(body.toString()))
    return { ...translated, body: Buffer.from(JSON.stringify(chat)), model: chat.model }
  } catch (error) {
    if (!(error instanceof UntranslatableError)) throw error
    return { refusal: `The gateway of this plan speaks chat-completions, which cannot express ${error.message}.` }
  }
}

/** Throws `Untranslatable`. */
function toChatRequest(body: unknown) {
  const parsedRequest = ResponsesRequest.safeParse(body)
  if (!parsedRequest.success) {
    const [issue] = parsedRequest.error.issues
    const fieldPath = issue?.path.join('.') || 'its body'
    throw new UntranslatableError(
      `something that is not of the Responses protocol (${fieldPath}: ${issue?.message ?? ''})`,
    )
  }
  const request = parsedRequest.data
  for (const [name, refusalText] of storedFields)
    if (isRequested(request[name])) throw new UntranslatableError(`${refusalText} (${name})`)
  const items = typeof request.input === 'string' ? [] : (request.input ?? [])
  const conversation = new Conversation(request.instructions ?? '')
  for (const item of items) conversation.add(item)
  const messages = conversation.toMessages()
  if (typeof request.input === 'string') messages.push({ role: 'user', content: request.input })
  if (messages.length === 0) throw new UntranslatableError('no input')
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

const isRequested = (value: unknown): boolean => value !== undefined && value !== null && value !== false

function settings({ max_output_tokens, temperature, top_p, user, reasoning, text }: ResponsesRequest) {
  const chatParameters = {
    max_tokens: max_output_tokens,
    temperature,
    top_p,
    user,
    reasoning_effort: reasoning?.effort,
    response_format: responseFormat(text),
  }
  return Object.fromEntries(Object.entries(chatParameters).filter(([, value]) => isRequested(value)))
}

function responseFormat(text: ResponsesRequest['text']) {
  const { type, name, description, schema, strict } = text?.format ?? {}
  if (type === 'json_object') return { type }
  if (type !== 'json_schema') return undefined
  const formatSettings = Object.entries({ name: name ?? 'answer', description, schema, strict })
  return {
    type,
    json_schema: Object.fromEntries(formatSettings.filter(([, value]) => value !== undefined && value !== null)),
  }
}

/** Gateways reject a tool choice without tools. */
function toolSettings({ tool_choice: choice, parallel_tool_calls }: ResponsesRequest, { list }: ToolTable) {
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
  if (!list.some((tool) => tool.function.name === name)) {
    throw new UntranslatableError(`a choice of a tool that the gateway does not have (${choice.name ?? choice.type})`)
  }
  return { ...toolFields, tool_choice: { type: 'function', function: { name } } }
}

interface ChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ChatPart[] }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly reasoning_content?: string
      readonly tool_calls?: readonly ChatCall[]
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

/** Command of the client's own shell tool. */
export const ShellAction = z.object({
  command: z.array(z.string()),
  timeout_ms: z.number().nullish().catch(undefined),
  working_directory: z.string().nullish().catch(undefined),
})

const calls: Readonly<Record<string, (item: ResponsesItem) => Omit<ChatCall, 'id' | 'type'>['function']>> = {
  function_call: ({ name, namespace, arguments: callArguments }) => ({
    name: toChatName(name ?? '', namespace),
    arguments: typeof callArguments === 'string' ? callArguments || '{}' : JSON.stringify(callArguments ?? {}),
  }),
  custom_tool_call: ({ name, namespace, input }) => ({
    name: toChatName(name ?? '', namespace),
    arguments: JSON.stringify({ input: input ?? '' }),
  }),
  local_shell_call: ({ action }) => ({
    name: shellName,
    arguments: JSON.stringify(ShellAction.safeParse(action).data ?? { command: [] }),
  }),
}

const results = new Set(['function_call_output', 'custom_tool_call_output', 'local_shell_call_output'])

const getCallId = ({ call_id, id }: ResponsesItem): string => call_id ?? id ?? ''

interface ToolCallPair {
  /** Id of the tool call in the Responses request. Of two consecutive calls with one id, the second gets another. */
  readonly id: string
  readonly call: ChatCall
  result: ResponsesContent | undefined
}

type AssistantMessage = Extract<ChatMessage, { readonly role: 'assistant' }>

/** Consecutive tool calls, which become one chat message with the text before them, followed by their results. */
interface CallRow {
  readonly message: AssistantMessage
  readonly calls: ToolCallPair[]
}

type ItemKind = 'message' | 'developer' | 'thoughts' | 'call' | 'result' | 'reference' | 'other'

function toItemKind(item: ResponsesItem): ItemKind {
  const type = item.type ?? 'message'
  if (type === 'message') {
    if (typeof item.role !== 'string') return 'other'
    return item.role === 'developer' || item.role === 'system' ? 'developer' : 'message'
  }
  if (type === 'reasoning') return listThoughts(item).length > 0 ? 'thoughts' : 'other'
  if (type === 'item_reference') return 'reference'
  if (calls[type] !== undefined) return 'call'
  return results.has(type) ? 'result' : 'other'
}

/**
 * Converts the items of a conversation to messages. Leading developer messages become one system message, later ones
 * user messages. Results follow their calls. Throws `Untranslatable`.
 */
class Conversation {
  readonly #system: string[] = []
  readonly #turns: (ChatMessage | CallRow)[] = []
  /** Thoughts belong to the model's next message. Those before a user message are dropped. */
  #thoughts: readonly string[] = []
  /** Row of the last item, if that was a call. */
  #openRow: CallRow | undefined
  #hasMessage = false
  #hasOrphan = false

  constructor(instructions: string) {
    this.#system.push(instructions)
  }

  add(item: ResponsesItem): void {
    const kind = toItemKind(item)
    if (kind === 'other') return
    if (kind === 'call') {
      this.#openRow ??= this.#startRow()
      this.#openRow.calls.push(readCall(item, this.#openRow.calls))
      return
    }
    this.#openRow = undefined
    this.#hasMessage ||= kind === 'message'
    if (kind === 'reference') throw new UntranslatableError('an item that was stored before; send the item itself')
    if (kind === 'thoughts') this.#thoughts = [...this.#thoughts, ...listThoughts(item)]
    else if (kind === 'result') this.#addResult(item)
    else if (kind === 'developer' && !this.#hasMessage) this.#system.push(joinText(item.content))
    else if (item.role === 'assistant')
      this.#turns.push(this.#withThoughts({ role: 'assistant', content: joinText(item.content, '') }))
    else this.#addUserContent(chatContent(item.content))
  }

  toMessages(): ChatMessage[] {
    const isRow = (turn: ChatMessage | CallRow): turn is CallRow => 'calls' in turn
    if (this.#hasOrphan && !this.#hasMessage && !this.#turns.some(isRow))
      throw new UntranslatableError(
        'the result of a call that is not in its input; send the whole conversation as its input',
      )
    const system = this.#system.filter((text) => text !== '')
    const messages = this.#turns.flatMap((turn) => (isRow(turn) ? toRowMessages(turn) : [turn]))
    return system.length === 0 ? messages : [{ role: 'system', content: system.join('\n\n') }, ...messages]
  }

  /** Starts a row of calls with the model's text before it, so that both become one message. */
  #startRow(): CallRow {
    const lastTurn = this.#turns.at(-1)
    const text = lastTurn && 'role' in lastTurn && lastTurn.role === 'assistant' ? lastTurn : undefined
    if (text) this.#turns.pop()
    this.#thoughts = [text?.reasoning_content ?? [], this.#thoughts].flat()
    const row = { message: this.#withThoughts({ role: 'assistant', content: text?.content ?? null }), calls: [] }
    this.#turns.push(row)
    return row
  }

  #withThoughts(message: AssistantMessage): AssistantMessage {
    const thoughts = this.#thoughts
    this.#thoughts = []
    return thoughts.length === 0 ? message : { ...message, reasoning_content: thoughts.join('\n\n') }
  }

  /**
   * Adds a result to the nearest earlier call, because ids may recur in a later turn. Gateways reject a result without
   * its call, which a tool may have dropped to shorten the conversation, so that becomes words of the user.
   */
  #addResult(item: ResponsesItem): void {
    const result = toResultContent(item)
    const isOpen = (pair: ToolCallPair) => pair.id === getCallId(item) && pair.result === undefined
    const rows = this.#turns.flatMap((turn) => ('calls' in turn ? [turn.calls] : []))
    const openCall = rows.findLast((row) => row.some(isOpen))?.find(isOpen)
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
    this.#turns.push({ role: 'user', content })
  }
}

function readCall(item: ResponsesItem, row: readonly ToolCallPair[]): ToolCallPair {
  const id = getCallId(item)
  const chatId = id || 'call'
  const hasCallId = row.some(({ call }) => call.id === chatId)
  const called = calls[item.type ?? '']?.(item) ?? { name: '', arguments: '{}' }
  const call: ChatCall = { id: hasCallId ? `${chatId}_${row.length}` : chatId, type: 'function', function: called }
  return { id, call, result: undefined }
}

function toRowMessages({ message, calls: pairs }: CallRow): ChatMessage[] {
  const results = pairs.map(({ call, result }): ChatMessage => {
    const content = result === undefined ? 'no result: interrupted' : joinText(result) || 'See below.'
    return { role: 'tool', tool_call_id: call.id, content }
  })
  const parts = pairs.flatMap(({ result }) => nonTextParts(result))
  const callMessage = { ...message, tool_calls: pairs.map(({ call }) => call) }
  return [callMessage, ...results, ...(parts.length > 0 ? [{ role: 'user' as const, content: parts }] : [])]
}

/** The model's thoughts as plain text, or else their summary. */
function listThoughts({ content, summary }: ResponsesItem): readonly string[] {
  const text = joinText(content) || joinText(summary)
  return text === '' ? [] : [text]
}

/** Content of a tool result: text or parts. Other values become JSON. */
const toResultContent = ({ output }: ResponsesItem): ResponsesContent =>
  Content.safeParse(output).data ?? JSON.stringify(output ?? '')

type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string } }
  | { readonly type: 'file'; readonly file: { readonly filename?: string; readonly file_data: string } }
  | { readonly type: 'input_audio'; readonly input_audio: unknown }

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
  file_id: OptionalText,
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

interface ChatTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters?: unknown
    readonly strict?: true
  }
}

/** Origin of a chat function: `custom` takes free text, `shell` is the client's own tool. */
export interface ToolOrigin {
  readonly kind: 'function' | 'custom' | 'shell'
  readonly name: string
  readonly namespace?: string | undefined
}

export interface ToolTable {
  readonly list: readonly ChatTool[]
  /** Original tool of a chat function. An unknown name counts as a plain function. */
  getOrigin(chatName: string): ToolOrigin
}

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

/** Tools that a gateway can offer a model. Omits those that only the vendor's service runs, such as web search. */
function toolTable(tools: readonly ResponsesTool[]): ToolTable {
  const offeredTools = new Map<string, readonly [ChatTool, ToolOrigin]>()
  for (const [tool, origin] of tools.flatMap((item) => listOfferedTools(item))) {
    if (!offeredTools.has(tool.function.name)) offeredTools.set(tool.function.name, [tool, origin])
  }
  return {
    list: [...offeredTools.values()].map(([tool]) => tool),
    getOrigin: (chatName) => offeredTools.get(chatName)?.[1] ?? { kind: 'function', name: chatName },
  }
}

function listOfferedTools(tool: ResponsesTool, namespace?: string): readonly (readonly [ChatTool, ToolOrigin])[] {
  const { type, name } = tool
  if (type === 'namespace') return (tool.tools ?? []).flatMap((item) => listOfferedTools(item, name ?? undefined))
  if (type === 'local_shell') {
    const description = 'Runs a command on the computer of the user.'
    const shell = { name: shellName, description, parameters: shellParameters }
    return [addTool(shell, { kind: 'shell', name: shellName })]
  }
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return []
  const description = toDescription(tool)
  const toolFields = { name: toChatName(name, namespace), ...(description === '' ? {} : { description }) }
  const parameterFields = type === 'custom' ? { parameters: freeTextSchema } : toParameters(tool)
  return [addTool({ ...toolFields, ...parameterFields }, { kind: type, name, namespace })]
}

const addTool = (called: ChatTool['function'], origin: ToolOrigin) =>
  [{ type: 'function', function: called }, origin] as const

const freeTextSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

/** Gateways require a schema of type `object` with properties, and reject null. Keeps `oneOf` and `required`. */
function toParameters({ parameters, strict }: ResponsesTool) {
  const members = isObject(parameters) ? Object.entries(parameters) : []
  const schema = Object.fromEntries(members.filter(([, value]) => value !== null))
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
