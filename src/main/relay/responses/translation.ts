import type { ResponseDelta, ResponseFacts } from '../../gateway/model-requests'
import { isHtml, parseExternalJson, readServerMessage } from '../../gateway/server-message'
import { type TranslatedRequest, translateRequest, UntranslatableError } from './request'
import { ResponseWriter } from './response-writer'

const MB = 1024 * 1024

export interface ResponseTranslation {
  readonly contentType: string
  /** Whether the response sent to the tool is an error. */
  readonly hasFailed: boolean
  /**
   * Returns the bytes to send to the tool. `isLast`: the gateway's response has ended. `failure`: why that response
   * was cut off, as a sentence.
   */
  write(deltas: readonly ResponseDelta[], facts: ResponseFacts, isLast: boolean, failure?: string): Buffer
}

/** A translated request. `translateResponse` translates its successful response. */
export interface TranslatedExchange {
  readonly body: Buffer
  translateResponse(): ResponseTranslation
}

/** A protocol that tools use but gateways do not support. Error responses have the same format in both. */
export interface Translation {
  /** Path of the translated request, relative to the gateway's root. */
  readonly path: string
  /** Maximum request size in bytes. */
  readonly maxBodyBytes: number
  /** Returns the translated request, or a sentence that explains why it cannot be translated. */
  translate(body: Buffer): TranslatedExchange | { readonly refusal: string }
}

/** Responses protocol, translated to chat-completions. */
export const responses: Translation = {
  path: '/v1/chat/completions',
  maxBodyBytes: 16 * MB,
  translate(body) {
    try {
      const translatedRequest = translateRequest(parseExternalJson(body.toString()))
      return {
        body: Buffer.from(JSON.stringify(translatedRequest.chat)),
        translateResponse: () => new TranslatedResponse(translatedRequest),
      }
    } catch (error) {
      if (!(error instanceof UntranslatableError)) throw error
      return { refusal: `The gateway of this plan speaks chat-completions, which cannot express ${error.message}.` }
    }
  },
}

/** Maximum length of a response in characters. Responses of models are far shorter. */
const maxOutputLength = 16 * MB

/** Writes a stream or a single JSON body, as the tool requested, even if the gateway's response has the other form. */
class TranslatedResponse implements ResponseTranslation {
  readonly contentType: string
  readonly #isStream: boolean
  readonly #writer: ResponseWriter
  #events = 0

  constructor({ chat, tools, isStream }: TranslatedRequest) {
    this.contentType = isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
    this.#isStream = isStream
    this.#writer = new ResponseWriter({ tools, model: chat.model })
  }

  get hasFailed(): boolean {
    return this.#writer.hasFailed
  }

  write(deltas: readonly ResponseDelta[], facts: ResponseFacts, isLast: boolean, failure?: string): Buffer {
    const { events = 0, isEnded, output, lateError } = facts
    if (this.#writer.response !== undefined) return emptyBuffer
    if (deltas.length > 0) this.#writer.add(deltas, facts)
    // Send comments and empty events while the model is thinking, so that the tool's idle timeout does not end the
    // request.
    else if (events > this.#events) this.#writer.keepAlive(facts)
    this.#events = events
    const isTooLong = facts.isTooLong || (output?.length ?? 0) > maxOutputLength
    const error = lateError ?? failure ?? (isTooLong ? 'The response of the gateway is too long.' : undefined)
    if (error !== undefined) this.#writer.fail(error, facts)
    else if (isEnded || (isLast && facts.isWhole)) this.#writer.end(facts)
    else if (isLast) this.#writer.fail(facts.unknown ? explainUnknownBody(facts.unknown) : incompleteText, facts)
    return this.#take()
  }

  #take(): Buffer {
    const { response } = this.#writer
    const events = this.#writer.takeEvents()
    if (!this.#isStream) return response === undefined ? emptyBuffer : Buffer.from(JSON.stringify(response))
    return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  }
}

const emptyBuffer: Buffer = Buffer.alloc(0)
const incompleteText = 'The gateway ended its response before it was complete.'

function explainUnknownBody(body: string): string {
  const contentDescription = isHtml(body) ? 'a web page' : 'text'
  const { text } = readServerMessage(body)
  return `The gateway answered with ${contentDescription} instead of a model response${text === '' ? '' : `: ${text}`}. Check the gateway address of the plan.`
}
