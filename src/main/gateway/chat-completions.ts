import { z } from 'zod'
import { knownUsage, ownHeaders, smallest, TokenCount, type TokenUsage, type Wire } from './wire'

const Part = z.looseObject({ text: z.string().optional().catch(undefined) })

const ChatCompletion = z.looseObject({
  choices: z
    .array(z.looseObject({ message: z.looseObject({ content: z.union([z.string(), z.array(Part)]).nullish() }) }))
    .min(1),
  usage: z.unknown().optional(),
})

const Usage = z.looseObject({
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
  const { success, data } = Usage.safeParse(value ?? {})
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
