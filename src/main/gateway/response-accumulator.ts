import type { PlaygroundToolCall } from '@shared/contract'
import type { ResponseDelta, ResponseFacts } from './model-requests'
import { isCompleteJson } from './server-message'
import { readReasoningTokens, readUsage } from './usage'

interface ToolCallDelta {
  /** Index of the call. Without one, the piece belongs to the call with the same id, or else to the last call. */
  readonly index?: number | undefined
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly input?: string | undefined
}

interface CallDraft {
  readonly index: number | undefined
  id: string
  name: string
  input: string
}

/** Maximum characters kept to estimate tokens. */
const maxSampleLength = 200_000

/** Collects text, tool calls, usage and errors of one response. The readers of both API standards write to it. */
export class ResponseAccumulator {
  usage: ResponseFacts['usage']
  reasoningTokens: number | undefined
  finishReason: string | undefined
  lateError: string | undefined
  responseId: string | undefined
  modelCode: string | undefined
  created: number | undefined
  /** Index of the choice that is read, if the response has several. */
  choiceIndex: number | undefined
  /** Whether the end mark of the API standard was received. */
  isEnded = false
  /** Whether any data in the format of the API standard was received. */
  isReadable = false
  hasDeltas = false
  readonly #calls: CallDraft[] = []
  /** Output that the reader has not taken yet. A number is the count of tool calls after they changed. */
  #deltas: (ResponseDelta | number)[] = []
  #sample = ''
  #length = 0
  #hasThought = false

  addText(text: string): void {
    this.#add('text', text)
  }

  addThinking(text: string): void {
    this.#add('thinking', text)
    if (text !== '') this.#hasThought = true
  }

  /** Starts a new block of reasoning, separated from earlier reasoning. */
  beginThinking(): void {
    if (this.#hasThought) this.#add('thinking', '\n\n')
  }

  addCall(piece: ToolCallDelta): void {
    const existingCall = this.#findCall(piece)
    const call = existingCall ?? { index: piece.index, id: '', name: '', input: '' }
    if (existingCall === undefined) this.#calls.push(call)
    call.id ||= piece.id ?? ''
    // Depending on the server, each piece contains the complete tool name, the name so far, or the next part of it.
    if (piece.name?.startsWith(call.name)) call.name = piece.name
    else call.name += piece.name ?? ''
    const input = piece.input ?? ''
    // Some servers send an empty object as the first piece of arguments, or repeat the complete arguments.
    if (call.input === '{}' && input.startsWith('{')) call.input = input
    else if (input !== call.input || !input.startsWith('{') || !isCompleteJson(input)) call.input += input
    this.countText((piece.name ?? '') + (piece.input ?? ''))
    if (typeof this.#deltas.at(-1) === 'number') this.#deltas.pop()
    this.#deltas.push(this.#calls.length)
  }

  inputAt(index: number): string | undefined {
    return this.#calls.findLast((call) => call.index === index)?.input
  }

  addUsage(usage: unknown): void {
    this.usage = readUsage(usage, this.usage)
    this.reasoningTokens = readReasoningTokens(usage) || this.reasoningTokens
  }

  /** Output for token estimates: its start, and the full length in characters. */
  get output(): { readonly text: string; readonly length: number } {
    return { text: this.#sample, length: this.#length }
  }

  takeDeltas(): readonly ResponseDelta[] {
    const deltas = this.#deltas
    this.#deltas = []
    const calls = this.#calls.map(({ id, name, input }): PlaygroundToolCall => ({ id, name, input }))
    return deltas.map((delta) =>
      typeof delta === 'number' ? { kind: 'toolCalls', calls: calls.slice(0, delta) } : delta,
    )
  }

  /** Counts ignored output, such as a second choice. */
  countText(text: string): void {
    this.#length += text.length
    if (this.#sample.length < maxSampleLength) this.#sample += text
  }

  #add(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return
    this.countText(text)
    const lastDelta = this.#deltas.at(-1)
    if (typeof lastDelta === 'object' && lastDelta.kind === kind) {
      this.#deltas[this.#deltas.length - 1] = { kind, piece: lastDelta.piece + text }
    } else this.#deltas.push({ kind, piece: text })
  }

  /** Some servers omit indexes or repeat one. Another id, or a second complete call, starts a new call. */
  #findCall({ index, id, name, input }: ToolCallDelta): CallDraft | undefined {
    const isSameCall = (call: CallDraft): boolean =>
      index === undefined || call.index === undefined || call.index === index
    const targetCall = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index)
    const callWithSameId = id ? this.#calls.find((call) => call.id === id && isSameCall(call)) : undefined
    if (callWithSameId !== undefined) return callWithSameId
    // Arguments without a name continue a call, even under another index.
    if (!name) return targetCall ?? this.#calls.findLast((call) => !id || call.id === id)
    if (targetCall === undefined) return undefined
    const isComplete = isCompleteJson(targetCall.input)
    // Some servers generate a new call id for each piece of the same call.
    const isContinuation = targetCall.name === name && targetCall.input !== '' && !isComplete
    if (id && targetCall.id && targetCall.id !== id) return isContinuation ? targetCall : undefined
    return !id && input && targetCall.name !== '' && isComplete ? undefined : targetCall
  }
}
