import { z } from 'zod'
import { knownUsage, ownHeaders, smallest, TokenCount, type TokenUsage, type Wire } from './wire'

const Message = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional().catch(undefined) })),
  usage: z.unknown().optional(),
})

const Usage = z.looseObject({
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
  const { success, data } = Usage.safeParse(value)
  if (!success) return undefined
  return knownUsage({
    inputTokens: data.input_tokens,
    outputTokens: data.output_tokens,
    cacheReadTokens: data.cache_read_input_tokens,
    cacheWriteTokens: data.cache_creation_input_tokens,
  })
}
