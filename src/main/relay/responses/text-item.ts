import type { ItemEnd, ItemPlace, OutputItem, Write } from './output-item'

/** What tells a message from thoughts. */
interface TextKind {
  readonly prefix: string
  readonly event: string
  readonly part: (text: string) => object
  readonly item: (id: string, status: string, content: readonly object[]) => object
  readonly isOfParts: boolean
}

const kinds = {
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

export type TextItemKind = keyof typeof kinds

/** How the ids of these items begin. */
export const textPrefix = (kind: TextItemKind): string => kinds[kind].prefix

/** A message of the model, or its thoughts. */
export class TextItem implements OutputItem {
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
      item: kinds[kind].item(place.id, 'in_progress', []),
    })
    if (kinds[kind].isOfParts) write('response.content_part.added', { ...this.#at, part: kinds[kind].part('') })
  }

  add(text: string): void {
    this.#text += text
    const logprobs = this.kind === 'message' ? { logprobs: [] } : {}
    this.#write(`${kinds[this.kind].event}.delta`, { ...this.#at, delta: text, ...logprobs })
  }

  close(end: ItemEnd): object {
    const { event, part, item, isOfParts } = kinds[this.kind]
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
