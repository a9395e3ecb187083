import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'

const Text = z.string().nullish().catch(undefined)
const Count = z.number().int().nonnegative().optional().catch(undefined)

const Call = z.object({
  index: Count,
  id: Text,
  function: z.object({ name: Text, arguments: Text }).nullish().catch(undefined),
})
export type ChatCallPiece = z.infer<typeof Call>

const Said = z.object({
  content: Text,
  refusal: Text,
  reasoning_content: Text,
  reasoning: Text,
  tool_calls: z.array(Call).nullish().catch(undefined),
})
export type ChatSaid = z.infer<typeof Said>

const Usage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count }).nullish().catch(undefined),
  completion_tokens_details: z.object({ reasoning_tokens: Count }).nullish().catch(undefined),
})
type ChatUsage = z.infer<typeof Usage>

const Choice = z.object({ delta: Said.nullish(), message: Said.nullish(), finish_reason: Text })

/** A whole answer of chat-completions, or one piece of a streamed one; what is not understood is absent. */
export const ChatAnswer = z.object({
  id: Text,
  created: Count,
  model: Text,
  choices: z.array(Choice).nullish().catch(undefined),
  usage: Usage.nullish().catch(undefined),
  error: z
    .union([
      z.string(),
      z.object({ message: Text, code: z.union([z.string(), z.number()]).nullish().catch(undefined), type: Text }),
    ])
    .nullish()
    .catch(undefined),
})
export type ChatAnswer = z.infer<typeof ChatAnswer>

/** Tokens as the Responses protocol counts them; undefined when the gateway did not count. */
export function responsesUsage(usage: ChatUsage | null | undefined) {
  if (usage === null || usage === undefined) return undefined
  const { prompt_tokens: input = 0, completion_tokens: output = 0 } = usage
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
    total_tokens: input + output,
  }
}

const lineEnd = /\r\n|\n|\r/

/** Cuts a stream of events into the data of each, wherever its bytes were cut. */
export class ChatEvents {
  readonly #decoder = new StringDecoder('utf8')
  #pieces: string[] = []
  #data: string[] = []
  #endedInReturn = false

  /** The data of the events that are complete now. */
  push(chunk: Buffer): readonly string[] {
    return this.#read(this.#decoder.write(chunk))
  }

  /** The data of an event that ended with the stream. */
  end(): readonly string[] {
    return this.#read(`${this.#decoder.end()}\n\n`)
  }

  #read(chunk: string): readonly string[] {
    if (chunk === '') return []
    // A line's end may be cut in two as well.
    const text = this.#endedInReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk
    this.#endedInReturn = chunk.endsWith('\r')
    const lines = text.split(lineEnd)
    const rest = lines.pop() ?? ''
    const events = lines.flatMap((line) => this.#line(line))
    if (rest !== '') this.#pieces.push(rest)
    return events
  }

  #line(end: string): readonly string[] {
    const line = this.#pieces.length === 0 ? end : this.#pieces.join('') + end
    this.#pieces = []
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
    if (line !== '' || this.#data.length === 0) return []
    const data = this.#data.join('\n')
    this.#data = []
    return [data]
  }
}
