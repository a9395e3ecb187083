import type { ApiStandard } from '@shared/contract/common'
import { z } from 'zod'
import { createResponseReader } from './response-reader'
import { readUsage, type TokenUsage } from './usage'

/** Minimal request of an API standard and the parser of its response. Pure functions. */
export type ProbeProtocol = {
  /** Headers that the API standard requires in addition to the header with the key. */
  readonly headers: Readonly<Record<string, string>>
  smallestRequest(model: string): Readonly<Record<string, unknown>>
  /** Parses a complete body. Undefined if it does not match the standard. Without text if thinking used all tokens. */
  readAnswer(body: unknown): { readonly text: string; readonly usage?: TokenUsage } | undefined
}

/** Headers that identify this app to the gateway. */
export const ownHeaders = { 'content-type': 'application/json', 'user-agent': 'platform-companion' } as const

/** Model name of a test request when no model is known. A gateway checks key and plan before it rejects the model. */
export const checkModel = 'companion-check'

const prompt = 'Reply with the word ok.'
const maxTokens = 16

const smallestChat = (model: string) => ({
  model,
  messages: [{ role: 'user', content: prompt }],
  max_tokens: maxTokens,
})

const readBody = (standard: ApiStandard) => (body: unknown) => {
  const reader = createResponseReader({ standard, kind: 'chat' })
  const deltas = [...reader.feed(Buffer.from(JSON.stringify(body) ?? '')), ...reader.end()]
  const { isWhole, usage } = reader.facts()
  const text = deltas.map((delta) => (delta.kind === 'text' ? delta.piece : '')).join('')
  return isWhole ? { text, ...(usage === undefined ? {} : { usage }) } : undefined
}

/** Messages standard in its public format (not in the spec: decisions 4). */
export const messages: ProbeProtocol = {
  headers: { ...ownHeaders, 'anthropic-version': '2023-06-01' },
  smallestRequest: smallestChat,
  readAnswer: readBody('messages'),
}

const ResponsesAnswer = z.looseObject({
  // Excludes `failed`, because a failed response has all other fields too.
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

/** Responses protocol, which tools use with the relay. `input_tokens` includes cached tokens. */
export const responses: ProbeProtocol = {
  headers: ownHeaders,
  smallestRequest: (model) => ({ model, input: prompt, max_output_tokens: maxTokens, store: false }),
  readAnswer: (body) => {
    const parsedAnswer = ResponsesAnswer.safeParse(body)
    if (!parsedAnswer.success) return undefined
    const texts = parsedAnswer.data.output.flatMap(({ content = [] }) => content.map((part) => part.text ?? ''))
    const usage = readUsage(parsedAnswer.data.usage)
    return { text: texts.join(''), ...(usage === undefined ? {} : { usage }) }
  },
}

/** Chat-completions standard (spec, "Token plan gateway"). Decisions 4 define its usage fields. */
export const chatCompletions: ProbeProtocol = {
  headers: ownHeaders,
  smallestRequest: smallestChat,
  readAnswer: readBody('chat-completions'),
}
