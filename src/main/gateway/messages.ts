import { z } from 'zod'
import { knownUsage, ownHeaders, smallest, TokenCount, type Wire } from './wire'

const Message = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional().catch(undefined) })),
  usage: z
    .looseObject({
      input_tokens: TokenCount,
      output_tokens: TokenCount,
      cache_read_input_tokens: TokenCount,
      cache_creation_input_tokens: TokenCount,
    })
    .optional()
    .catch(undefined),
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
    const counts = parsed.data.usage
    const usage = knownUsage({
      inputTokens: counts?.input_tokens,
      outputTokens: counts?.output_tokens,
      cacheReadTokens: counts?.cache_read_input_tokens,
      cacheWriteTokens: counts?.cache_creation_input_tokens,
    })
    return { text: texts.join(''), ...(usage === undefined ? {} : { usage }) }
  },
}
