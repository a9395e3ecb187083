import type { PlaygroundAnswer, PlaygroundRun, PlaygroundToolCall } from '@shared/contract'
import type { AnswerFacts, AnswerNews } from '../gateway/talk'
import type { KeptRun } from './ports'
import { Screen } from './screen'
import type { OpenTarget } from './targets'
import { WireRecord } from './wire-record'

/** How a run ended. */
export interface RunEnd {
  readonly state: 'done' | 'stopped' | 'cut' | 'failed'
  readonly failure?: PlaygroundRun['failure']
  readonly otherModels?: PlaygroundRun['otherModels']
}

/** A run under way and what has come of its answer so far. Times by `now`, in ms. */
export class LiveRun {
  run: PlaygroundRun
  text = ''
  thinking = ''
  toolCalls: readonly PlaygroundToolCall[] | undefined
  readonly wire: WireRecord
  /** Whether something came that the store does not have yet. */
  isUnsaved = false
  /** Whether its request went out. */
  hasBegun = false
  readonly #target: OpenTarget
  readonly #now: () => number
  readonly #screens: { readonly text: Screen; readonly thinking: Screen }
  #startedAt: number
  #lastPieceAt: number | undefined

  constructor(run: PlaygroundRun, target: OpenTarget, now: () => number) {
    this.run = run
    this.#target = target
    this.#now = now
    this.#startedAt = now()
    const secrets = (): ReturnType<OpenTarget['secrets']> => target.secrets()
    this.#screens = { text: new Screen(secrets), thinking: new Screen(secrets) }
    this.wire = new WireRecord(target.requestAddress, secrets)
  }

  /** The request goes out; the time runs from here on. `body` is as it may be shown. */
  begin(startedAt: Date, body: string): void {
    this.#startedAt = this.#now()
    this.hasBegun = true
    this.wire.request(body)
    this.run = { ...this.run, state: 'running', startedAt: startedAt.toISOString() }
  }

  headers(status: number, requestId: string | undefined): void {
    this.run = { ...this.run, status, ...(requestId === undefined ? {} : { requestId }) }
  }

  take(news: readonly AnswerNews[]): void {
    if (news.length === 0) return
    this.#lastPieceAt = this.#now()
    if (this.run.firstTokenMs === undefined)
      this.run = { ...this.run, firstTokenMs: this.#sinceStart(this.#lastPieceAt) }
    for (const one of news) this.#takeOne(one)
    this.isUnsaved = true
  }

  /** Takes what was held back. */
  endAnswer(): void {
    this.wire.end()
    this.text += this.#screens.text.rest()
    this.thinking += this.#screens.thinking.rest()
  }

  end({ state, failure, otherModels }: RunEnd, { usage, finishReason }: Partial<AnswerFacts>): void {
    this.run = {
      ...this.run,
      state,
      durationMs: this.#sinceStart(this.#now()),
      ...(usage ?? {}),
      ...this.#speed(usage?.outputTokens),
      ...(finishReason === undefined ? {} : { finishReason: this.#hide(finishReason).slice(0, 200) }),
      ...(failure === undefined ? {} : { failure }),
      ...(otherModels === undefined ? {} : { otherModels }),
    }
  }

  /** Whether anything of an answer came. */
  get hasAnswer(): boolean {
    return this.text !== '' || this.thinking !== '' || this.toolCalls !== undefined
  }

  answer(): PlaygroundAnswer {
    const { text, thinking, toolCalls } = this
    return {
      text,
      ...(thinking === '' ? {} : { thinking }),
      ...(toolCalls === undefined ? {} : { toolCalls: [...toolCalls] }),
    }
  }

  kept(): KeptRun {
    const isOver = this.run.durationMs !== undefined
    return { run: this.run, answer: this.answer(), ...(isOver ? { wire: this.wire.view() } : {}) }
  }

  #takeOne(news: AnswerNews): void {
    if (news.kind === 'text') this.text += this.#screens.text.pass(news.piece)
    else if (news.kind === 'thinking') this.thinking += this.#screens.thinking.pass(news.piece)
    else this.toolCalls = news.calls.map(({ id, name, input }) => ({ id, name, input: this.#hide(input) }))
  }

  /** Tokens by the time between the first piece and the last; one piece alone has no speed. */
  #speed(outputTokens: number | undefined): Pick<PlaygroundRun, 'tokensPerSecond'> {
    const { firstTokenMs } = this.run
    if (outputTokens === undefined || firstTokenMs === undefined || this.#lastPieceAt === undefined) return {}
    const spanMs = this.#sinceStart(this.#lastPieceAt) - firstTokenMs
    return spanMs > 0 ? { tokensPerSecond: (outputTokens * 1000) / spanMs } : {}
  }

  #hide(text: string): string {
    return this.#target.secrets().reduce((left, secret) => secret.hideIn(left), text)
  }

  #sinceStart(at: number): number {
    return Math.max(0, Math.round(at - this.#startedAt))
  }
}
