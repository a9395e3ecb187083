import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ResponseDelta, ResponseFacts } from '../../gateway/model-requests'
import { isHtml, parseExternalJson, readServerMessage } from '../../gateway/server-message'
import { maxTranslatedBytes, ShellAction, type ToolOrigin, type ToolTable, type TranslatedRequest } from './request'

type WriteEvent = (type: string, fields: Readonly<Record<string, unknown>>) => void

interface ItemPosition {
  readonly id: string
  readonly index: number
}

type ItemEnd = 'completed' | 'incomplete'

interface OutputItem {
  add(text: string): void
  /** Ends the item and returns it. Undefined for an interrupted item that must be complete, such as a tool call. */
  close(end: ItemEnd): object | undefined
}

type TextItemKind = 'message' | 'reasoning'

/** A message or reasoning of the model. */
class TextItem implements OutputItem {
  readonly #at: object
  readonly #event: string
  readonly #logprobs: object
  #text = ''

  constructor(
    readonly kind: TextItemKind,
    private readonly place: ItemPosition,
    private readonly write: WriteEvent,
  ) {
    this.#at = { item_id: place.id, output_index: place.index, content_index: 0 }
    this.#event = kind === 'message' ? 'response.output_text' : 'response.reasoning_text'
    this.#logprobs = kind === 'message' ? { logprobs: [] } : {}
    write('response.output_item.added', { output_index: place.index, item: this.#item('in_progress', []) })
    if (kind === 'message') write('response.content_part.added', { ...this.#at, part: this.#part() })
  }

  add(text: string): void {
    this.#text += text
    this.write(`${this.#event}.delta`, { ...this.#at, delta: text, ...this.#logprobs })
  }

  close(end: ItemEnd): object {
    const part = this.#part()
    const item = this.#item(end, [part])
    this.write(`${this.#event}.done`, { ...this.#at, text: this.#text, ...this.#logprobs })
    if (this.kind === 'message') this.write('response.content_part.done', { ...this.#at, part })
    this.write('response.output_item.done', { output_index: this.place.index, item })
    return item
  }

  #part(): object {
    if (this.kind === 'reasoning') return { type: 'reasoning_text', text: this.#text }
    return { type: 'output_text', text: this.#text, annotations: [], ...this.#logprobs }
  }

  #item(status: string, content: readonly object[]): object {
    const { id } = this.place
    if (this.kind === 'reasoning') return { id, type: 'reasoning', summary: [], content }
    return { id, type: 'message', status, role: 'assistant', content }
  }
}

type ToolCall = Extract<ResponseDelta, { readonly kind: 'toolCalls' }>['calls'][number]

/** The items of one response. Text ends when another item starts. Calls end with the response. */
class OutputItems {
  readonly #callItems = new Map<number, { readonly item: CallItem; length: number }>()
  readonly #open = new Map<OutputItem, number>()
  readonly #closed = new Map<number, object>()
  #calls: readonly ToolCall[] = []
  #items = 0
  #text: TextItem | undefined

  /** `tail`: suffix that makes the item ids of this response unique. */
  constructor(
    private readonly options: { readonly tools: ToolTable; readonly tail: string; readonly write: WriteEvent },
  ) {}

  get output(): readonly object[] {
    return [...this.#closed].sort(([a], [b]) => a - b).map(([, item]) => item)
  }

  get hasNamelessCall(): boolean {
    return this.#calls.some(({ name }) => name === '')
  }

  add(delta: ResponseDelta): void {
    if (delta.kind === 'toolCalls') {
      this.#calls = delta.calls
      // The name of a tool may arrive late or in pieces. It is complete when a tool has this name and arguments follow.
      // For the last call, the arguments `{}` may be a placeholder.
      for (const [position, call] of delta.calls.entries()) {
        const isOpen = call.input === '' || (call.input === '{}' && position === delta.calls.length - 1)
        const isTool = this.options.tools.list.some((tool) => tool.function.name === call.name)
        if (!isOpen && isTool) this.#writeCall(position, call)
      }
    } else this.#addText(delta.kind === 'text' ? 'message' : 'reasoning', delta.piece)
  }

  closeAll(end: ItemEnd): void {
    if (end === 'completed') for (const [position, call] of this.#calls.entries()) this.#writeCall(position, call)
    for (const item of [...this.#open.keys()]) this.#close(item, end)
    this.#text = undefined
  }

  #addText(kind: TextItemKind, text: string): void {
    if (this.#text?.kind !== kind) {
      this.#closeText()
      this.#text = this.#openItem(kind === 'message' ? 'msg' : 'rs', (place, write) => new TextItem(kind, place, write))
    }
    this.#text.add(text)
  }

  #writeCall(position: number, { id, name, input }: ToolCall): void {
    const { tools, tail } = this.options
    let knownItem = this.#callItems.get(position)
    if (knownItem === undefined) {
      this.#closeText()
      const origin = tools.getOrigin(name)
      const call = { callId: id || `call_${tail}_${position}`, origin }
      const { prefix } = callKinds[origin.kind]
      const item = this.#openItem(prefix, (place, write) => new CallItem(place, call, write))
      knownItem = { item, length: 0 }
      this.#callItems.set(position, knownItem)
    }
    knownItem.item.add(input.slice(knownItem.length))
    knownItem.length = input.length
  }

  #openItem<T extends OutputItem>(prefix: string, make: (place: ItemPosition, write: WriteEvent) => T): T {
    const index = this.#items
    this.#items += 1
    const item = make({ id: `${prefix}_${this.options.tail}_${index}`, index }, this.options.write)
    this.#open.set(item, index)
    return item
  }

  #closeText(): void {
    if (this.#text !== undefined) this.#close(this.#text, 'completed')
    this.#text = undefined
  }

  #close(item: OutputItem, end: ItemEnd): void {
    const index = this.#open.get(item)
    const closedItem = item.close(end)
    this.#open.delete(item)
    if (index !== undefined && closedItem !== undefined) this.#closed.set(index, closedItem)
  }
}

interface ToolCallState {
  readonly id: string
  readonly status: 'in_progress' | 'completed'
  readonly callId: string
  readonly origin: ToolOrigin
  /** Arguments of the call, or its free text. */
  readonly inputText: string
}

interface CallKind {
  readonly prefix: string
  /** Converts arguments from the model's text. */
  readonly read: (text: string) => string
  /** Name and field of the event that sends partial arguments. If undefined, only the complete item is sent. */
  readonly event?: { readonly name: string; readonly field: string }
  readonly isStreamed: boolean
  readonly item: (called: ToolCallState) => object
}

const CustomToolInput = z.object({ input: z.string() })

/** Item of a call by name, whose input is in this field. */
const createNamedItem =
  (type: string, field: string): CallKind['item'] =>
  ({ id, status, callId, origin: { name, namespace }, inputText }) => ({
    id,
    type,
    status,
    call_id: callId,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    [field]: inputText,
  })

const callKinds: Readonly<Record<ToolOrigin['kind'], CallKind>> = {
  function: {
    prefix: 'fc',
    read: (text) => (text.trim() === '' ? '{}' : text),
    event: { name: 'response.function_call_arguments', field: 'arguments' },
    isStreamed: true,
    item: createNamedItem('function_call', 'arguments'),
  },
  custom: {
    prefix: 'ctc',
    // Models should send JSON with a field `input`. If the arguments are not JSON, the model has sent the free text
    // itself.
    read: (text) => CustomToolInput.safeParse(parseExternalJson(text)).data?.input ?? text,
    event: { name: 'response.custom_tool_call_input', field: 'input' },
    isStreamed: false,
    item: createNamedItem('custom_tool_call', 'input'),
  },
  shell: {
    prefix: 'lsh',
    read: (text) => text,
    isStreamed: false,
    item: ({ id, status, callId, inputText }) => ({
      id,
      type: 'local_shell_call',
      status,
      call_id: callId,
      action: {
        type: 'exec',
        env: {},
        ...(ShellAction.safeParse(parseExternalJson(inputText)).data ?? { command: [] }),
      },
    }),
  },
}

class CallItem implements OutputItem {
  #text = ''

  constructor(
    private readonly place: ItemPosition,
    private readonly call: Pick<ToolCallState, 'callId' | 'origin'>,
    private readonly write: WriteEvent,
  ) {
    write('response.output_item.added', { output_index: place.index, item: this.#item('in_progress', '') })
  }

  add(text: string): void {
    this.#text += text
    const { event, isStreamed } = callKinds[this.call.origin.kind]
    if (isStreamed && event !== undefined && text !== '') this.#emit(`${event.name}.delta`, { delta: text })
  }

  /** An interrupted call must not run, so it is omitted from the response. */
  close(end: ItemEnd): object | undefined {
    if (end === 'incomplete') return undefined
    const { read, event, isStreamed } = callKinds[this.call.origin.kind]
    const callInput = read(this.#text)
    if (event !== undefined) {
      if (!isStreamed || this.#text === '') this.#emit(`${event.name}.delta`, { delta: callInput })
      this.#emit(`${event.name}.done`, { [event.field]: callInput })
    }
    const item = this.#item('completed', callInput)
    this.write('response.output_item.done', { output_index: this.place.index, item })
    return item
  }

  #item(status: ToolCallState['status'], callInput: string): object {
    return callKinds[this.call.origin.kind].item({ id: this.place.id, status, ...this.call, inputText: callInput })
  }

  #emit(type: string, fields: object): void {
    this.write(type, { item_id: this.place.id, output_index: this.place.index, ...fields })
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
