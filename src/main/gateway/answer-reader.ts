import type { Standard } from '@shared/contract/common'
import { AnswerDraft } from './answer-draft'
import { readChatChunk } from './chat-answer'
import { readMessage, readMessagesEvent } from './messages-answer'
import { parseJson } from './server-message'
import { type ServerSentEvent, SseParser } from './sse'
import { type AnswerFacts, type AnswerNews, type AnswerReader, LONGEST_ANSWER_BYTES } from './talk'

/** Which answer comes. */
export interface ExpectedAnswer {
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
