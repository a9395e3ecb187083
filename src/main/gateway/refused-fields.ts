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
      changeEach(request, 'messages', (message) =>
        message.role === 'assistant' && message.reasoning_content === undefined
          ? { ...message, reasoning_content: '' }
          : undefined,
      ),
  },
  reasoning_content: {
    error: /reasoning_?content/i,
    remove: (request) =>
      changeEach(request, 'messages', ({ reasoning_content: value, ...rest }) =>
        value === undefined ? undefined : rest,
      ),
  },
  parameters: {
    error: /\bparameters\b/,
    // Adds empty `parameters` to tools without any, which Qwen Code omits.
    remove: (request) =>
      changeEach(request, 'tools', (tool) =>
        isObject(tool.function) && !isObject(tool.function.parameters)
          ? { ...tool, function: { ...tool.function, parameters: { type: 'object', properties: {} } } }
          : undefined,
      ),
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

/** Applies `change` to each object of a list. Undefined means unchanged, for one object as well as for the result. */
function changeEach(
  json: Json,
  listName: string,
  change: (item: Json, previous: unknown) => Json | undefined,
): Json | undefined {
  const items = json[listName]
  if (!Array.isArray(items)) return undefined
  const changedItems = items.map((item: unknown, index) =>
    isObject(item) ? (change(item, items[index - 1]) ?? item) : item,
  )
  return changedItems.some((item, index) => item !== items[index]) ? { ...json, [listName]: changedItems } : undefined
}

const imageMarker = { type: 'text', text: '[image left out: the model does not accept images]' }
const replaceImage = ({ type }: Json): Json | undefined =>
  type === 'image_url' || type === 'image' ? imageMarker : undefined

/** Replaces images that a tool returned. In chat-completions they are in the user message after the result. */
function removeResultImages(request: Json): Json | undefined {
  return changeEach(request, 'messages', (message, previous) => {
    const { role } = message
    const isResult = role === 'tool' || (role === 'user' && isObject(previous) && previous.role === 'tool')
    return changeEach(message, 'content', (part) => {
      if (part.type === 'tool_result') return changeEach(part, 'content', replaceImage)
      return isResult ? replaceImage(part) : undefined
    })
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
