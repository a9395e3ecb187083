import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ResponseDelta, ResponseFacts } from '../../gateway/model-requests'
import { isHtml, parseExternalJson, readServerMessage } from '../../gateway/server-message'
import { maxTranslatedBytes, type OfferedTools, ShellAction, type TranslatedRequest } from './request'

type WriteEvent = (type: string, fields: Readonly<Record<string, unknown>>) => void

type ItemEnd = 'completed' | 'incomplete'

interface ItemKind {
  readonly prefix: string
  /** Events that send the text, with the name of its field. If undefined, only the complete item is sent. */
  readonly events?: { readonly name: string; readonly field: string; readonly extraFields?: object }
  /** Whether text is sent as it arrives. */
  readonly isStreamed: boolean
  /** Content part of a message. */
  readonly part?: (text: string) => object
  /** Whether a tool runs the item, so that it must be complete. */
  readonly isCall: boolean
  /** Converts the complete text of the model. */
  readonly read?: (text: string) => string
  /** Fields of the item in the response. */
  readonly item: (text: string, status: ItemEnd | 'in_progress', callFields: object) => object
}

/** Kind of a call by name, whose input is in this field. */
const createNamedCall = (type: string, field: string) => ({
  events: { name: `response.${type}_${field}`, field },
  isCall: true,
  item: (text: string, status: string, callFields: object) => ({ type, status, ...callFields, [field]: text }),
})

const messagePart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })

const CustomToolInput = z.object({ input: z.string() })

const itemKinds = {
  message: {
    prefix: 'msg',
    events: { name: 'response.output_text', field: 'text', extraFields: { content_index: 0, logprobs: [] } },
    isStreamed: true,
    isCall: false,
    part: messagePart,
    item: (text, status) => {
      const content = status === 'in_progress' ? [] : [messagePart(text)]
      return { type: 'message', status, role: 'assistant', content }
    },
  },
  reasoning: {
    prefix: 'rs',
    events: { name: 'response.reasoning_text', field: 'text', extraFields: { content_index: 0 } },
    isStreamed: true,
    isCall: false,
    item: (text, status) => {
      const content = status === 'in_progress' ? [] : [{ type: 'reasoning_text', text }]
      return { type: 'reasoning', summary: [], content }
    },
  },
  function: {
    ...createNamedCall('function_call', 'arguments'),
    prefix: 'fc',
    isStreamed: true,
    read: (text) => (text.trim() === '' ? '{}' : text),
  },
  custom: {
    ...createNamedCall('custom_tool_call', 'input'),
    prefix: 'ctc',
    isStreamed: false,
    // Models should send JSON with a field `input`. If the arguments are not JSON, the model has sent the free text
    // itself.
    read: (text) => CustomToolInput.safeParse(parseExternalJson(text)).data?.input ?? text,
  },
  shell: {
    prefix: 'lsh',
    isStreamed: false,
    isCall: true,
    item: (text, status, callFields) => {
      const action = ShellAction.safeParse(parseExternalJson(text)).data ?? { command: [] }
      return { type: 'local_shell_call', status, ...callFields, action: { type: 'exec', env: {}, ...action } }
    },
  },
} as const satisfies Readonly<Record<string, ItemKind>>

/** One item of a response. Its events are written when it starts, grows and ends. */
class OutputItem {
  #text = ''
  /** The complete item. Undefined before its end, and for an interrupted call, which must not run. */
  result: object | undefined

  constructor(
    readonly kind: ItemKind,
    private readonly place: { readonly id: string; readonly index: number },
    private readonly callFields: object,
    private readonly write: WriteEvent,
  ) {
    this.#writeItem('added', this.#toItem('in_progress', ''))
    this.#writePart('added', '')
  }

  get length(): number {
    return this.#text.length
  }

  add(text: string): void {
    this.#text += text
    if (this.kind.isStreamed && text !== '') this.#writeText('delta', text)
  }

  close(end: ItemEnd): void {
    const { isStreamed, isCall, read } = this.kind
    if (this.result !== undefined || (isCall && end === 'incomplete')) return
    const text = read?.(this.#text) ?? this.#text
    if (!isStreamed || this.#text === '') this.#writeText('delta', text)
    this.#writeText('done', text)
    this.#writePart('done', text)
    this.result = this.#toItem(end, text)
    this.#writeItem('done', this.result)
  }

  #toItem(status: ItemEnd | 'in_progress', text: string): object {
    return { id: this.place.id, ...this.kind.item(text, status, this.callFields) }
  }

  #writeItem(step: 'added' | 'done', item: object): void {
    this.write(`response.output_item.${step}`, { output_index: this.place.index, item })
  }

