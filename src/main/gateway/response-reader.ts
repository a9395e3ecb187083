import type { PlaygroundToolCall } from '@shared/contract'
import type { ApiStandard } from '@shared/contract/common'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { ResponseDelta, ResponseFacts, ResponseReader } from './model-requests'
import { isCompleteJson, isObject, parseExternalJson } from './server-message'
import { readReasoningTokens, readUsage } from './usage'

type Json = Readonly<Record<string, unknown>>

const getText = (object: Json, name: string): string => {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}
const getObject = (object: Json, name: string): Json => {
  const value = object[name]
  return isObject(value) ? value : {}
}
/** Returns the objects of a list. Some servers send a single object instead. */
const getObjects = (object: Json, name: string): readonly Json[] => [object[name]].flat().filter(isObject)
/** Joins the texts of a string, list or part. Some servers send parts in place of text. */
function joinTexts(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(joinTexts).join('')
  return isObject(value) ? joinTexts(value.text ?? value.thinking ?? value.summary ?? value.content) : ''
}
const readIndex = ({ index }: Json): number | undefined =>
  /^(?:number|string)$/.test(typeof index) && /^\d{1,9}$/.test(String(index)) ? Number(index) : undefined

function readIdentity(message: Json, into: ResponseAccumulator): void {
  into.facts.responseId ??= getText(message, 'id').slice(0, 200) || undefined
  into.facts.modelCode ??= getText(message, 'model').slice(0, 200) || undefined
  if (typeof message.created === 'number') into.facts.created ??= message.created
}

/** Reads a stream chunk or complete body. Reads one choice, preferably the first; others only count as output. */
function readChat(value: Json, into: ResponseAccumulator, isBody: boolean): void {
  const choices = getObjects(value, 'choices')
  const messages = choices.map((choice) => findMessage(choice, into))
  const usages = [...messages, ...choices, getObject(value, 'x_groq'), value].map(({ usage }) => usage).filter(isObject)
  const hasResult = choices.length > 0 || Array.isArray(value.choices) || Array.isArray(value.data)
  if (!hasResult && usages.length === 0) return
  into.isReadable = true
  readIdentity(value, into)
  for (const usage of usages) into.addUsage(usage)
  if (isBody && (choices.length > 0 || Array.isArray(value.data))) into.isEnded = true
  const indexes = choices.map((choice, position) => readIndex(choice) ?? position)
  into.choiceIndex ??= indexes.includes(0) ? 0 : indexes[0]
  for (const [position, choice] of choices.entries()) {
    const isChosenIndex = indexes[position] === into.choiceIndex
    const target = isChosenIndex ? into : new ResponseAccumulator()
    readChoice(choice, messages[position] ?? {}, target)
    into.facts.lateError ??= target.facts.lateError
    if (!isChosenIndex) into.countText(target.output.text)
  }
}

function findMessage({ delta, message }: Json, into: ResponseAccumulator): Json {
  into.hasDeltas ||= isObject(delta)
  if (isObject(delta)) return delta
  // Some servers repeat the complete message after its deltas.
  return isObject(message) && !(into.hasDeltas && into.output.length > 0) ? message : {}
}

/** Fields with the model's reasoning. The name depends on the server, and some send two, one of them empty. */
const thinkingNames = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'reasoning_details']
const errorReasons = /^(?:error|abort(?:ed)?|failed|cancelled|network_error|insufficient_system_resource)$/i

