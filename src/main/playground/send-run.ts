import type {
  PlaygroundAnswer,
  PlaygroundProgress,
  PlaygroundRun,
  PlaygroundToolCall,
  PlaygroundWire,
} from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError, type Failure } from '@shared/failure'
import { withoutThinkTags } from '@shared/playground'
import { isSecretHeader, type Secret } from '../core/secret'
import { explainNetworkError, explainStatus, findLateErrorStatus } from '../gateway/explain'
import type { ResponseDelta, ResponseFacts, ResponseReader } from '../gateway/model-requests'
import { maxResponseBytes } from '../gateway/response-reader'
import { readBody, readRequestId } from '../gateway/server-message'
import { type ErrorResponse, explainConnectionFailure, explainRefusal } from '../platform/explain'
import { type KeptRun, shortenMiddle } from './store/store'
import type { OpenTarget, TargetAnswer } from './targets'

interface RunRequest {
  readonly target: OpenTarget
  readonly body: string
  readonly reader: () => ResponseReader
  readonly signal: AbortSignal
  readonly onNews: () => void
}

export interface RunOutcome {
  readonly end: RunResult
  readonly facts: Partial<ResponseFacts>
}

const MAX_REFUSAL_BYTES = 256_000
/** Timeout before the response and between its chunks. Large models are loaded and long prompts read in this time. */
const silenceTimeoutMs = 5 * minuteMs

/** Sends the request of a run and reads the streamed response with backpressure. Never rejects. */
export async function streamRun(live: LiveRun, question: RunRequest): Promise<RunOutcome> {
  const silence = new AbortController()
  const stopSilent = () => silence.abort(new DOMException('Silence.', 'TimeoutError'))
  const timer = setTimeout(stopSilent, silenceTimeoutMs)
  const signal = AbortSignal.any([question.signal, silence.signal])
  let reader: ResponseReader | undefined
  try {
    const response = await question.target.post(question.body, signal)
    timer.refresh()
    const responseFailure = await checkResponseHead(live, question, response)
    if (responseFailure !== undefined) return { end: { state: 'failed', failure: responseFailure }, facts: {} }
    reader = question.reader()
    let length = 0
    for await (const bytes of response.answer.body ?? []) {
      timer.refresh()
      length += bytes.length
      if (length > maxResponseBytes)
        throw new AppError('net.tooLong', 'The response is longer than 64 MB, so the rest was not read.')
      live.wire.add(bytes)
      live.take(reader.feed(bytes))
      question.onNews()
    }
    live.take(reader.end())
    return { end: toRunEnd(live, question, reader.facts()), facts: reader.facts() }
  } catch (error) {
    if (reader) live.take(reader.end())
    const responseDetails = reader?.facts() ?? {}
    return { end: toBrokenRunEnd(live, question, signal.reason ?? error, responseDetails), facts: responseDetails }
  } finally {
    clearTimeout(timer)
    live.endAnswer()
  }
}

/** Handles the response's status and headers. Explains an error response. */
async function checkResponseHead(
  live: LiveRun,
  { target }: RunRequest,
  response: TargetAnswer,
): Promise<Failure | undefined> {
  const { status, headers, body } = response.answer
  const { requestId } = readRequestId(headers, target.secrets())
  live.wire.begin(response)
  live.run = { ...live.run, status, ...(requestId !== undefined && { requestId }) }
  if (status >= 200 && status < 300) return undefined
  const { text, isTooLong } = await readBody(body, MAX_REFUSAL_BYTES)
  live.wire.add(new TextEncoder().encode(text))
  const [retryAfter, location] = [headers.get('retry-after'), headers.get('location')]
  return explainRunRefusal({ status, body: text, isTooLong, retryAfter, location, requestId }, target)
}

function toRunEnd(live: LiveRun, { target }: RunRequest, { isWhole, lateError }: ResponseFacts): RunResult {
  const state = live.hasAnswer ? 'cut' : 'failed'
  const { status = 0, requestId } = live.run
  if (lateError !== undefined) {
    const lateStatus = findLateErrorStatus(lateError, target.secrets())
    return { state, failure: explainRunRefusal({ status: lateStatus, body: lateError, requestId }, target) }
  }
  if (isWhole) return { state: 'done' }
  const { answerBody, isEventStream } = live.wire.view()
  // An empty body or event stream was interrupted. Any other body does not match the API standard.
  if (!live.hasAnswer && !isEventStream && answerBody !== '')
    return { state, failure: explainRunRefusal({ status, body: answerBody, requestId }, target) }
  const cutOff = Object.assign(new Error('The response was interrupted.'), { code: 'ECONNRESET' })
  return { state, failure: explainBrokenRun(cutOff, target) }
}

