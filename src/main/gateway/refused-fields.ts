import { dayMs } from '@shared/durations'
import { isObject } from './server-message'

type Json = Readonly<Record<string, unknown>>

interface FieldRule {
  readonly error: RegExp
  /** The request without the field, or undefined if it does not have it. */
  readonly remove: (request: Json) => Json | undefined
}

const rename =
  (from: string, to: string) =>
  ({ [from]: value, ...rest }: Json): Json | undefined =>
    value === undefined ? undefined : { ...rest, [to]: rest[to] ?? value }

/** Phrases that mean "rejected" in error messages, before or after the name of the field. */
const { source: refusal } =
  /(?:unsupported|un(?:known|recognized|expected)|extra_|\bextra\b|invalid (?:parameter|argument|field)|deprecated|cannot find|(?:not|n['’]t) (?:a )?(?:support(?:ed)?|permitted|allowed|valid|accept(?:ed)?|implemented))/

/** Fields that some models reject and others need. `parameters` and `missing_reasoning` are rejected if missing. */
const rules = {
  stream_options: {
    error: /stream_?\s?options|include_?usage/i,
    remove: ({ stream_options: value, ...rest }) => (value === undefined ? undefined : rest),
  },
  max_tokens: {
    error: new RegExp(`max_?completion_?tokens|${refusal}.*\\bmax_?tokens\\b|\\bmax_?tokens\\W.*${refusal}`, 'is'),
    remove: rename('max_tokens', 'max_completion_tokens'),
  },
  max_completion_tokens: {
    error: /max_?completion_?tokens/i,
    remove: rename('max_completion_tokens', 'max_tokens'),
  },
  missing_reasoning: {
    error: /reasoning_?content.*(?:missing|passed back|required)|missing.*reasoning_?content/is,
    remove: (request) =>
      mapMessages(request, (message) =>
        message.role === 'assistant' && message.reasoning_content === undefined
          ? { ...message, reasoning_content: '' }
          : undefined,
      ),
  },
  reasoning_content: {
    error: /reasoning_?content/i,
    remove: (request) =>
      mapMessages(request, ({ reasoning_content: value, ...rest }) => (value === undefined ? undefined : rest)),
  },
  parameters: {
    error: /\bparameters\b/,
    // Adds empty `parameters` to tools without any, which Qwen Code omits.
    remove: ({ tools, ...rest }) => {
      if (!Array.isArray(tools)) return undefined
      const completedTools = tools.map((tool: unknown) =>
        isObject(tool) && isObject(tool.function) && !isObject(tool.function.parameters)
          ? { ...tool, function: { ...tool.function, parameters: { type: 'object', properties: {} } } }
          : tool,
      )
      return completedTools.some((tool, index) => tool !== tools[index])
        ? { ...rest, tools: completedTools }
        : undefined
    },
  },
  image_url: {
    error:
      /\bimages?\b|image_url|\bvision\b|multi-?modal|modalit|only text|content.{0,120}(?:must|should|expected|\[).{0,30}(?:string|text)/is,
    remove: removeResultImages,
  },
} as const satisfies Readonly<Record<string, FieldRule>>

export type RefusableField = keyof typeof rules

const fields = Object.keys(rules) as readonly RefusableField[]

/** Statuses with which gateways reject a field. llama.cpp sends 500 for an image. */
const fieldStatuses: readonly number[] = [400, 404, 415, 422, 500]
/** Matches error messages that reject a request without naming a field. */
const vagueErrorPattern =
  /^\s*$|"(?:bad request|invalid (?:request|parameters?)|unprocessable entity|(?:extra|additional) (?:inputs|fields|properties)[^"]*|un(?:known|recognized|supported) (?:field|parameter|argument)s?)\.?"/i

/** Finds the field that the gateway rejected, except fields in `tried`. The first of several matches wins. */
export function findRefusedField(
  { status, error, request }: { readonly status: number; readonly error: string; readonly request: Json },
  tried: ReadonlySet<RefusableField> = new Set(),
): RefusableField | undefined {
  if (!fieldStatuses.includes(status)) return undefined
  const removableFields = fields.filter((field) => !tried.has(field) && rules[field].remove(request) !== undefined)
  const isVagueError = (status === 400 || status === 422) && vagueErrorPattern.test(error)
  const namedField = removableFields.find((field) => rules[field].error.test(error))
  return namedField ?? removableFields.find((field) => isVagueError && field === 'stream_options')
}

/** Avoids rejected fields: removes or adds them, renames `max_tokens`, replaces images of tool results by text. */
export const withoutFields = (request: Json, refused: readonly RefusableField[]): Json =>
  refused.reduce((json, field) => rules[field].remove(json) ?? json, request)

/** Applies `change` to each message. Undefined means unchanged, for one message as well as for the result. */
function mapMessages(request: Json, change: (message: Json, previous: unknown) => Json | undefined): Json | undefined {
  const { messages } = request
  if (!Array.isArray(messages)) return undefined
  const changedMessages = messages.map((message: unknown, index) =>
    isObject(message) ? (change(message, messages[index - 1]) ?? message) : message,
  )
  return changedMessages.some((message, index) => message !== messages[index])
    ? { ...request, messages: changedMessages }
    : undefined
}

const imageMarker = { type: 'text', text: '[image left out: the model does not accept images]' }
const isImage = (part: unknown): boolean => isObject(part) && (part.type === 'image_url' || part.type === 'image')

/** Replaces images that a tool returned. In chat-completions they are in the user message after the result. */
function removeResultImages(request: Json): Json | undefined {
  return mapMessages(request, (message, previous) => {
    const { role, content } = message
    if (!Array.isArray(content)) return undefined
    const isResult = role === 'tool' || (role === 'user' && isObject(previous) && previous.role === 'tool')
    const parts = content.map((part: unknown) => {
      if (isResult && isImage(part)) return imageMarker
      const isWithImage =
        isObject(part) && part.type === 'tool_result' && Array.isArray(part.content) && part.content.some(isImage)
      if (!isWithImage || !isObject(part) || !Array.isArray(part.content)) return part
      return { ...part, content: part.content.map((inner: unknown) => (isImage(inner) ? imageMarker : inner)) }
    })
    return parts.some((part, index) => part !== content[index]) ? { ...message, content: parts } : undefined
  })
}

const maxRemembered = 1000

/** Remembers rejected fields of a gateway's model for a day, because gateways are upgraded. */
export class RefusedFields {
  readonly #until = new Map<string, number>()

  list(gateway: string, model: string): readonly RefusableField[] {
    if (this.#until.size === 0) return []
    return fields.filter((field) => (this.#until.get(toCacheKey(gateway, model, field)) ?? 0) > Date.now())
  }

  add(gateway: string, model: string, field: RefusableField): void {
    if (this.#until.size >= maxRemembered) this.#until.clear()
    this.#until.set(toCacheKey(gateway, model, field), Date.now() + dayMs)
  }

  delete(gateway: string, model: string, field: RefusableField): void {
    this.#until.delete(toCacheKey(gateway, model, field))
  }
}

const toCacheKey = (gateway: string, model: string, field: RefusableField): string =>
  JSON.stringify([gateway, model, field])