function readChoice(choice: Json, message: Json, into: ResponseAccumulator): void {
  into.addThinking(thinkingNames.map((name) => joinTexts(message[name])).find((text) => text !== '') ?? '')
  for (const part of [message.content].flat()) {
    if (isObject(part) && /^(?:thinking|reasoning)/.test(getText(part, 'type'))) into.addThinking(joinTexts(part))
    else into.addText(joinTexts(part))
  }
  into.addText(getText(message, 'refusal') + getText(choice, 'text'))
  readChatCalls(message, into, message === choice.message)
  const finishReason = getText(choice, 'finish_reason')
  if (finishReason !== '' && finishReason !== 'null') into.facts.finishReason = finishReason
  const error = [choice.error, message.error].find(isError)
  if (error !== undefined) into.facts.lateError ??= JSON.stringify({ error })
  else if (errorReasons.test(finishReason))
    into.facts.lateError ??= JSON.stringify({
      error: `The gateway ended its response with an error (${finishReason}).`,
    })
}

function readChatCalls(message: Json, into: ResponseAccumulator, isComplete: boolean): void {
  const calls = getObjects(message, 'tool_calls')
  for (const [position, call] of calls.entries()) {
    const calledFunction = isObject(call.function) ? call.function : call
    const index = readIndex(call) ?? (isComplete ? position : undefined)
    into.addCall({
      index,
      id: getText(call, 'id'),
      name: getText(calledFunction, 'name'),
      input: toInput(calledFunction.arguments),
    })
  }
  const legacyCall = message.function_call
  if (calls.length === 0 && isObject(legacyCall))
    into.addCall({ name: getText(legacyCall, 'name'), input: toInput(legacyCall.arguments) })
}

/** Arguments are JSON text. Some servers send the value itself, or start with an empty object. */
function toInput(value: unknown): string {
  if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const messagesEvents = new Map(
  Object.entries<(event: Json, into: ResponseAccumulator, index: number) => void>({
    message_start(event, into) {
      const message = getObject(event, 'message')
      readIdentity(message, into)
      // `message_start` has the output count of a response that has just started, so ignore it.
      into.addUsage({ ...getObject(message, 'usage'), output_tokens: undefined })
    },
    content_block_start: (event, into, index) => readBlock(getObject(event, 'content_block'), index, into),
    content_block_delta(event, into, index) {
      const delta = getObject(event, 'delta')
      if (delta.type === 'text_delta') into.addText(getText(delta, 'text'))
      else if (delta.type === 'thinking_delta') into.addThinking(getText(delta, 'thinking'))
      else if (delta.type === 'input_json_delta' && into.inputAt(index) !== undefined)
        into.addCall({ index, input: getText(delta, 'partial_json') })
    },
    content_block_stop: (_event, into, index) => completeToolCall(index, into),
    message_delta: (event, into) => readEnd(getObject(event, 'delta'), into),
    message_stop(_event, into) {
      into.isEnded = true
    },
  }),
)

/** Reads a Messages event or complete body. `name` is the event type if the data has none. */
function readMessages(value: Json, into: ResponseAccumulator, name: string): void {
  const readEvent = messagesEvents.get(getText(value, 'type') || name)
  if (readEvent === undefined && !Array.isArray(value.content) && !isObject(value.usage)) return
  into.isReadable = true
  if (readEvent !== undefined) {
    into.addUsage(value.usage)
    readEvent(value, into, readIndex(value) ?? 0)
    return
  }
  into.isEnded = true
  readIdentity(value, into)
  for (const [index, block] of getObjects(value, 'content').entries()) {
    readBlock(block, index, into)
    completeToolCall(index, into)
  }
  readEnd(value, into)
}

function readEnd(message: Json, into: ResponseAccumulator): void {
  into.facts.finishReason = getText(message, 'stop_reason') || into.facts.finishReason
  into.addUsage(message.usage)
}

function readBlock(block: Json, index: number, into: ResponseAccumulator): void {
  if (block.type === 'text') into.addText(getText(block, 'text'))
  else if (block.type === 'tool_use') {
    // A streamed call starts with an empty object, followed by its input in pieces.
    const input = Object.keys(getObject(block, 'input')).length === 0 ? '' : JSON.stringify(block.input)
    into.addCall({ index, id: getText(block, 'id'), name: getText(block, 'name'), input })
  } else if (block.type === 'thinking') {
    into.beginThinking()
    into.addThinking(getText(block, 'thinking'))
  }
}

/** Ends a tool call. A call without parameters has no piece of input. */
function completeToolCall(index: number, into: ResponseAccumulator): void {
  if (into.inputAt(index) === '') into.addCall({ index, input: '{}' })
}

/** Some servers include an empty error, or a code of success, in every response. */
const isError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null
    ? Object.values(error).some(isError)
    : !/^(?:|0|200|false|none|null|ok|success)$/i.test(String(error ?? ''))

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)

