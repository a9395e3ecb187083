import type { Standard } from '@shared/contract/common'
import { z } from 'zod'
import { type AnswerFacts, type AnswerNews, type AnswerReader, LONGEST_ANSWER_BYTES } from './model-requests'
import { AnswerDraft } from './response-accumulator'
import { parseJson } from './server-message'
import { chatUsage, messagesUsage } from './standards'

/** One event of a stream of server-sent events. */
interface ServerSentEvent {
  /** `message` when the stream names none. */
  readonly name: string
  /** Its lines of data, joined by line feeds. */
  readonly data: string
  /** The last id that the stream gave, in this event or before. */
  readonly id?: string | undefined
  /** Whether the blank line that ends an event came; without it a cut may have taken some of the data. */
  readonly isTerminated: boolean
}

const LINE_END = /\r\n|\n|\r/g

/**
 * Reads server-sent events (WHATWG HTML, "9.2.6 Interpreting an event stream") from bytes that are cut anywhere. Other than a
 * browser it also gives an event that the stream's end has left without its blank line.
 */
export class SseParser {
  readonly #decoder = new TextDecoder()
  /** The pieces of a line that has no end yet; joined once, so that a long line costs no more than its length. */
  #line: string[] = []
  #endedWithCr = false
  #name = ''
  #data: string[] = []
  #id: string | undefined

