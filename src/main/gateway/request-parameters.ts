import type { PlaygroundParameters } from '@shared/contract'
import type { Standard } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { parseWritten } from './written-json'

/** What kind of request a body is for: text completions know less than chats. */
export type BodyKind = Standard | 'completion'

type Plain = Exclude<keyof PlaygroundParameters, 'jsonMode' | 'tools' | 'extra'>
type Json = Readonly<Record<string, unknown>>

const chat = {
  temperature: 'temperature',
  topP: 'top_p',
  maxTokens: 'max_tokens',
  stop: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const satisfies Partial<Record<Plain, string>>

/** What each kind calls a parameter in its public format; what has no name here is not known to it. */
const names: Readonly<Record<BodyKind, Readonly<Partial<Record<Plain, string>>>>> = {
  'chat-completions': chat,
  completion: chat,
  messages: {
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    maxTokens: 'max_tokens',
    stop: 'stop_sequences',
  },
}

const kindWords: Readonly<Record<BodyKind, string>> = {
  'chat-completions': 'The chat-completions standard',
  completion: 'A text completion',
  messages: 'The messages standard',
}

const takesTools: readonly BodyKind[] = ['chat-completions', 'messages']
const takesJsonMode: readonly BodyKind[] = ['chat-completions']

/** The members that the parameters add to a body, but for `extra`. Throws `input.invalid` with the field that the kind does not know or that is not JSON. */
export function parameterMembers(parameters: PlaygroundParameters, kind: BodyKind): Json {
  const { jsonMode = false, tools = '', extra: _, ...plain } = parameters
  const members: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(plain)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    const name = Object.entries(names[kind]).find(([known]) => known === field)?.[1]
    if (name === undefined) throw unknownTo(kind, field)
    members[name] = value
  }
  if (jsonMode && !takesJsonMode.includes(kind)) throw unknownTo(kind, 'jsonMode')
  if (jsonMode) members.response_format = { type: 'json_object' }
  if (tools.trim() === '') return members
  if (!takesTools.includes(kind)) throw unknownTo(kind, 'tools')
  return { ...members, tools: parseTools(tools) }
}

/** The body with the members of `extra`, which win. Throws `input.invalid` when they are no JSON object, or ask for the other way of answering. */
export function withExtra(body: Json, { extra = '' }: PlaygroundParameters): Record<string, unknown> {
  if (extra.trim() === '') return { ...body }
  const members = parseWritten({ field: 'extra', text: extra })
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    throw invalid('extra', 'extra must be a JSON object, as {"name": "value"}.')
  }
  if ('stream' in members && members.stream !== (body.stream ?? false)) {
    throw invalid('extra', 'extra may not change stream: whether an answer is streamed is decided here. Take it out.')
  }
  return { ...body, ...members }
}

function parseTools(text: string): readonly unknown[] {
  const tools = parseWritten({ field: 'tools', text })
  if (!Array.isArray(tools)) throw invalid('tools', 'tools must be a JSON array of tool definitions.')
  return tools
}

function unknownTo(kind: BodyKind, field: string): AppError {
  const way = 'Leave it empty; a server that takes it all the same can be given it in extra.'
  return invalid(field, `${kindWords[kind]} knows no ${field}. ${way}`)
}

const invalid = (field: string, message: string): AppError => new AppError('input.invalid', message, { field })
