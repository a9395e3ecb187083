import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { parseJson } from '../../gateway/server-message'
import { type ChatAnswer, type ChatCallPiece, type ChatSaid, responsesUsage } from './chat-answer'
import type { ToolOrigin, ToolTable } from './request'

/** Writes one event; what it is called, and its fields. */
type Write = (type: string, fields: Readonly<Record<string, unknown>>) => void

/** Where an item is in the answer. */
interface ItemPlace {
  readonly id: string
  readonly index: number
}

/** How an item ends: as it should, or cut. */
type ItemEnd = 'completed' | 'incomplete'

/** An item of the answer that is being written. */
interface OutputItem {
  add(text: string): void
  /** The item as it stands in the answer; undefined when it cannot stand there unfinished. */
  close(end: ItemEnd): object | undefined
}

/** What tells a message from thoughts. */
interface TextKind {
  readonly prefix: string
  readonly event: string
  readonly part: (text: string) => object
  readonly item: (id: string, status: string, content: readonly object[]) => object
  readonly isOfParts: boolean
}

const textKinds = {
  message: {
    prefix: 'msg',
    event: 'response.output_text',
    part: (text) => ({ type: 'output_text', text, annotations: [], logprobs: [] }),
    item: (id, status, content) => ({ id, type: 'message', status, role: 'assistant', content }),
    isOfParts: true,
  },
  reasoning: {
    prefix: 'rs',
    event: 'response.reasoning_text',
    part: (text) => ({ type: 'reasoning_text', text }),
    item: (id, _status, content) => ({ id, type: 'reasoning', summary: [], content }),
    isOfParts: false,
  },
} as const satisfies Record<string, TextKind>

type TextItemKind = keyof typeof textKinds

/** How the ids of these items begin. */
const textPrefix = (kind: TextItemKind): string => textKinds[kind].prefix

/** A message of the model, or its thoughts. */
class TextItem implements OutputItem {
  readonly kind: TextItemKind
  readonly #place: ItemPlace
  readonly #write: Write
  readonly #at: object
  #text = ''

  constructor(kind: TextItemKind, place: ItemPlace, write: Write) {
    this.kind = kind
    this.#place = place
    this.#write = write
    this.#at = { item_id: place.id, output_index: place.index, content_index: 0 }
    write('response.output_item.added', {
      output_index: place.index,
      item: textKinds[kind].item(place.id, 'in_progress', []),
    })
    if (textKinds[kind].isOfParts) write('response.content_part.added', { ...this.#at, part: textKinds[kind].part('') })
  }

  add(text: string): void {
    this.#text += text
    const logprobs = this.kind === 'message' ? { logprobs: [] } : {}
    this.#write(`${textKinds[this.kind].event}.delta`, { ...this.#at, delta: text, ...logprobs })
  }

  close(end: ItemEnd): object {
    const { event, part, item, isOfParts } = textKinds[this.kind]
    const { id, index } = this.#place
    const whole = part(this.#text)
    const done = item(id, end, [whole])
    this.#write(`${event}.done`, {
      ...this.#at,
      text: this.#text,
      ...(this.kind === 'message' ? { logprobs: [] } : {}),
    })
    if (isOfParts) this.#write('response.content_part.done', { ...this.#at, part: whole })
    this.#write('response.output_item.done', { output_index: index, item: done })
    return done
  }
}

interface Call {
  readonly item: CallItem
  readonly callId: string
}

interface ItemsOptions {
  readonly tools: ToolTable
  /** What makes the ids of this answer its own. */
  readonly tail: string
  readonly write: Write
}

/** The items of one answer: text ends where something else begins, calls end together with the answer. */
class AnswerItems {
  readonly #options: ItemsOptions
  readonly #calls: Call[] = []
  readonly #callAt = new Map<number, Call>()
  readonly #open = new Map<OutputItem, number>()
  readonly #closed = new Map<number, object>()
  #items = 0
  #text: TextItem | undefined

  constructor(options: ItemsOptions) {
    this.#options = options
  }