  #writePart(step: 'added' | 'done', text: string): void {
    const { part } = this.kind
    if (part) this.#write(`response.content_part.${step}`, { content_index: 0, part: part(text) })
  }

  #writeText(step: 'delta' | 'done', text: string): void {
    const { events } = this.kind
    if (events === undefined) return
    const field = step === 'delta' ? step : events.field
    this.#write(`${events.name}.${step}`, { ...events.extraFields, [field]: text })
  }

  #write(type: string, fields: object): void {
    this.write(type, { item_id: this.place.id, output_index: this.place.index, ...fields })
  }
}

type ToolCall = Extract<ResponseDelta, { readonly kind: 'toolCalls' }>['calls'][number]

/** The items of one response. Text ends when another item starts. Calls end with the response. */
class OutputItems {
  readonly #items: OutputItem[] = []
  /** Items of the calls, by the position of the call. */
  readonly #callItems = new Map<number, OutputItem>()
  #calls: readonly ToolCall[] = []

  /** `tail`: suffix that makes the item ids of this response unique. */
  constructor(
    private readonly options: { readonly tools: OfferedTools; readonly tail: string; readonly write: WriteEvent },
  ) {}

  get output(): readonly object[] {
    return this.#items.flatMap(({ result }) => result ?? [])
  }

  get hasNamelessCall(): boolean {
    return this.#calls.some(({ name }) => name === '')
  }

  add(delta: ResponseDelta): void {
    if (delta.kind !== 'toolCalls') {
      const kind = itemKinds[delta.kind === 'text' ? 'message' : 'reasoning']
      const lastItem = this.#items.at(-1)
      const item = lastItem?.kind === kind ? lastItem : this.#open(kind)
      item.add(delta.piece)
      return
    }
    this.#calls = delta.calls
    // The name of a tool may arrive late or in pieces. It is complete when a tool has this name and arguments follow.
    // For the last call, the arguments `{}` may be a placeholder.
    for (const [position, call] of delta.calls.entries()) {
      const isOpen = call.input === '' || (call.input === '{}' && position === delta.calls.length - 1)
      if (!isOpen && this.options.tools.has(call.name)) this.#writeCall(position, call)
    }
  }

  closeAll(end: ItemEnd): void {
    if (end === 'completed') for (const [position, call] of this.#calls.entries()) this.#writeCall(position, call)
    for (const item of this.#items) item.close(end)
  }

  #writeCall(position: number, { id, name: chatName, input }: ToolCall): void {
    const { tools, tail } = this.options
    // An unknown name counts as a plain function.
    const { kind, name, namespace } = tools.get(chatName)?.origin ?? { kind: 'function', name: chatName }
    const nameFields = kind === 'shell' ? {} : { name, ...(namespace !== undefined && { namespace }) }
    const callFields = { call_id: id || `call_${tail}_${position}`, ...nameFields }
    const item = this.#callItems.get(position) ?? this.#open(itemKinds[kind], callFields)
    this.#callItems.set(position, item)
    item.add(input.slice(item.length))
  }

  #open(kind: ItemKind, callFields: object = {}): OutputItem {
    const lastItem = this.#items.at(-1)
    if (lastItem?.kind.isCall === false) lastItem.close('completed')
    const place = { id: `${kind.prefix}_${this.options.tail}_${this.#items.length}`, index: this.#items.length }
    const item = new OutputItem(kind, place, callFields, this.options.write)
    this.#items.push(item)
    return item
  }
}

type ResponsesEvent = { readonly type: string; readonly sequence_number: number } & Readonly<Record<string, unknown>>

/** Finish reasons of different servers. */
const incompleteReasons: readonly (readonly [RegExp, string])[] = [
  [/length|max_(?:output_)?tokens|context_window/i, 'max_output_tokens'],
  [/filter|safety|sensitive|prohibited/i, 'content_filter'],
]

interface StartedResponse {
  readonly frame: { readonly id: string; readonly created_at: number; readonly model: string }
  readonly items: OutputItems
}

const incompleteText = 'The gateway ended its response before it was complete.'

/** Translates one response into a stream or a single JSON body, as the tool requested, even if the gateway's has the other form. */
export class ResponseWriter {
  readonly contentType: string
  /** Whether the response sent to the tool is an error. */
  hasFailed = false
  readonly #events: ResponsesEvent[] = []
  #written = 0
  /** Number of events of the gateway. */
  #received = 0
  #started: StartedResponse | undefined
  /** The complete response, which nothing may follow. Undefined before the end of the stream. */
  #response: object | undefined

  constructor(private readonly request: TranslatedRequest) {
    this.contentType = request.isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
  }

