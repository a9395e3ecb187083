import { randomUUID } from 'node:crypto'
import { AnswerItems } from './answer-items'
import { type ChatAnswer, responsesUsage } from './chat-answer'
import type { ToolTable } from './responses-request'

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
export interface AnswerAsked {
  readonly tools: ToolTable
  readonly model: string
}

interface Begun {
  readonly frame: { readonly id: string; readonly created_at: number; readonly model: string }
  readonly items: AnswerItems
}

/** Writes the events of one answer from the pieces of a chat, or from a whole answer as if it were one piece. */
export class AnswerWriter {
  readonly #asked: AnswerAsked
  #events: ResponsesEvent[] = []
  #written = 0
  #begun: Begun | undefined
  #usage: ChatAnswer['usage']
  #finish: string | undefined
  #final: object | undefined

  constructor(asked: AnswerAsked) {
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
