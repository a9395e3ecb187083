import { z } from 'zod'

/** Tokens that one request cost, as the gateway counted them; what it did not say is absent, never zero. */
export type TokenUsage = {
  /** Prompt tokens that did not come from the cache. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
}

/** What a complete, not streamed answer says; the text may be empty (all tokens spent on thinking). */
type Answer = { readonly text: string; readonly usage?: TokenUsage }

/** One standard's smallest real request and how to read its answer; pure. */
export type Wire = {
  /** Headers beside the key's. */
  readonly headers: Readonly<Record<string, string>>
  smallestRequest(model: string): Readonly<Record<string, unknown>>
  /** The answer in a parsed body, or undefined when the body is not this standard's. */
  readAnswer(body: unknown): Answer | undefined
}

/** How a gateway sees that this app asked, not a tool. */
export const ownHeaders = { 'content-type': 'application/json', 'user-agent': 'platform-companion' } as const

/** What the smallest request asks for, and how many tokens the answer may have. */
const smallest = { prompt: 'Reply with the word ok.', maxTokens: 16 } as const

/** A count of tokens in an answer; what is not a count is as good as absent. */
export const TokenCount = z.int().nonnegative().optional().catch(undefined)

/** The counts that are known, or undefined when none is. */
export function knownUsage(counts: { readonly [K in keyof TokenUsage]-?: number | undefined }): TokenUsage | undefined {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

const Message = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional().catch(undefined) })),
  usage: z.unknown().optional(),
})

const MessagesUsage = z.looseObject({
  input_tokens: TokenCount,
  output_tokens: TokenCount,
  cache_read_input_tokens: TokenCount,
  cache_creation_input_tokens: TokenCount,
})

/** The messages standard, in its public format (not in the spec: decisions 4). */
export const messages: Wire = {
  headers: { ...ownHeaders, 'anthropic-version': '2023-06-01' },

  smallestRequest: (model) => ({
    model,
    max_tokens: smallest.maxTokens,
    messages: [{ role: 'user', content: smallest.prompt }],
  }),

  readAnswer: (body) => {
    const parsed = Message.safeParse(body)
    if (!parsed.success) return undefined
    const texts = parsed.data.content.filter((block) => block.type === 'text').map((block) => block.text ?? '')
    const usage = messagesUsage(parsed.data.usage)
    return { text: texts.join(''), ...(usage === undefined ? {} : { usage }) }
  },
}

/** The counts of the `usage` of an answer or of an event of a stream. */
export function messagesUsage(value: unknown): TokenUsage | undefined {
  const { success, data } = MessagesUsage.safeParse(value)
  if (!success) return undefined
  return knownUsage({
    inputTokens: data.input_tokens,
    outputTokens: data.output_tokens,
    cacheReadTokens: data.cache_read_input_tokens,
    cacheWriteTokens: data.cache_creation_input_tokens,
  })
}

const ResponsesAnswer = z.looseObject({
  // A failed answer has all of its form as well.
  status: z.enum(['completed', 'incomplete']),
  output: z.array(
    z.looseObject({
      content: z
        .array(z.looseObject({ text: z.string().optional().catch(undefined) }))
        .optional()
        .catch(undefined),
    }),
  ),
  usage: z
    .looseObject({
      input_tokens: TokenCount,
      output_tokens: TokenCount,
      input_tokens_details: z.looseObject({ cached_tokens: TokenCount }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})

/** The Responses protocol, which tools speak to the relay; cached input tokens are part of `input_tokens`. */
export const responses: Wire = {
  headers: ownHeaders,

  smallestRequest: (model) => ({
    model,
    input: smallest.prompt,
    max_output_tokens: smallest.maxTokens,
    store: false,
  }),

  readAnswer: (body) => {
    const parsed = ResponsesAnswer.safeParse(body)
    if (!parsed.success) return undefined
    const { output, usage: counted } = parsed.data
    const texts = output.flatMap(({ content = [] }) => content.map((part) => part.text ?? ''))
    const cached = counted?.input_tokens_details?.cached_tokens
    const input = counted?.input_tokens
    const usage = knownUsage({
      inputTokens: input === undefined ? undefined : Math.max(0, input - (cached ?? 0)),
      outputTokens: counted?.output_tokens,
      cacheReadTokens: cached,
      cacheWriteTokens: undefined,
    })
    return { text: texts.join(''), ...(usage === undefined ? {} : { usage }) }
  },
}

const Part = z.looseObject({ text: z.string().optional().catch(undefined) })

const ChatCompletion = z.looseObject({
  choices: z
    .array(z.looseObject({ message: z.looseObject({ content: z.union([z.string(), z.array(Part)]).nullish() }) }))
    .min(1),
  usage: z.unknown().optional(),
})

const ChatUsage = z.looseObject({
  prompt_tokens: TokenCount,
  completion_tokens: TokenCount,
  prompt_tokens_details: z.looseObject({ cached_tokens: TokenCount }).optional().catch(undefined),
})

/** The chat-completions standard (spec, "Token plan gateway"; usage: decisions 4). */
export const chatCompletions: Wire = {
  headers: ownHeaders,

  smallestRequest: (model) => ({
    model,
    messages: [{ role: 'user', content: smallest.prompt }],
    max_tokens: smallest.maxTokens,
  }),

  readAnswer: (body) => {
    const parsed = ChatCompletion.safeParse(body)
    if (!parsed.success) return undefined
    const content = parsed.data.choices[0]?.message.content ?? ''
    const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')
    const usage = chatUsage(parsed.data.usage)
    return { text, ...(usage === undefined ? {} : { usage }) }
  },
}

/**
 * The counts of the `usage` of an answer or of a chunk of a stream. Cached prompt tokens are part of `prompt_tokens`; they count as
 * cache, not again as input.
 */
export function chatUsage(value: unknown): TokenUsage | undefined {
  // Most chunks say null.
  const { success, data } = ChatUsage.safeParse(value ?? {})
  if (!success) return undefined
  const cached = data.prompt_tokens_details?.cached_tokens
  const prompt = data.prompt_tokens
  return knownUsage({
    inputTokens: prompt === undefined ? undefined : Math.max(0, prompt - (cached ?? 0)),
    outputTokens: data.completion_tokens,
    cacheReadTokens: cached,
    cacheWriteTokens: undefined,
  })
}
