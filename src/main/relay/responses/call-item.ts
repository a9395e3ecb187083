import { z } from 'zod'
import { parseJson } from '../../gateway/server-message'
import type { ItemEnd, ItemPlace, OutputItem, Write } from './output-item'
import type { ToolOrigin } from './tools'

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

const kinds: Readonly<Record<ToolOrigin['kind'], CallKind>> = {
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
export const callPrefix = ({ kind }: ToolOrigin): string => kinds[kind].prefix

/** A call of a tool by the model. */
export class CallItem implements OutputItem {
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
    const { event, isStreamed } = kinds[this.#call.origin.kind]
    if (isStreamed && event !== undefined && text !== '') this.#tell(`${event.name}.delta`, { delta: text })
  }

  /** A call that was cut must not be carried out: it is not in the answer. */
  close(end: ItemEnd): object | undefined {
    if (end === 'incomplete') return undefined
    const { read, event, isStreamed } = kinds[this.#call.origin.kind]
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
    return kinds[this.#call.origin.kind].item({ id: this.#place.id, status, ...this.#call, said })
  }

  #tell(type: string, fields: object): void {
    this.#write(type, { item_id: this.#place.id, output_index: this.#place.index, ...fields })
  }
}
