import type { PlaygroundAnswer, PlaygroundRun, PlaygroundToolCall, PlaygroundWire } from '@shared/contract'
import type { AnswerFacts, AnswerNews } from '../gateway/model-requests'
import type { SendAnswer } from '../net/send'
import type { Secret } from '../secret'
import type { KeptRun } from './ports'
import type { OpenTarget, TargetAnswer } from './targets'

/** Characters of beginning and end that are kept of a long text: two megabytes of plain text together. */
const half = 1_000_000

/** A text that comes in pieces, of which beginning and end are kept. */
class BoundedText {
  #head = ''
  #tail: string[] = []
  #tailLength = 0
  #leftOut = 0

  add(piece: string): void {
    const room = half - this.#head.length
    this.#head += piece.slice(0, room)
    if (piece.length > room) this.#addToTail(piece.slice(room))
  }

  get isShortened(): boolean {
    return this.#leftOut > 0
  }

  /** Beginning and end, with a line between them that says how much was left out. */
  get text(): string {
    const tail = this.#tail.join('')
    return this.isShortened ? `${this.#head}\n… (${this.#leftOut} characters left out) …\n${tail}` : this.#head + tail
  }

  #addToTail(piece: string): void {
    this.#tail.push(piece)
    this.#tailLength += piece.length
    // Whole pieces go, so that a long answer costs no more than its length.
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= half) this.#leaveOut(this.#tail.shift() ?? '')
    const over = this.#tailLength - 2 * half
    if (over > 0) this.#cutFirst(over)
  }

  #cutFirst(length: number): void {
    const first = this.#tail[0] ?? ''
    this.#tail[0] = first.slice(length)
    this.#leaveOut(first.slice(0, length))
  }

  #leaveOut(text: string): void {
    this.#leftOut += text.length
    this.#tailLength -= text.length
  }
}

/** A text of which beginning and end are kept. */
function bounded(text: string): { readonly text: string; readonly isShortened: boolean } {
  const kept = new BoundedText()
  kept.add(text)
  return { text: kept.text, isShortened: kept.isShortened }
}

/** Takes secrets out of a text that comes in pieces. What may be the beginning of one is held back until more has come. */
class Screen {
  readonly #secrets: () => readonly Secret[]
  #held = ''

  constructor(secrets: () => readonly Secret[]) {
    this.#secrets = secrets
  }

  /** What may be shown now. */
  pass(piece: string): string {
    const secrets = this.#secrets()
    if (secrets.length === 0) return piece
    const text = secrets.reduce((left, secret) => secret.hideIn(left), this.#held + piece)
    const held = Math.max(...secrets.map((secret) => secret.beginsAtEndOf(text)))
    const end = text.length - held
    this.#held = text.slice(end)
    return text.slice(0, end)
  }

  /** What was held back, when no more comes. */
  rest(): string {
    const text = this.#held
    this.#held = ''
    return text
  }
}

/** Headers of an answer whose value may let somebody in. */
const SECRET_HEADER = /cookie|authorization|authenticate|token|secret|api-?key/i

/** A request and its answer as they went over the wire, for the inspector: without secrets, long texts by beginning and end. */
class WireRecord {
  readonly #requestAddress: string
  readonly #secrets: () => readonly Secret[]
  readonly #screen: Screen
  readonly #decoder = new TextDecoder()
  readonly #body = new BoundedText()
  #requestBody = bounded('')
  #head: Pick<PlaygroundWire, 'status' | 'requestHeaders' | 'answerHeaders' | 'isEventStream'> = {
    requestHeaders: [],
    answerHeaders: [],
    isEventStream: false,
  }

  constructor(requestAddress: string, secrets: () => readonly Secret[]) {
    this.#requestAddress = requestAddress
    this.#secrets = secrets
    this.#screen = new Screen(secrets)
  }

  request(body: string): void {
    this.#requestBody = bounded(body)
  }

  begin({ answer, requestHeaders }: TargetAnswer): void {
    this.#head = {
      status: answer.status,
      requestHeaders: requestHeaders.map(([name, value]) => [name, value]),
      answerHeaders: this.#headersOf(answer),
      isEventStream: /^\s*text\/event-stream\b/i.test(answer.headers.get('content-type') ?? ''),
    }
  }

  add(bytes: Uint8Array): void {
    this.#body.add(this.#screen.pass(this.#decoder.decode(bytes, { stream: true })))
  }

  end(): void {
    this.#body.add(this.#screen.pass(this.#decoder.decode()) + this.#screen.rest())
  }

  view(): PlaygroundWire {
    const { isShortened, text } = this.#body
    const { text: requestBody, isShortened: isRequestShortened } = this.#requestBody
    return {
      ...{ method: 'POST', requestAddress: this.#requestAddress, requestBody, ...this.#head },
      ...{ answerBody: text, isShortened: isShortened || isRequestShortened },
    }
  }

  #headersOf({ headers }: SendAnswer): [string, string][] {
    const hide = (text: string): string => this.#secrets().reduce((left, secret) => secret.hideIn(left), text)
    const all = [...(headers.entries?.() ?? [])]
    return all.map(([name, value]) => [name, SECRET_HEADER.test(name) ? '[hidden]' : hide(value)])
  }
}

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
