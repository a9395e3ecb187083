import { z } from 'zod'
import { newId } from '../../gateway/ids'
import { type Frame, pieces } from '../../gateway/standard'
import { reply } from '../../text-model/reply'
import { type LimitedText, loadTokenizer } from '../../text-model/tokenizer'
import { parseBody } from '../body'
import { type Call, ok, type Reply } from '../operation'
import { checkContext, readAsked } from './asked'
import { sendStream } from './send-stream'

const mostPrompts = 128
const says = `must be a text or a list of 1 to ${mostPrompts} texts`

const Body = z.looseObject({
  model: z.string(),
  prompt: z.union([z.string(), z.array(z.string()).min(1, says).max(mostPrompts, says)], { error: says }),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().int().positive('must be at least 1').nullish(),
})

interface Answer {
  readonly head: {
    readonly id: string
    readonly object: 'text_completion'
    readonly created: number
    readonly model: string
  }
  /** One for each prompt. */
  readonly texts: readonly LimitedText[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}

const finishReason = ({ isCut }: LimitedText): string => (isCut ? 'length' : 'stop')
const eventOf = (data: unknown, text = ''): Frame => ({ wire: `data: ${JSON.stringify(data)}\n\n`, text })

function* framesOf({ head, texts, usage }: Answer, wantsUsage: boolean): Iterable<Frame> {
  const noUsage = wantsUsage ? { usage: null } : {}
  const chunk = (index: number, text: string, finish_reason: string | null) =>
    eventOf({ ...head, choices: [{ text, index, logprobs: null, finish_reason }], ...noUsage }, text)
  for (const [index, limited] of texts.entries()) {
    for (const piece of pieces(limited.text)) yield chunk(index, piece, null)
    yield chunk(index, '', finishReason(limited))
  }
  if (wantsUsage) yield eventOf({ ...head, choices: [], usage })
  yield { wire: 'data: [DONE]\n\n', text: '' }
}

async function answerTo(call: Call): Promise<{ asked: z.infer<typeof Body>; answer: Answer }> {
  const { model, body } = await readAsked(call, 'completion')
  const asked = parseBody(Body, body)
  const prompts = [asked.prompt].flat()
  const { count, limit } = await loadTokenizer()
  const counts = prompts.map(count)
  checkContext(model, Math.max(...counts))
  const texts = prompts.map((prompt) =>
    limit(reply({ modelCode: model.modelCode, prompt }), asked.max_tokens ?? undefined),
  )
  const prompt_tokens = counts.reduce((sum, tokens) => sum + tokens, 0)
  const completion_tokens = texts.reduce((sum, { tokens }) => sum + tokens, 0)
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  const created = Math.floor(call.store.nowMs() / 1000)
  const id = newId('cmpl-')
  return { asked, answer: { head: { id, object: 'text_completion', created, model: model.modelCode }, texts, usage } }
}

/** Continues each prompt with what the text model answers to it; without `max_tokens` as a whole (ours). */
export async function complete(call: Call): Promise<Reply | undefined> {
  const { asked, answer } = await answerTo(call)
  const { head, texts, usage } = answer
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage
  const isStream = asked.stream ?? false
  call.note({ stream: isStream, inputTokens, outputTokens })
  if (isStream) {
    const frames = [...framesOf(answer, asked.stream_options?.include_usage ?? false)]
    await sendStream(call, frames, outputTokens)
    return undefined
  }
  const choices = texts.map((limited, index) => ({
    text: limited.text,
    index,
    logprobs: null,
    finish_reason: finishReason(limited),
  }))
  return ok({ ...head, choices, usage })
}