  /**
   * Returns the bytes to send to the tool. `isLast`: the gateway's response has ended. `failure`: why that response
   * was cut off, as a sentence.
   */
  write(deltas: readonly ResponseDelta[], facts: ResponseFacts, isLast: boolean, failure?: string): Buffer {
    const { events = 0, isEnded, output, lateError } = facts
    if (this.#response !== undefined) return Buffer.alloc(0)
    for (const delta of deltas) this.#begin(facts).items.add(delta)
    // Pass on comments and empty events while the model is thinking, so that the tool's idle timeout does not end the
    // request.
    if (deltas.length === 0 && events > this.#received) this.#keepAlive(facts)
    this.#received = events
    // Responses of models are far shorter.
    const isTooLong = facts.isTooLong || (output?.length ?? 0) > maxTranslatedBytes
    const error = lateError ?? failure ?? (isTooLong ? 'The response of the gateway is too long.' : undefined)
    if (error !== undefined) this.#fail(error, facts)
    else if (isEnded || (isLast && facts.isWhole)) this.#end(facts)
    else if (isLast) this.#fail(facts.unknown ? explainUnknownBody(facts.unknown) : incompleteText, facts)
    return this.#take()
  }

  /** Sends an event that prevents an idle timeout of the tool. */
  #keepAlive(facts: ResponseFacts): void {
    const isFirst = this.#started === undefined
    const { frame } = this.#begin(facts)
    if (!isFirst) this.#write('response.in_progress', { response: toResponse(frame, 'in_progress', []) })
  }

  #end(facts: ResponseFacts): void {
    const { items } = this.#begin(facts)
    const reason = incompleteReasons.find(([pattern]) => pattern.test(facts.finishReason ?? ''))?.[1]
    if (reason === undefined && items.hasNamelessCall) {
      this.#fail('The model called a tool without naming it. Try again, or choose another model.', facts)
      return
    }
    items.closeAll(reason === undefined ? 'completed' : 'incomplete')
    if (reason === undefined) this.#endAs('completed', facts)
    else this.#endAs('incomplete', facts, { incomplete_details: { reason } })
  }

  /** Ends the response with an error: a sentence, or the gateway's text. */
  #fail(error: string, facts: ResponseFacts): void {
    this.hasFailed = true
    this.#begin(facts).items.closeAll('incomplete')
    const { text, marks } = readServerMessage(error)
    const message = text || 'The gateway could not complete its response.'
    this.#endAs('failed', facts, { error: { code: marks.split(' ')[0] || 'server_error', message } })
  }

  #take(): Buffer {
    const events = this.#events.splice(0)
    if (!this.request.isStream) return Buffer.from(this.#response === undefined ? '' : JSON.stringify(this.#response))
    return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  }

  #begin({ responseId, created, modelCode }: ResponseFacts): StartedResponse {
    if (this.#started !== undefined) return this.#started
    const tail = (responseId ?? '').replace(/^chatcmpl-/, '').replace(/[^\w-]/g, '_') || randomUUID()
    const frame = {
      id: `resp_${tail}`,
      created_at: created ?? Math.floor(Date.now() / 1000),
      model: modelCode ?? this.request.model,
    }
    const write: WriteEvent = (type, fields) => this.#write(type, fields)
    this.#started = { frame, items: new OutputItems({ tools: this.request.tools, tail, write }) }
    const response = toResponse(frame, 'in_progress', [])
    this.#write('response.created', { response })
    this.#write('response.in_progress', { response })
    return this.#started
  }

  #endAs(status: 'completed' | 'incomplete' | 'failed', facts: ResponseFacts, extraFields: object = {}): void {
    const { frame, items } = this.#begin(facts)
    this.#response = { ...toResponse(frame, status, items.output), ...extraFields, usage: toResponsesUsage(facts) }
    this.#write(`response.${status}`, { response: this.#response })
  }

  #write(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#events.push({ type, sequence_number: this.#written, ...fields })
    this.#written += 1
  }
}

/** Usage in the Responses protocol. Null if the gateway did not report it. */
function toResponsesUsage({ usage, reasoningTokens = 0 }: ResponseFacts) {
  if (usage === undefined) return null
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + outputTokens,
  }
}

const toResponse = (frame: StartedResponse['frame'], status: string, output: readonly object[]) => ({
  ...frame,
  object: 'response',
  status,
  error: null,
  incomplete_details: null,
  output,
  previous_response_id: null,
  store: false,
  usage: null,
})

function explainUnknownBody(body: string): string {
  const contentDescription = isHtml(body) ? 'a web page' : 'text'
  const { text } = readServerMessage(body)
  return `The gateway answered with ${contentDescription} instead of a model response${text === '' ? '' : `: ${text}`}. Check the gateway address of the plan.`
}