  /** The items that ended, in their order. */
  get output(): readonly object[] {
    return [...this.#closed].sort(([a], [b]) => a - b).map(([, item]) => item)
  }

  say({ content, refusal, reasoning_content, reasoning, tool_calls }: ChatSaid): void {
    this.#addText('reasoning', reasoning_content ?? reasoning)
    this.#addText('message', content)
    this.#addText('message', refusal)
    for (const piece of tool_calls ?? []) this.#callOf(piece).item.add(piece.function?.arguments ?? '')
  }

  closeAll(end: ItemEnd): void {
    for (const item of [...this.#open.keys()]) this.#close(item, end)
    this.#text = undefined
  }

  #addText(kind: TextItemKind, text: string | null | undefined): void {
    if (text === null || text === undefined || text === '') return
    if (this.#text?.kind !== kind) {
      this.#closeText()
      this.#text = this.#opened(textPrefix(kind), (place, write) => new TextItem(kind, place, write))
    }
    this.#text.add(text)
  }

  /** Some gateways leave out the place of a call, or give all calls of a row the same one: a new id is a new call. */
  #callOf({ index, id, function: called }: ChatCallPiece): Call {
    const placed = index === undefined ? this.#calls.at(-1) : this.#callAt.get(index)
    const known = this.#calls.find(({ callId }) => callId === id) ?? placed
    const isOther = Boolean(id) && Boolean(called?.name) && known?.callId !== id
    if (known !== undefined && !isOther) return known
    this.#closeText()
    const { tools, tail } = this.#options
    const origin = tools.originOf(called?.name ?? '')
    const callId = id || `call_${tail}_${this.#calls.length}`
    const item = this.#opened(callPrefix(origin), (place, write) => new CallItem(place, { callId, origin }, write))
    const call = { item, callId }
    this.#calls.push(call)
    this.#callAt.set(index ?? this.#calls.length - 1, call)
    return call
  }

  #opened<T extends OutputItem>(prefix: string, make: (place: ItemPlace, write: Write) => T): T {
    const index = this.#items
    this.#items += 1
    const item = make({ id: `${prefix}_${this.#options.tail}_${index}`, index }, this.#options.write)
    this.#open.set(item, index)
    return item
  }

  #closeText(): void {
    if (this.#text !== undefined) this.#close(this.#text, 'completed')
    this.#text = undefined
  }

  #close(item: OutputItem, end: ItemEnd): void {
    const index = this.#open.get(item)
    const done = item.close(end)
    this.#open.delete(item)
    if (index !== undefined && done !== undefined) this.#closed.set(index, done)
  }
}

interface Called {
  readonly id: string
  readonly status: 'in_progress' | 'completed'
  readonly callId: string
  readonly origin: ToolOrigin
  /** Arguments or free text. */
  readonly said: string
}

interface CallKind {
  readonly prefix: string
  /** What is said, of the arguments as the model wrote them. */
  readonly read: (text: string) => string
  /** The event that tells of it, and the field it is in; none: the item alone. */
  readonly event?: { readonly name: string; readonly field: string }
  /** Whether pieces can be told as they come. */
  readonly isStreamed: boolean
  readonly item: (called: Called) => object
}

const FreeText = z.object({ input: z.string() })
const Command = z.object({
  command: z.array(z.string()),
  timeout_ms: z.number().nullish().catch(undefined),
  working_directory: z.string().nullish().catch(undefined),
})

const placed = ({ namespace }: ToolOrigin) => (namespace === undefined ? {} : { namespace })

const callKinds: Readonly<Record<ToolOrigin['kind'], CallKind>> = {
  function: {
    prefix: 'fc',
    read: (text) => (text.trim() === '' ? '{}' : text),
    event: { name: 'response.function_call_arguments', field: 'arguments' },
    isStreamed: true,
    item: ({ id, status, callId, origin, said }) => ({
      ...{ id, type: 'function_call', status, call_id: callId, name: origin.name, ...placed(origin) },
      arguments: said,
    }),
  },
  custom: {
    prefix: 'ctc',
    // A model that leaves the quotes out has written the free text itself.
    read: (text) => FreeText.safeParse(parseJson(text)).data?.input ?? text,
    event: { name: 'response.custom_tool_call_input', field: 'input' },
    isStreamed: false,
    item: ({ id, status, callId, origin, said }) => ({
      ...{ id, type: 'custom_tool_call', status, call_id: callId, name: origin.name, ...placed(origin) },
      input: said,
    }),
  },
  shell: {
    prefix: 'lsh',
    read: (text) => text,
    isStreamed: false,
    item: ({ id, status, callId, said }) => ({
      ...{ id, type: 'local_shell_call', status, call_id: callId },
      action: { type: 'exec', env: {}, ...(Command.safeParse(parseJson(said)).data ?? { command: [] }) },
    }),
  },
}

/** How the ids of these items begin. */
const callPrefix = ({ kind }: ToolOrigin): string => callKinds[kind].prefix

/** A call of a tool by the model. */
class CallItem implements OutputItem {
  readonly #place: ItemPlace
  readonly #call: Pick<Called, 'callId' | 'origin'>
  readonly #write: Write
  #text = ''