/** Whether a value is an error of either standard or of a known variant. */
function hasError(value: unknown, event = ''): boolean {
  if (!isObject(value)) return false
  if (isError(value.error) || [value.type, value.object].some((kind) => /^error$/i.test(String(kind)))) return true
  if (Number(getObject(value, 'base_resp').status_code ?? 0) !== 0) return true
  // An event with a name or output is no error, even if it has a field `message`, which may describe progress.
  if (event !== '' || ['choices', 'usage', 'content', 'data'].some((name) => isFilled(value[name]))) return false
  const parts = [isObject(value.message) ? undefined : value.message, value.msg, value.detail, value.errors]
  return parts.some((errorField) => typeof errorField !== 'number' && isError(errorField))
}

interface ExpectedResponse {
  readonly standard: ApiStandard
  /** Text completions use the chat-completions standard, regardless of `standard`. */
  readonly kind: 'chat' | 'completion'
  readonly maxBytes?: number
}

/** Reader for a stream or JSON body, detected by its first character. Never throws on server data. */
export const createResponseReader = (expected: ExpectedResponse): ResponseReader => new StreamOrBodyReader(expected)

/** Maximum bytes of a response that are read. */
export const maxResponseBytes = 64 * 1024 * 1024
/** Maximum bytes of a stream. */
const maxStreamBytes = 4 * maxResponseBytes
/** Maximum characters kept of a response in an unknown format. */
const maxUnknownLength = 4096

