import { CallItem, callPrefix } from './call-item'
import type { ChatCallPiece, ChatSaid } from './chat-answer'
import type { ItemEnd, ItemPlace, OutputItem, Write } from './output-item'
import { TextItem, type TextItemKind, textPrefix } from './text-item'
import type { ToolTable } from './tools'

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
export class AnswerItems {
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
