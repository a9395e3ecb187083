import { z } from 'zod'
import { type ChatPart, chatContent, partsBeside, textOf } from './content'
import { type ResponsesContent, type ResponsesItem, readContent } from './responses-request'
import { chatNameOf, shellName } from './tools'
import { Untranslatable } from './untranslatable'

interface ChatCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message of the chat. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ChatPart[] }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

const Action = z.object({
  command: z.array(z.string()),
  timeout_ms: z.number().nullish(),
  working_directory: z.string().nullish(),
})

/** How a call of each kind was made, as the arguments of a function. */
const calls: Readonly<Record<string, (item: ResponsesItem) => Omit<ChatCall, 'id' | 'type'>['function']>> = {
  function_call: ({ name, namespace, arguments: given }) => ({
    name: chatNameOf(name ?? '', namespace),
    arguments: typeof given === 'string' && given !== '' ? given : '{}',
  }),
  custom_tool_call: ({ name, namespace, input }) => ({
    name: chatNameOf(name ?? '', namespace),
    arguments: JSON.stringify({ input: input ?? '' }),
  }),
  local_shell_call: ({ action }) => ({
    name: shellName,
    arguments: JSON.stringify(Action.safeParse(action).data ?? { command: [] }),
  }),
}

const results = new Set(['function_call_output', 'custom_tool_call_output', 'local_shell_call_output'])

const callIdOf = ({ call_id, id }: ResponsesItem): string => call_id ?? id ?? ''

/**
 * The messages of a conversation. What a developer says first becomes the one system message that every gateway takes,
 * and later words of a developer come as the user's. Results follow the calls they are of, wherever they stood.
 * Throws `Untranslatable`.
 */
export function messagesOf(instructions: string, items: readonly ResponsesItem[]): readonly ChatMessage[] {
  const talk = new Talk(items)
  const isMessage = ({ type, role }: ResponsesItem) => (type ?? 'message') === 'message' && typeof role === 'string'
  const ofDeveloper = (item: ResponsesItem) => isMessage(item) && ['developer', 'system'].includes(item.role ?? '')
  const begins = items.findIndex((item) => isMessage(item) && !ofDeveloper(item))
  const leading = items.slice(0, begins < 0 ? items.length : begins).filter(ofDeveloper)
  const system = [instructions, ...leading.map(({ content }) => textOf(content))].filter((text) => text !== '')
  if (system.length > 0) talk.say({ role: 'system', content: system.join('\n\n') })
  for (const item of items) {
    if (isMessage(item)) {
      if (!leading.includes(item)) talk.message(item)
    } else {
      talk.item(item)
    }
  }
  return talk.end()
}

/** Messages as they grow: calls in a row are one message, and their results come right behind it. */
class Talk {
  readonly #messages: ChatMessage[] = []
  readonly #results: ReadonlyMap<string, ResponsesContent>
  readonly #made = new Set<string>()
  #calls: ChatCall[] = []

  constructor(items: readonly ResponsesItem[]) {
    const found = items.filter(({ type }) => results.has(type ?? ''))
    this.#results = new Map(found.map((item) => [callIdOf(item), resultOf(item)]))
  }

  say(message: ChatMessage): void {
    this.#flush()
    this.#messages.push(message)
  }

  message({ role, content }: ResponsesItem): void {
    if (role === 'assistant') this.say({ role, content: textOf(content, '') })
    else this.say({ role: 'user', content: chatContent(content) })
  }

  item(item: ResponsesItem): void {
    const { type } = item
    const call = calls[type ?? '']
    if (call !== undefined) {
      this.#calls.push({ id: callIdOf(item), type: 'function', function: call(item) })
      this.#made.add(callIdOf(item))
    } else if (results.has(type ?? '')) {
      this.#flush()
      if (!this.#made.has(callIdOf(item))) throw new Untranslatable('the result of a call that is not in its input')
    } else if (type === 'item_reference') {
      throw new Untranslatable('an item that was stored before; send the item itself')
    }
  }

  end(): readonly ChatMessage[] {
    this.#flush()
    return this.#messages
  }

  #flush(): void {
    const tool_calls = this.#calls
    if (tool_calls.length === 0) return
    this.#calls = []
    const said = this.#messages.at(-1)
    if (said?.role === 'assistant' && said.tool_calls === undefined) this.#messages.pop()
    const content = said?.role === 'assistant' && said.tool_calls === undefined ? said.content : null
    this.#messages.push({ role: 'assistant', content, tool_calls })
    const answered = tool_calls.flatMap(({ id }) => {
      const result = this.#results.get(id)
      return result === undefined ? [] : [{ id, result }]
    })
    for (const { id, result } of answered) {
      this.#messages.push({ role: 'tool', tool_call_id: id, content: textOf(result) || 'See below.' })
    }
    const beside = answered.flatMap(({ result }) => partsBeside(result))
    if (beside.length > 0) this.#messages.push({ role: 'user', content: beside })
  }
}

/** Text or parts; anything else as its JSON. */
const resultOf = ({ output }: ResponsesItem): ResponsesContent => readContent(output) ?? JSON.stringify(output ?? '')
