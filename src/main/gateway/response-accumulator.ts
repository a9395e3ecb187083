import type { PlaygroundToolCall } from '@shared/contract'
import type { AnswerNews } from './model-requests'
import type { TokenUsage } from './standards'

/** A piece of a tool call, as it came. */
interface CallPiece {
  /** Which of the answer's calls; without it the one of the same id, or the last. */
  readonly place?: number | undefined
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  /** JSON, or a part of it. */
  readonly input?: string | null | undefined
}

interface DraftCall {
  readonly place: number | undefined
  id: string
  name: string
  input: string
}

/** What an answer has said so far; the readers of the standards write into it. */
export class AnswerDraft {
  usage: TokenUsage | undefined
  finishReason: string | undefined
  lateError: string | undefined
  /** Whether the standard's own end was seen. */
  isEnded = false
  /** Whether anything was of the standard at all. */
  isReadable = false
  #news: AnswerNews[] = []
  readonly #calls: DraftCall[] = []
  #hasNewCalls = false
  #hasThought = false

  text(piece: string): void {
    this.#say('text', piece)
  }

  thinking(piece: string): void {
    this.#say('thinking', piece)
    if (piece !== '') this.#hasThought = true
  }

  /** What is thought from here on is apart from what was thought before. */
  newThought(): void {
    if (this.#hasThought) this.#say('thinking', '\n\n')
  }

  call(piece: CallPiece): void {
    const call = this.#callOf(piece) ?? this.#newCall(piece.place)
    // Servers that repeat id and name in every piece mean the same ones.
    call.id ||= piece.id ?? ''
    call.name ||= piece.name ?? ''
    call.input += piece.input ?? ''
    this.#hasNewCalls = true
  }

  /** The input of the call at this place so far. */
  inputAt(place: number): string | undefined {
    return this.#calls.findLast((call) => call.place === place)?.input
  }

  /** Adds the counts that are known to those that were; what is counted twice is the sum so far, so that the most counts. */
  countMost(usage: TokenUsage | undefined): void {
    if (usage === undefined) return
    const all: Record<string, number> = { ...this.usage }
    for (const [name, count] of Object.entries(usage)) all[name] = Math.max(count, all[name] ?? 0)
    this.usage = all
  }

  /** What is new since it was asked last. */
  takeNews(): readonly AnswerNews[] {
    const news = this.#news
    this.#news = []
    if (this.#hasNewCalls) news.push({ kind: 'toolCalls', calls: this.#calls.map(shownCall) })
    this.#hasNewCalls = false
    return news
  }

  #say(kind: 'text' | 'thinking', piece: string): void {
    if (piece === '') return
    const last = this.#news.at(-1)
    if (last?.kind === kind) this.#news[this.#news.length - 1] = { kind, piece: last.piece + piece }
    else this.#news.push({ kind, piece })
  }

  /** Some servers number no call, or all alike: another id is another call. */
  #callOf({ place, id }: CallPiece): DraftCall | undefined {
    const call = place === undefined ? this.#calls.at(-1) : this.#calls.findLast((known) => known.place === place)
    if (!id || !call?.id || call.id === id) return call
    return this.#calls.find((known) => known.id === id && known.place === place)
  }

  #newCall(place: number | undefined): DraftCall {
    const call = { place, id: '', name: '', input: '' }
    this.#calls.push(call)
    return call
  }
}

const shownCall = ({ id, name, input }: DraftCall): PlaygroundToolCall => ({ id, name, input })
