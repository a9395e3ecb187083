import { z } from 'zod'
import type { AnswerDraft } from './answer-draft'
import { chatUsage } from './chat-completions'

/** Most members are null in most events: to read null as absent is far cheaper than to catch it. */
const words = z.string().nullish().catch(undefined)

const Part = z.looseObject({ type: words, text: words, thinking: z.unknown().optional() })

/** Content as a text or as parts; what is neither is as good as empty. */
const Content = z
  .union([z.string(), z.array(Part)])
  .nullish()
  .catch(undefined)

const Call = z.looseObject({
  index: z.int().nonnegative().nullish().catch(undefined),
  id: words,
  function: z.looseObject({ name: words, arguments: z.unknown().optional() }).nullish().catch(undefined),
})

const Said = z
  .looseObject({
    content: Content,
    refusal: words,
    reasoning_content: words,
    reasoning: words,
    tool_calls: z.array(Call).nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined)

const Choice = z.looseObject({
  index: z.int().nullish().catch(undefined),
  /** What a chunk of a stream adds. */
  delta: Said,
  /** What a whole answer says. */
  message: Said,
  /** A text completion's. */
  text: words,
  finish_reason: words,
})

const Chunk = z.looseObject({ choices: z.array(Choice).nullish().catch(undefined), usage: z.unknown().optional() })

type Said = NonNullable<z.infer<typeof Said>>

/**
 * Reads a chunk of a stream or a whole body, of a chat or of a text completion, into the draft; the first choice alone. Tells whether
 * there was one.
 */
export function readChatChunk(value: unknown, draft: AnswerDraft): boolean {
  const { success, data } = Chunk.safeParse(value)
  const usage = success ? chatUsage(data.usage) : undefined
  if (!success || (!data.choices && usage === undefined)) return false
  draft.isReadable = true
  // The counts of a later chunk are those of the whole answer so far.
  draft.usage = usage ?? draft.usage
  const choice = data.choices?.find(({ index }) => (index ?? 0) === 0)
  if (choice === undefined) return false
  if (choice.message) readSaid(choice.message, draft, true)
  else if (choice.delta) readSaid(choice.delta, draft, false)
  draft.text(choice.text ?? '')
  if (choice.finish_reason) draft.finishReason = choice.finish_reason
  return true
}

function readSaid(said: Said, draft: AnswerDraft, isWhole: boolean): void {
  // Servers between two names of the field send both.
  draft.thinking(said.reasoning_content ?? said.reasoning ?? '')
  readContent(said.content ?? '', draft)
  draft.text(said.refusal ?? '')
  for (const [place, { index, id, function: called }] of (said.tool_calls ?? []).entries()) {
    const input = inputText(called?.arguments)
    draft.call({ place: index ?? (isWhole ? place : undefined), id, name: called?.name, input })
  }
}

function readContent(content: NonNullable<z.infer<typeof Content>>, draft: AnswerDraft): void {
  for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : content) {
    if (part.type === 'thinking') draft.thinking(thoughtText(part.thinking))
    else draft.text(part.text ?? '')
  }
}

const Thoughts = z.array(z.looseObject({ text: words }))

function thoughtText(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  const parsed = Thoughts.safeParse(thinking)
  return parsed.success ? parsed.data.map(({ text }) => text ?? '').join('') : ''
}

/** Arguments are JSON as text; some servers send the value itself. */
function inputText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
