import { z } from 'zod'
import type { AnswerDraft } from './answer-draft'
import { messagesUsage } from './messages'

/** Most members are null in most events: to read null as absent is far cheaper than to catch it. */
const words = z.string().nullish().catch(undefined)

const Block = z.looseObject({
  type: words,
  text: words,
  thinking: words,
  id: words,
  name: words,
  input: z.unknown().optional(),
})
const Delta = z.looseObject({ type: words, text: words, thinking: words, partial_json: words, stop_reason: words })

const Whole = z.looseObject({
  content: z.array(Block).optional().catch(undefined),
  stop_reason: words,
  usage: z.unknown().optional(),
})

const Event = z.looseObject({
  type: words,
  index: z.int().nonnegative().optional().catch(undefined),
  message: Whole.optional().catch(undefined),
  content_block: Block.optional().catch(undefined),
  delta: Delta.optional().catch(undefined),
  usage: z.unknown().optional(),
})

type Event = z.infer<typeof Event>
type Block = z.infer<typeof Block>

/** What each event of the standard's stream adds to the answer; events that are not listed add nothing. */
const events: Readonly<Record<string, (event: Event, draft: AnswerDraft) => void>> = {
  message_start: ({ message }, draft) => {
    const { outputTokens: _, ...begun } = messagesUsage(message?.usage) ?? {}
    // The first event names an output as well, of an answer that has only begun.
    if (Object.keys(begun).length > 0) draft.countMost(begun)
  },
  content_block_start: ({ index = 0, content_block: block }, draft) => {
    if (block !== undefined) readBlock(block, index, draft)
  },
  content_block_delta: ({ index = 0, delta }, draft) => {
    if (delta?.type === 'text_delta') draft.text(delta.text ?? '')
    else if (delta?.type === 'thinking_delta') draft.thinking(delta.thinking ?? '')
    else if (delta?.type === 'input_json_delta') {
      if (draft.inputAt(index) !== undefined) draft.call({ place: index, input: delta.partial_json })
    }
  },
  content_block_stop: ({ index = 0 }, draft) => endCall(index, draft),
  message_delta: ({ delta, usage }, draft) => {
    draft.finishReason = delta?.stop_reason || draft.finishReason
    draft.countMost(messagesUsage(usage))
  },
  message_stop: (_, draft) => {
    draft.isEnded = true
  },
}

/** Reads an event of a stream into the draft; `name` says what it is when its data does not. */
export function readMessagesEvent(value: unknown, name: string, draft: AnswerDraft): void {
  const parsed = Event.safeParse(value)
  if (!parsed.success) return
  const type = parsed.data.type ?? name
  if (type === 'message') readMessage(value, draft)
  if (!Object.hasOwn(events, type)) return
  draft.isReadable = true
  events[type]?.(parsed.data, draft)
}

/** Reads a whole body into the draft. */
export function readMessage(value: unknown, draft: AnswerDraft): void {
  const parsed = Whole.safeParse(value)
  if (!parsed.success || parsed.data.content === undefined) return
  draft.isReadable = true
  draft.isEnded = true
  for (const [place, block] of parsed.data.content.entries()) {
    readBlock(block, place, draft)
    endCall(place, draft)
  }
  draft.finishReason = parsed.data.stop_reason || draft.finishReason
  draft.countMost(messagesUsage(parsed.data.usage))
}

function readBlock({ type, text, thinking, id, name, input }: Block, place: number, draft: AnswerDraft): void {
  if (type === 'text') draft.text(text ?? '')
  else if (type === 'tool_use') draft.call({ place, id, name, input: isEmpty(input) ? '' : JSON.stringify(input) })
  else if (type === 'thinking') {
    draft.newThought()
    draft.thinking(thinking ?? '')
  }
}

/** A tool without parameters is called without a piece of input. */
function endCall(place: number, draft: AnswerDraft): void {
  if (draft.inputAt(place) === '') draft.call({ place, input: '{}' })
}

/** A stream begins a call with an empty object and sends its input in pieces. */
function isEmpty(input: unknown): boolean {
  return typeof input !== 'object' || input === null || Object.keys(input).length === 0
}
