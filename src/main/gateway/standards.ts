import type { Standard } from '@shared/contract/common'
import { z } from 'zod'
import { createResponseReader } from './response-reader'
import { readUsage, type TokenUsage } from './usage'

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

/** Reads one JSON body of a standard. */
const readBody = (standard: Standard) => (body: unknown) => {
  const reader = createResponseReader({ standard, kind: 'chat' })
  const deltas = [...reader.feed(Buffer.from(JSON.stringify(body) ?? '')), ...reader.end()]
  const { isWhole, usage } = reader.facts()
  const text = deltas.map((delta) => (delta.kind === 'text' ? delta.piece : '')).join('')
  return isWhole ? { text, ...(usage === undefined ? {} : { usage }) } : undefined
}

/** The messages standard, in its public format (not in the spec: decisions 4). */
export const messages: Wire = {
  headers: { ...ownHeaders, 'anthropic-version': '2023-06-01' },

  smallestRequest: (model) => ({
    model,
    max_tokens: smallest.maxTokens,
    messages: [{ role: 'user', content: smallest.prompt }],
  }),

  readAnswer: readBody('messages'),
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
  usage: z.unknown().optional(),
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
    const texts = parsed.data.output.flatMap(({ content = [] }) => content.map((part) => part.text ?? ''))
    const usage = readUsage(parsed.data.usage)
    return { text: texts.join(''), ...(usage === undefined ? {} : { usage }) }
  },
}

/** The chat-completions standard (spec, "Token plan gateway"; usage: decisions 4). */
export const chatCompletions: Wire = {
  headers: ownHeaders,

  smallestRequest: (model) => ({
    model,
    messages: [{ role: 'user', content: smallest.prompt }],
    max_tokens: smallest.maxTokens,
  }),

  readAnswer: readBody('chat-completions'),
}