class StreamOrBodyReader implements ResponseReader {
  readonly #isMessages: boolean
  readonly #maxBytes: number
  readonly #into = new ResponseAccumulator()
  readonly #decoder = new TextDecoder()
  readonly #parser = createParser({
    onEvent: (event) => this.#readEvent(event),
    // Some servers send JSON lines without `data:`, or a space or byte order mark before the field name.
    onError: ({ field = '', value: data = '', line = '' }) => {
      if (field.trim() === 'data') this.#readEvent({ data })
      else if (line.startsWith('{')) this.#readEvent({ data: line })
    },
    onComment: () => this.#beginEvent(),
  })
  #form: 'body' | 'events' | undefined
  #body: string[] = []
  #unknown = ''
  /** Number of bytes of the body, or since the last event of a stream. */
  #bytes = 0
  #earlierBytes = 0
  #events = 0
  #endedInReturn = false
  #isOver = false

  constructor({ standard, kind, maxBytes = maxResponseBytes }: ExpectedResponse) {
    this.#isMessages = standard === 'messages' && kind === 'chat'
    this.#maxBytes = maxBytes
  }

  feed(bytes: Uint8Array): readonly ResponseDelta[] {
    this.#bytes += bytes.length
    if (this.#isOver || this.#isTooLong) return []
    this.#read(this.#decoder.decode(bytes, { stream: true }))
    return this.#into.takeDeltas()
  }

  end(): readonly ResponseDelta[] {
    if (this.#isOver) return []
    this.#isOver = true
    if (this.#isTooLong) return []
    this.#read(this.#decoder.decode())
    if (this.#form === 'events') this.#parser.feed('\n\n')
    else for (const value of parseValues(this.#body.join(''))) this.#readValue(value)
    this.#body = []
    return this.#into.takeDeltas()
  }

  facts(): ResponseFacts {
    const { facts, output, isReadable } = this.#into
    const { finishReason, lateError } = facts
    const [events, isTooLong] = [this.#events, this.#isTooLong]
    const isEnded = this.#into.isEnded || (this.#isOver && finishReason !== undefined)
    const isKnown = isReadable || events > 0 || lateError !== undefined || isTooLong
    return {
      ...facts,
      output,
      isEnded,
      isTooLong,
      events,
      isWhole: isReadable && isEnded && !isTooLong && lateError === undefined,
      unknown: isKnown ? undefined : this.#unknown,
    }
  }

  get #isTooLong(): boolean {
    return this.#bytes > this.#maxBytes || this.#earlierBytes > maxStreamBytes
  }

  #read(decoded: string): void {
    const text = this.#form === undefined ? decoded.trimStart() : decoded
    if (text === '') return
    this.#form ??= text.startsWith('{') || text.startsWith('[') || text.startsWith('<') ? 'body' : 'events'
    if (this.#unknown.length < maxUnknownLength && this.#events === 0) {
      this.#unknown += text.slice(0, maxUnknownLength - this.#unknown.length)
    }
    if (this.#form === 'body') {
      this.#body.push(text)
      return
    }
    // The parser rescans a chunk for each line that ends in a carriage return, so convert them.
    const lines = (this.#endedInReturn && text.startsWith('\n') ? text.slice(1) : text).replace(/\r\n?/g, '\n')
    this.#endedInReturn = text.endsWith('\r')
    const events = this.#events
    this.#parser.feed(lines)
    // Blank lines and events without data keep a connection alive, as comments do.
    const isEvent = events > 0 || /^(?:event|id):/.test(lines)
    if (isEvent && this.#events === events && lines.split('\n').every((line) => /^(?:(?:event|id):.*)?$/.test(line)))
      this.#events += 1
  }

  #beginEvent(): void {
    this.#events += 1
    this.#earlierBytes += this.#bytes
    this.#bytes = 0
  }

  #readEvent({ event = '', data }: EventSourceMessage): void {
    this.#beginEvent()
    if (/(?:^|\n)\s*"?\[DONE\]"?\s*$/i.test(data)) this.#into.isEnded = true
    const values = parseValues(data)
    if (isErrorEvent(event) && values.length === 0) this.#into.facts.lateError ??= data
    for (const value of values) this.#readValue(value, event)
  }

  #readValue(value: unknown, event?: string): void {
    if (isErrorEvent(event) || hasError(value, event)) {
      this.#into.facts.lateError ??= JSON.stringify(value)
      if (isObject(value)) this.#into.addUsage(value.usage)
    } else if (!isObject(value)) return
    else if (this.#isMessages) readMessages(value, this.#into, event ?? '')
    else readChat(value, this.#into, event === undefined)
  }
}

const isErrorEvent = (event = ''): boolean => /\berror\b/i.test(event)

/** Parses one JSON value, the items of a JSON list, or one value per line if the text as a whole is not JSON. */
function parseValues(text: string): readonly unknown[] {
  const value = parseExternalJson(text)
  const values = value === undefined && text.includes('\n') ? text.split('\n').map(parseExternalJson) : [value].flat()
  return values.filter((parsedValue) => parsedValue !== undefined)
}

interface ToolCallDelta {
  /** Index of the call. Without one, the piece belongs to the call with the same id, or else to the last call. */
  readonly index?: number | undefined
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly input?: string | undefined
}

interface CallDraft {
  readonly index: number | undefined
  id: string
  name: string
  input: string
}

/** Maximum characters kept to estimate tokens. */
const maxSampleLength = 200_000

/** Collects text, tool calls, usage and errors of one response. The readers of both API standards write to it. */
class ResponseAccumulator {
  readonly facts: { -readonly [Name in keyof ResponseFacts]?: ResponseFacts[Name] } = {}
  /** Index of the choice that is read, if the response has several. */
  choiceIndex: number | undefined
  /** Whether the end mark of the API standard was received. */
  isEnded = false
  /** Whether any data in the format of the API standard was received. */
  isReadable = false
  hasDeltas = false
  readonly #calls: CallDraft[] = []
  /** Output that the reader has not taken yet. A number is the count of tool calls after they changed. */
  #deltas: (ResponseDelta | number)[] = []
  #sample = ''
  #length = 0
  #hasThought = false

  addText(text: string): void {
    this.#add('text', text)
  }

  addThinking(text: string): void {
    this.#add('thinking', text)
    if (text !== '') this.#hasThought = true
  }

  /** Starts a new block of reasoning, separated from earlier reasoning. */
  beginThinking(): void {
    if (this.#hasThought) this.#add('thinking', '\n\n')
  }

  addCall(piece: ToolCallDelta): void {
    const existingCall = this.#findCall(piece)
    const call = existingCall ?? { index: piece.index, id: '', name: '', input: '' }
    if (existingCall === undefined) this.#calls.push(call)
    call.id ||= piece.id ?? ''
    // Depending on the server, each piece contains the complete tool name, the name so far, or the next part of it.
    if (piece.name?.startsWith(call.name)) call.name = piece.name
    else call.name += piece.name ?? ''
    const input = piece.input ?? ''
    // Some servers send an empty object as the first piece of arguments, or repeat the complete arguments.
    if (call.input === '{}' && input.startsWith('{')) call.input = input
    else if (input !== call.input || !input.startsWith('{') || !isCompleteJson(input)) call.input += input
    this.countText((piece.name ?? '') + (piece.input ?? ''))
    if (typeof this.#deltas.at(-1) === 'number') this.#deltas.pop()
    this.#deltas.push(this.#calls.length)
  }

  inputAt(index: number): string | undefined {
    return this.#calls.findLast((call) => call.index === index)?.input
  }

  addUsage(usage: unknown): void {
    this.facts.usage = readUsage(usage, this.facts.usage)
    this.facts.reasoningTokens = readReasoningTokens(usage) || this.facts.reasoningTokens
  }

  /** Output for token estimates: its start, and the full length in characters. */
  get output(): { readonly text: string; readonly length: number } {
    return { text: this.#sample, length: this.#length }
  }

  takeDeltas(): readonly ResponseDelta[] {
    const deltas = this.#deltas
    this.#deltas = []
    const calls = this.#calls.map(({ id, name, input }): PlaygroundToolCall => ({ id, name, input }))
    return deltas.map((delta) =>
      typeof delta === 'number' ? { kind: 'toolCalls', calls: calls.slice(0, delta) } : delta,
    )
  }

  /** Counts ignored output, such as a second choice. */
  countText(text: string): void {
    this.#length += text.length
    if (this.#sample.length < maxSampleLength) this.#sample += text
  }

  #add(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return
    this.countText(text)
    this.#deltas.push({ kind, piece: text })
  }

  /** Some servers omit indexes or repeat one. Another id, or a second complete call, starts a new call. */
  #findCall({ index, id, name, input }: ToolCallDelta): CallDraft | undefined {
    const isSameCall = (call: CallDraft): boolean =>
      index === undefined || call.index === undefined || call.index === index
    const targetCall = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index)
    const callWithSameId = id ? this.#calls.find((call) => call.id === id && isSameCall(call)) : undefined
    if (callWithSameId !== undefined) return callWithSameId
    // Arguments without a name continue a call, even under another index.
    if (!name) return targetCall ?? this.#calls.findLast((call) => !id || call.id === id)
    if (targetCall === undefined) return undefined
    const isComplete = isCompleteJson(targetCall.input)
    // Some servers generate a new call id for each piece of the same call.
    const isContinuation = targetCall.name === name && targetCall.input !== '' && !isComplete
    if (id && targetCall.id && targetCall.id !== id) return isContinuation ? targetCall : undefined
    return !id && input && targetCall.name !== '' && isComplete ? undefined : targetCall
  }
}
