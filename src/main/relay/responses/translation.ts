import { parseJson } from '../../gateway/server-message'
import { AnswerWriter, type ResponsesEvent } from './answer-items'
import { ChatAnswer, ChatEvents } from './chat-answer'
import { type TranslatedRequest, translateRequest, Untranslatable } from './request'

const MB = 1024 * 1024

/** An answer on its way back to the tool, in the tool's protocol: bytes in as they come, bytes out as soon as they can be. */
export interface AnswerTranslation {
  readonly contentType: string
  push(chunk: Buffer): Buffer
  /** What is left when the answer has ended. */
  rest(): Buffer
}

/** A request in the gateway's protocol, and the way back for an answer that is none of its refusals. */
export interface Translated {
  readonly body: Buffer
  answer(isEventStream: boolean): AnswerTranslation
}

/** A protocol that tools speak and gateways do not. Refusals of the gateway have the same form in both. */
export interface Translation {
  /** Where requests go, below the gateway's root. */
  readonly path: string
  /** Bytes of the longest request that is taken. */
  readonly longestBody: number
  /** The request in the gateway's protocol, or why it cannot be said in it, as a whole sentence. */
  translate(body: Buffer): Translated | { readonly refusal: string }
}

/** The Responses protocol by way of chat-completions. */
export const responses: Translation = {
  path: '/v1/chat/completions',
  longestBody: 16 * MB,
  translate(body) {
    try {
      const translated = translateRequest(parseJson(body.toString()))
      return {
        body: Buffer.from(JSON.stringify(translated.chat)),
        answer: (isEventStream) => new Answer(translated, isEventStream),
      }
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error
      return { refusal: `The gateway of this plan speaks chat-completions, which cannot express ${error.message}.` }
    }
  },
}

/** More than this of one answer is not kept, in bytes; models write far less. */
const longestAnswer = 16 * MB

/** Whatever form the gateway's answer has, the tool gets the one that it asked for. */
class Answer implements AnswerTranslation {
  readonly contentType: string
  readonly #isStream: boolean
  readonly #isEventStream: boolean
  readonly #writer: AnswerWriter
  readonly #events = new ChatEvents()
  #whole: Buffer[] = []
  #bytes = 0

  constructor({ chat, tools, isStream }: TranslatedRequest, isEventStream: boolean) {
    this.contentType = isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
    this.#isStream = isStream
    this.#isEventStream = isEventStream
    this.#writer = new AnswerWriter({ tools, model: chat.model })
  }

  push(chunk: Buffer): Buffer {
    this.#bytes += chunk.length
    if (this.#writer.answer !== undefined) return nothing
    if (this.#bytes > longestAnswer) return this.#wire(this.#writer.fail('The answer of the gateway is too long.'))
    if (this.#isEventStream) return this.#wire(this.#read(this.#events.push(chunk)))
    this.#whole.push(chunk)
    return nothing
  }

  rest(): Buffer {
    const last = this.#isEventStream ? this.#read(this.#events.end()) : this.#readWhole()
    const end = this.#writer.end(false)
    return this.#isStream ? this.#wire([...last, ...end]) : Buffer.from(JSON.stringify(this.#writer.answer))
  }

  #read(data: readonly string[]): readonly ResponsesEvent[] {
    return data.flatMap((text) => {
      if (text === '[DONE]') return this.#writer.end(true)
      const piece = ChatAnswer.safeParse(parseJson(text)).data
      return piece === undefined ? [] : this.#writer.add(piece)
    })
  }

  #readWhole(): readonly ResponsesEvent[] {
    const answer = ChatAnswer.safeParse(parseJson(Buffer.concat(this.#whole).toString())).data
    this.#whole = []
    return answer === undefined ? [] : [...this.#writer.add(answer), ...this.#writer.end(answer.choices !== undefined)]
  }

  #wire(events: readonly ResponsesEvent[]): Buffer {
    if (!this.#isStream || events.length === 0) return nothing
    return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  }
}

const nothing: Buffer = Buffer.alloc(0)