  constructor(place: ItemPlace, call: Pick<Called, 'callId' | 'origin'>, write: Write) {
    this.#place = place
    this.#call = call
    this.#write = write
    write('response.output_item.added', { output_index: place.index, item: this.#item('in_progress', '') })
  }

  add(text: string): void {
    this.#text += text
    const { event, isStreamed } = callKinds[this.#call.origin.kind]
    if (isStreamed && event !== undefined && text !== '') this.#tell(`${event.name}.delta`, { delta: text })
  }

  /** A call that was cut must not be carried out: it is not in the answer. */
  close(end: ItemEnd): object | undefined {
    if (end === 'incomplete') return undefined
    const { read, event, isStreamed } = callKinds[this.#call.origin.kind]
    const said = read(this.#text)
    if (event !== undefined) {
      if (!isStreamed || this.#text === '') this.#tell(`${event.name}.delta`, { delta: said })
      this.#tell(`${event.name}.done`, { [event.field]: said })
    }
    const item = this.#item('completed', said)
    this.#write('response.output_item.done', { output_index: this.#place.index, item })
    return item
  }

  #item(status: Called['status'], said: string): object {
    return callKinds[this.#call.origin.kind].item({ id: this.#place.id, status, ...this.#call, said })
  }

  #tell(type: string, fields: object): void {
    this.#write(type, { item_id: this.#place.id, output_index: this.#place.index, ...fields })
  }
}

/** An event of the Responses protocol. */
export type ResponsesEvent = { readonly type: string; readonly sequence_number: number } & Readonly<
  Record<string, unknown>
>

/** Why an answer ended early, by the gateway's word for it. */
const cutReasons: ReadonlyMap<string, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
])

/** What of a request its answer needs. */
interface AnswerRequest {
  readonly tools: ToolTable
  readonly model: string
}

interface Begun {
  readonly frame: { readonly id: string; readonly created_at: number; readonly model: string }
  readonly items: AnswerItems
}

/** Writes the events of one answer from the pieces of a chat, or from a whole answer as if it were one piece. */
export class AnswerWriter {
  readonly #asked: AnswerRequest
  #events: ResponsesEvent[] = []
  #written = 0
  #begun: Begun | undefined
  #usage: ChatAnswer['usage']
  #finish: string | undefined
  #final: object | undefined

  constructor(asked: AnswerRequest) {
    this.#asked = asked
  }

  /** The answer as it ended; undefined as long as it did not. */
  get answer(): object | undefined {
    return this.#final
  }

  add(piece: ChatAnswer): readonly ResponsesEvent[] {
    if (this.#final !== undefined) return []
    if (piece.error !== undefined && piece.error !== null) return this.fail(piece.error)
    const { items } = this.#begin(piece)
    this.#usage = piece.usage ?? this.#usage
    const [choice] = piece.choices ?? []
    const said = choice?.delta ?? choice?.message
    if (said !== undefined && said !== null) items.say(said)
    if (choice?.finish_reason) {
      this.#finish = choice.finish_reason
      items.closeAll(cutReasons.has(this.#finish) ? 'incomplete' : 'completed')
    }
    return this.#take()
  }

  /** The gateway is through; `isDone`: and said so itself. */
  end(isDone: boolean): readonly ResponsesEvent[] {
    if (this.#final !== undefined) return []
    if (this.#finish === undefined && !isDone) return this.fail('The gateway ended its answer before it was complete.')
    this.#begin({}).items.closeAll('completed')
    const reason = cutReasons.get(this.#finish ?? '')
    if (reason === undefined) this.#endAs('completed')
    else this.#endAs('incomplete', { incomplete_details: { reason } })
    return this.#take()
  }

  fail(error: NonNullable<ChatAnswer['error']>): readonly ResponsesEvent[] {
    if (this.#final !== undefined) return []
    this.#begin({}).items.closeAll('incomplete')
    const { message, code, type } = typeof error === 'string' ? { message: error } : error
    const words = message ?? 'The gateway could not complete its answer.'
    this.#endAs('failed', { error: { code: String(code ?? type ?? 'server_error'), message: words } })
    return this.#take()
  }

  #begin({ id, created, model }: Partial<ChatAnswer>): Begun {
    if (this.#begun !== undefined) return this.#begun
    const tail = (id ?? '').replace(/^chatcmpl-/, '').replace(/[^\w-]/g, '_') || randomUUID()
    const frame = {
      id: `resp_${tail}`,
      created_at: created ?? Math.floor(Date.now() / 1000),
      model: model ?? this.#asked.model,
    }
    const { tools } = this.#asked
    const items = new AnswerItems({ tools, tail, write: (type, fields) => this.#write(type, fields) })
    this.#begun = { frame, items }
    const response = responseOf(this.#begun, 'in_progress')
    this.#write('response.created', { response })
    this.#write('response.in_progress', { response })
    return this.#begun
  }

  #endAs(status: 'completed' | 'incomplete' | 'failed', more: object = {}): void {
    this.#final = { ...responseOf(this.#begin({}), status), ...more, usage: responsesUsage(this.#usage) ?? null }
    this.#write(`response.${status}`, { response: this.#final })
  }

  #write(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#events.push({ type, sequence_number: this.#written, ...fields })
    this.#written += 1
  }

  #take(): readonly ResponsesEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }
}

const responseOf = ({ frame, items }: Begun, status: string) => ({
  ...frame,
  object: 'response',
  status,
  error: null,
  incomplete_details: null,
  output: items.output,
  previous_response_id: null,
  store: false,
  usage: null,
})