  /** The events that these bytes complete. */
  feed(bytes: Uint8Array): readonly ServerSentEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }))
  }

  /** No more will come: the event that was under way, if there is one. */
  end(): readonly ServerSentEvent[] {
    const events = this.#read(this.#decoder.decode())
    if (this.#line.length > 0) this.#field(this.#takeLine(''))
    return [...events, ...this.#dispatch(false)]
  }

  #read(text: string): readonly ServerSentEvent[] {
    if (text === '') return []
    const events: ServerSentEvent[] = []
    // A line feed right behind the carriage return that ended the last piece belongs to it.
    let start = this.#endedWithCr && text.startsWith('\n') ? 1 : 0
    this.#endedWithCr = text.endsWith('\r')
    LINE_END.lastIndex = start
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      const line = this.#takeLine(text.slice(start, end.index))
      start = LINE_END.lastIndex
      if (line === '') events.push(...this.#dispatch(true))
      else this.#field(line)
    }
    if (start < text.length) this.#line.push(text.slice(start))
    return events
  }

  #takeLine(last: string): string {
    if (this.#line.length === 0) return last
    const line = this.#line.join('') + last
    this.#line = []
    return line
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#name = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
  }

  #dispatch(isTerminated: boolean): readonly ServerSentEvent[] {
    const [name, data] = [this.#name, this.#data]
    this.#name = ''
    this.#data = []
    if (data.length === 0) return []
    return [{ name: name === '' ? 'message' : name, data: data.join('\n'), id: this.#id, isTerminated }]
  }
}

/** Most members are null in most events: to read null as absent is far cheaper than to catch it. */
const chatWords = z.string().nullish().catch(undefined)

const Part = z.looseObject({ type: chatWords, text: chatWords, thinking: z.unknown().optional() })

/** Content as a text or as parts; what is neither is as good as empty. */
const Content = z
  .union([z.string(), z.array(Part)])
  .nullish()
  .catch(undefined)

const Call = z.looseObject({
  index: z.int().nonnegative().nullish().catch(undefined),
  id: chatWords,
  function: z.looseObject({ name: chatWords, arguments: z.unknown().optional() }).nullish().catch(undefined),
})

const Said = z
  .looseObject({
    content: Content,
    refusal: chatWords,
    reasoning_content: chatWords,
    reasoning: chatWords,
    tool_calls: z.array(Call).nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined)

const Choice = z.looseObject({
  index: z.int().nullish().catch(undefined),
  /** What a chunk of a stream adds. */
  delta: Said,
  /** What a whole answer says. */
  message: Said,
  /** A text completion's. */
  text: chatWords,
  finish_reason: chatWords,
})

const Chunk = z.looseObject({ choices: z.array(Choice).nullish().catch(undefined), usage: z.unknown().optional() })

type Said = NonNullable<z.infer<typeof Said>>

/**
 * Reads a chunk of a stream or a whole body, of a chat or of a text completion, into the draft; the first choice alone. Tells whether
 * there was one.
 */
function readChatChunk(value: unknown, draft: AnswerDraft): boolean {
  const { success, data } = Chunk.safeParse(value)
  const usage = success ? chatUsage(data.usage) : undefined
  if (!success || (!data.choices && usage === undefined)) return false
  draft.isReadable = true
  // The counts of a later chunk are those of the whole answer so far.
  draft.usage = usage ?? draft.usage
  const choice = data.choices?.find(({ index }) => (index ?? 0) === 0)
  if (choice === undefined) return false
  if (choice.message) readSaid(choice.message, draft, true)
  else if (choice.delta) readSaid(choice.delta, draft, false)
  draft.text(choice.text ?? '')
  if (choice.finish_reason) draft.finishReason = choice.finish_reason
  return true
}

function readSaid(said: Said, draft: AnswerDraft, isWhole: boolean): void {
  // Servers between two names of the field send both.
  draft.thinking(said.reasoning_content ?? said.reasoning ?? '')
  readContent(said.content ?? '', draft)
  draft.text(said.refusal ?? '')
  for (const [place, { index, id, function: called }] of (said.tool_calls ?? []).entries()) {
    const input = inputText(called?.arguments)
    draft.call({ place: index ?? (isWhole ? place : undefined), id, name: called?.name, input })
  }
}

function readContent(content: NonNullable<z.infer<typeof Content>>, draft: AnswerDraft): void {
  for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : content) {
    if (part.type === 'thinking') draft.thinking(thoughtText(part.thinking))
    else draft.text(part.text ?? '')
  }
}

const Thoughts = z.array(z.looseObject({ text: chatWords }))

function thoughtText(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  const parsed = Thoughts.safeParse(thinking)
  return parsed.success ? parsed.data.map(({ text }) => text ?? '').join('') : ''
}

/** Arguments are JSON as text; some servers send the value itself. */
function inputText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Most members are null in most events: to read null as absent is far cheaper than to catch it. */
const messagesWords = z.string().nullish().catch(undefined)

const Block = z.looseObject({
  type: messagesWords,
  text: messagesWords,
  thinking: messagesWords,
  id: messagesWords,
  name: messagesWords,
  input: z.unknown().optional(),
})
const Delta = z.looseObject({
  type: messagesWords,
  text: messagesWords,
  thinking: messagesWords,
  partial_json: messagesWords,
  stop_reason: messagesWords,
})

const Whole = z.looseObject({
  content: z.array(Block).optional().catch(undefined),
  stop_reason: messagesWords,
  usage: z.unknown().optional(),
})

const Event = z.looseObject({
  type: messagesWords,
  index: z.int().nonnegative().optional().catch(undefined),
  message: Whole.optional().catch(undefined),
  content_block: Block.optional().catch(undefined),
  delta: Delta.optional().catch(undefined),
  usage: z.unknown().optional(),
})

type Event = z.infer<typeof Event>
type Block = z.infer<typeof Block>

/** What each event of the standard's stream adds to the answer; events that are not listed add nothing. */
const events: Readonly<Record<string, (event: Event, draft: AnswerDraft) => void>> = {
  message_start: ({ message }, draft) => {
    const { outputTokens: _, ...begun } = messagesUsage(message?.usage) ?? {}
    // The first event names an output as well, of an answer that has only begun.
    if (Object.keys(begun).length > 0) draft.countMost(begun)
  },
  content_block_start: ({ index = 0, content_block: block }, draft) => {
    if (block !== undefined) readBlock(block, index, draft)
  },
  content_block_delta: ({ index = 0, delta }, draft) => {
    if (delta?.type === 'text_delta') draft.text(delta.text ?? '')
    else if (delta?.type === 'thinking_delta') draft.thinking(delta.thinking ?? '')
    else if (delta?.type === 'input_json_delta') {
      if (draft.inputAt(index) !== undefined) draft.call({ place: index, input: delta.partial_json })
    }
  },
  content_block_stop: ({ index = 0 }, draft) => endCall(index, draft),
  message_delta: ({ delta, usage }, draft) => {
    draft.finishReason = delta?.stop_reason || draft.finishReason
    draft.countMost(messagesUsage(usage))
  },
  message_stop: (_, draft) => {
    draft.isEnded = true
  },
}

/** Reads an event of a stream into the draft; `name` says what it is when its data does not. */
function readMessagesEvent(value: unknown, name: string, draft: AnswerDraft): void {
  const parsed = Event.safeParse(value)
  if (!parsed.success) return
  const type = parsed.data.type ?? name
  if (type === 'message') readMessage(value, draft)
  if (!Object.hasOwn(events, type)) return
  draft.isReadable = true
  events[type]?.(parsed.data, draft)
}

/** Reads a whole body into the draft. */
function readMessage(value: unknown, draft: AnswerDraft): void {
  const parsed = Whole.safeParse(value)
  if (!parsed.success || parsed.data.content === undefined) return
  draft.isReadable = true
  draft.isEnded = true
  for (const [place, block] of parsed.data.content.entries()) {
    readBlock(block, place, draft)
    endCall(place, draft)
  }
  draft.finishReason = parsed.data.stop_reason || draft.finishReason
  draft.countMost(messagesUsage(parsed.data.usage))
}

function readBlock({ type, text, thinking, id, name, input }: Block, place: number, draft: AnswerDraft): void {
  if (type === 'text') draft.text(text ?? '')
  else if (type === 'tool_use') draft.call({ place, id, name, input: isEmpty(input) ? '' : JSON.stringify(input) })
  else if (type === 'thinking') {
    draft.newThought()
    draft.thinking(thinking ?? '')
  }
}

/** A tool without parameters is called without a piece of input. */
function endCall(place: number, draft: AnswerDraft): void {
  if (draft.inputAt(place) === '') draft.call({ place, input: '{}' })
}

/** A stream begins a call with an empty object and sends its input in pieces. */
function isEmpty(input: unknown): boolean {
  return typeof input !== 'object' || input === null || Object.keys(input).length === 0
}

/** Which answer comes. */
interface ExpectedAnswer {
  readonly standard: Standard
  /** A text completion is of the chat-completions standard, whatever `standard` says. */
  readonly kind: 'chat' | 'completion'
  /** The answer's header; the answer's first byte is believed more. */
  readonly contentType: string | null | undefined
}

/** How one standard says things. */
interface Format {
  readEvent(value: unknown, name: string, draft: AnswerDraft): void
  readBody(value: unknown, draft: AnswerDraft): void
}

const formats: Readonly<Record<Standard, Format>> = {
  'chat-completions': {
    readEvent: (value, _, draft) => void readChatChunk(value, draft),
    readBody: (value, draft) => {
      draft.isEnded = readChatChunk(value, draft)
    },
  },
  messages: { readEvent: readMessagesEvent, readBody: readMessage },
}

/** Reads the answer to a request of this standard: a stream or one JSON body, whichever was asked for. Never throws for what a server sends. */
export function answerReader({ standard, kind, contentType }: ExpectedAnswer): AnswerReader {
  return new StreamOrBody(formats[kind === 'completion' ? 'chat-completions' : standard], isJsonType(contentType))
}

const isJsonType = (contentType: string | null | undefined): boolean =>
  /^\s*application\/(?:[\w.+-]+\+)?json\b/i.test(contentType ?? '')

class StreamOrBody implements AnswerReader {
  readonly #format: Format
  readonly #saysJson: boolean
  readonly #draft = new AnswerDraft()
  readonly #events = new SseParser()
  /** What may be a JSON body: all bytes so far, as long as they began like one and held no event. */
  #body: Uint8Array[] | undefined = []
  #looksLike: 'unknown' | 'json' | 'events' = 'unknown'
  #bytes = 0
  #isOver = false

  constructor(format: Format, saysJson: boolean) {
    this.#format = format
    this.#saysJson = saysJson
  }

  feed(bytes: Uint8Array): readonly AnswerNews[] {
    this.#bytes += bytes.length
    if (this.#isOver || this.#bytes > LONGEST_ANSWER_BYTES) return []
    if (this.#looksLike === 'unknown') this.#looksLike = sniff(bytes)
    if (this.#looksLike === 'events') this.#body = undefined
    // The bytes are the caller's, who may use them again.
    this.#body?.push(Uint8Array.from(bytes))
    if (this.#looksLike !== 'json' || !this.#saysJson) this.#readEvents(this.#events.feed(bytes))
    return this.#draft.takeNews()
  }

  end(): readonly AnswerNews[] {
    if (this.#isOver) return []
    this.#isOver = true
    if (this.#bytes > LONGEST_ANSWER_BYTES) return []
    this.#readEvents(this.#events.end())
    if (this.#body !== undefined) this.#readBody(new TextDecoder().decode(Buffer.concat(this.#body)))
    return this.#draft.takeNews()
  }

  facts(): AnswerFacts {
    const { usage, finishReason, lateError, isReadable, isEnded } = this.#draft
    const isFinished = isEnded || (this.#isOver && finishReason !== undefined)
    const isShort = this.#bytes <= LONGEST_ANSWER_BYTES
    return { usage, finishReason, lateError, isWhole: isReadable && isFinished && isShort && lateError === undefined }
  }

  #readEvents(events: readonly ServerSentEvent[]): void {
    for (const { name, data } of events) {
      this.#body = undefined
      this.#readEvent(name, data)
    }
  }

  #readEvent(name: string, data: string): void {
    if (data.trim() === '[DONE]') {
      this.#draft.isEnded = true
      return
    }
    const value = parseJson(data)
    if (name === 'error' || isError(value)) this.#draft.lateError ??= data
    else this.#format.readEvent(value, name, this.#draft)
  }

  #readBody(text: string): void {
    const value = parseJson(text)
    if (isError(value)) this.#draft.lateError ??= text
    else this.#format.readBody(value, this.#draft)
  }
}

const space: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d]
const byteOrderMark: readonly (number | undefined)[] = [0xef, 0xbb, 0xbf]
const jsonStarts: readonly (number | undefined)[] = [0x7b, 0x5b]

/** What the first byte tells that is no space: no line of an event stream begins with a brace or a bracket. */
function sniff(bytes: Uint8Array): 'unknown' | 'json' | 'events' {
  const first = bytes.find((byte) => !space.includes(byte) && !byteOrderMark.includes(byte))
  if (first === undefined) return 'unknown'
  return jsonStarts.includes(first) ? 'json' : 'events'
}

/** An error in either standard, or as servers of the first one write it at the top. */
function isError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if ('error' in value && value.error !== null && value.error !== undefined && value.error !== '') return true
  return ('type' in value && value.type === 'error') || ('object' in value && value.object === 'error')
}