function toBrokenRunEnd(
  live: LiveRun,
  { target, signal }: RunRequest,
  error: unknown,
  { isWhole }: Partial<ResponseFacts>,
): RunResult {
  if (signal.aborted) return { state: signal.reason === appQuitReason ? 'cut' : 'stopped' }
  // Some servers close the connection abruptly after the complete response.
  if (isWhole) return { state: 'done' }
  const failure = error instanceof AppError ? error.failure : explainBrokenRun(error, target)
  return { state: live.hasAnswer ? 'cut' : 'failed', failure }
}

/** Abort reason when the app quits, to distinguish this from a stop by the user. */
export const appQuitReason = Symbol('the app ends')

type RunRefusal = Pick<ErrorResponse, 'status' | 'body'> &
  Partial<Pick<ErrorResponse, 'isTooLong' | 'retryAfter' | 'location'>> & { readonly requestId: string | undefined }

/** Cause and fix of an error response, by the table of the gateway, the platform or local servers. */
function explainRunRefusal(refusal: RunRefusal, open: OpenTarget): Failure {
  const { target, standard, requestAddress } = open
  const { requestId, ...rest } = { isTooLong: false, retryAfter: null, location: null, ...refusal }
  const details = { ...rest, secrets: open.secrets(), ...(requestId !== undefined && { requestId }) }
  if (target.kind === 'plan') {
    const statusFailure = explainStatus({ ...details, standard, requestAddress, model: target.modelCode })
    return open.explain?.(statusFailure) ?? statusFailure
  }
  const failure = explainRefusal({ ...details, address: requestAddress, nowMs: Date.now() })
  if (target.kind === 'platform' || ![401, 403].includes(refusal.status)) return failure
  const message = `${new URL(requestAddress).origin} requires a key (${refusal.status}). The playground sends no key to a local address. Allow requests without a key there.`
  return { ...failure, message }
}

function explainBrokenRun(error: unknown, { target, requestAddress }: OpenTarget): Failure {
  return target.kind === 'plan'
    ? explainNetworkError(error, requestAddress)
    : explainConnectionFailure(error, requestAddress)
}

/** Maximum length of a body in the inspector, in characters. */
const maxBodyLength = 2_000_000

/** Removes secrets from a streamed text. Holds back a possible start of a secret until more arrives. */
class Screen {
  #held = ''

  constructor(private readonly secrets: () => readonly Secret[]) {}

  /** Adds a piece and returns the text that is safe to show. */
  pass(addedText: string): string {
    const secrets = this.secrets()
    if (secrets.length === 0) return addedText
    const text = maskSecrets(this.#held + addedText, secrets)
    const withheldLength = Math.max(...secrets.map((secret) => secret.countPrefixAtEnd(text)))
    const end = text.length - withheldLength
    this.#held = text.slice(end)
    return text.slice(0, end)
  }

  /** Returns the text that was held back until the end. */
  rest(): string {
    const text = this.#held
    this.#held = ''
    return text
  }
}

/** Request and response for the inspector, without secrets and with long texts shortened. */
class ExchangeRecorder {
  requestBody = ''
  readonly #screen: Screen
  readonly #decoder = new TextDecoder()
  #body = ''
  #head: Pick<PlaygroundWire, 'status' | 'requestHeaders' | 'answerHeaders' | 'isEventStream'> = {
    requestHeaders: [],
    answerHeaders: [],
    isEventStream: false,
  }

  constructor(
    private readonly requestAddress: string,
    private readonly secrets: () => readonly Secret[],
  ) {
    this.#screen = new Screen(secrets)
  }

  begin({ answer: { status, headers }, requestHeaders }: TargetAnswer): void {
    const maskHeader = ([name, value]: readonly [string, string]): [string, string] => [
      name,
      isSecretHeader(name) ? '[hidden]' : maskSecrets(value, this.secrets()),
    ]
    this.#head = {
      status,
      requestHeaders: requestHeaders.map(([name, value]) => [name, value]),
      answerHeaders: [...(headers.entries?.() ?? [])].map(maskHeader),
      isEventStream: /^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? ''),
    }
  }

  add(bytes: Uint8Array): void {
    this.#body += this.#screen.pass(this.#decoder.decode(bytes, { stream: true }))
  }

  end(): void {
    this.#body += this.#screen.pass(this.#decoder.decode()) + this.#screen.rest()
  }

  view(): PlaygroundWire {
    return {
      method: 'POST',
      requestAddress: this.requestAddress,
      requestBody: shortenMiddle(this.requestBody, maxBodyLength),
      ...this.#head,
      answerBody: shortenMiddle(this.#body, maxBodyLength),
      isShortened: Math.max(this.requestBody.length, this.#body.length) > maxBodyLength,
    }
  }
}

const maskSecrets = (text: string, secrets: readonly Secret[]): string =>
  secrets.reduce((maskedText, secret) => secret.hideIn(maskedText), text)

interface RunResult {
  readonly state: 'done' | 'stopped' | 'cut' | 'failed'
  readonly failure?: PlaygroundRun['failure']
  readonly otherModels?: PlaygroundRun['otherModels']
}

/** An active run and its response so far. */
export class LiveRun {
  text = ''
  thinking = ''
  toolCalls: readonly PlaygroundToolCall[] | undefined
  readonly wire: ExchangeRecorder
  /** Whether the run has changed since it was last saved. */
  isUnsaved = false
  readonly #screens: { readonly text: Screen; readonly thinking: Screen }
  #startedAt = performance.now()
  #lastPieceAt: number | undefined
  /** Lengths, tool calls and run at the last progress. */
  #reported: Pick<LiveRun, 'toolCalls'> & {
    readonly text: number
    readonly thinking: number
    readonly run?: PlaygroundRun
  } = { text: 0, thinking: 0, toolCalls: undefined }

  constructor(
    public run: PlaygroundRun,
    private readonly target: OpenTarget,
  ) {
    const secrets = () => target.secrets()
    this.#screens = { text: new Screen(secrets), thinking: new Screen(secrets) }
    this.wire = new ExchangeRecorder(target.requestAddress, secrets)
  }

  /** Records the start time of the run. `body` is the request body as displayed. */
  begin(body: string): void {
    this.#startedAt = performance.now()
    this.wire.requestBody = body
    this.run = { ...this.run, state: 'running', startedAt: new Date().toISOString() }
  }

  take(news: readonly ResponseDelta[]): void {
    if (news.length === 0) return
    this.#lastPieceAt = performance.now()
    if (this.run.firstTokenMs === undefined)
      this.run = { ...this.run, firstTokenMs: this.#sinceStart(this.#lastPieceAt) }
    for (const delta of news) this.#takeOne(delta)
    this.isUnsaved = true
  }

  /** Flushes the held-back text. */
  endAnswer(): void {
    this.wire.end()
    this.text += this.#screens.text.rest()
    this.thinking += this.#screens.thinking.rest()
  }

  end(
    { state, failure, otherModels }: RunResult,
    { usage, reasoningTokens, finishReason }: Partial<ResponseFacts>,
  ): void {
    this.run = {
      ...this.run,
      state,
      durationMs: this.#sinceStart(performance.now()),
      ...usage,
      ...(reasoningTokens ? { reasoningTokens } : {}),
      ...this.#speed(usage?.outputTokens),
      ...(finishReason !== undefined && { finishReason: this.#mask(finishReason).slice(0, 200) }),
      ...(failure && { failure }),
      ...(otherModels && { otherModels }),
    }
  }

  get hasAnswer(): boolean {
    return this.text !== '' || this.thinking !== '' || this.toolCalls !== undefined
  }

  answer(): PlaygroundAnswer {
    const { text, thinking, toolCalls } = this
    return { text, ...(thinking !== '' && { thinking }), ...(toolCalls && { toolCalls: [...toolCalls] }) }
  }

  kept(): KeptRun {
    if (this.run.durationMs === undefined) return { run: this.run, answer: this.answer() }
    return { run: this.run, answer: withoutThinkTags(this.answer()), wire: this.wire.view() }
  }

  /** Progress since the last call. */
  takeProgress(): PlaygroundProgress {
    const { text, thinking, toolCalls, run } = this
    const reported = this.#reported
    this.#reported = { text: text.length, thinking: thinking.length, toolCalls, run }
    return {
      runId: run.id,
      ...(text.length > reported.text && { text: { at: reported.text, piece: text.slice(reported.text) } }),
      ...(thinking.length > reported.thinking && {
        thinking: { at: reported.thinking, piece: thinking.slice(reported.thinking) },
      }),
      ...(toolCalls && toolCalls !== reported.toolCalls && { toolCalls: [...toolCalls] }),
      ...(run !== reported.run && { run }),
    }
  }

  #takeOne(news: ResponseDelta): void {
    if (news.kind === 'text') this.text += this.#screens.text.pass(news.piece)
    else if (news.kind === 'thinking') this.thinking += this.#screens.thinking.pass(news.piece)
    else {
      const callsBefore = this.toolCalls
      this.toolCalls = news.calls.map(({ id, name, input }, index) => ({
        // A tool result refers to the call by its id, which some servers omit.
        id: id || `call_${index + 1}`,
        name,
        input: this.#mask(input),
        at: callsBefore?.[index]?.at ?? this.text.length,
      }))
    }
  }

  /** Tokens per second between the first and last piece. Undefined for a single piece. */
  #speed(outputTokens: number | undefined): Pick<PlaygroundRun, 'tokensPerSecond'> {
    const { firstTokenMs } = this.run
    if (outputTokens === undefined || firstTokenMs === undefined || this.#lastPieceAt === undefined) return {}
    const spanMs = this.#sinceStart(this.#lastPieceAt) - firstTokenMs
    return spanMs > 0 ? { tokensPerSecond: (outputTokens * 1000) / spanMs } : {}
  }

  #mask(text: string): string {
    return maskSecrets(text, this.target.secrets())
  }

  #sinceStart(timeMs: number): number {
    return Math.max(0, Math.round(timeMs - this.#startedAt))
  }
}
