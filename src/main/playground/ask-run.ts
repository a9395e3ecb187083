import { AppError, type Failure } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { readBody } from '../gateway/read-body'
import { type AnswerFacts, type AnswerReader, LONGEST_ANSWER_BYTES } from '../gateway/talk'
import { redact } from '../secret'
import { explainLateError, explainRunBroken, explainRunRefusal } from './explain-run'
import type { LiveRun, RunEnd } from './live-run'
import type { OpenTarget, TargetAnswer } from './targets'

/** One request of a run. */
export interface RunQuestion {
  readonly target: OpenTarget
  readonly body: string
  readonly reader: (contentType: string | null) => AnswerReader
  /** Aborts when the person stops it. */
  readonly signal: AbortSignal
  /** How long the server may say nothing, before its answer and within it. */
  readonly silenceMs: number
  /** Something has come. */
  readonly onNews: () => void
}

/** What came of it, with what the answer said about itself. */
export interface RunOutcome {
  readonly end: RunEnd
  readonly facts: Partial<AnswerFacts>
}

const LONGEST_REFUSAL_BYTES = 256_000

/** Makes the request of a run and reads its answer as it comes; never rejects. Bytes are taken as fast as they are read, no faster. */
export async function askRun(live: LiveRun, question: RunQuestion): Promise<RunOutcome> {
  const silence = watchSilence(question.silenceMs, question.signal)
  let reader: AnswerReader | undefined
  try {
    const answered = await question.target.post(question.body, silence.signal)
    silence.heard()
    const refused = await begin(live, question, answered)
    if (refused !== undefined) return { end: { state: 'failed', failure: refused }, facts: {} }
    reader = question.reader(answered.answer.headers.get('content-type'))
    let length = 0
    for await (const bytes of chunksOf(answered.answer.body)) {
      silence.heard()
      length += bytes.length
      if (length > LONGEST_ANSWER_BYTES) throw tooLong()
      live.wire.add(bytes)
      live.take(reader.feed(bytes))
      question.onNews()
    }
    live.take(reader.end())
    return { end: endOf(live, question, reader.facts()), facts: reader.facts() }
  } catch (error) {
    if (reader) live.take(reader.end())
    const facts = reader?.facts() ?? {}
    return { end: brokenEnd(live, question, { error: silence.signal.reason ?? error, facts }), facts }
  } finally {
    silence.stop()
    live.endAnswer()
  }
}

/** Notes how the answer begins; a refusal is read and explained. */
async function begin(live: LiveRun, { target }: RunQuestion, answered: TargetAnswer): Promise<Failure | undefined> {
  const { status, headers, body } = answered.answer
  const id = headers.get('x-request-id') ?? headers.get('request-id') ?? ''
  const requestId = id === '' ? undefined : cleanName(redact(id, target.secrets()))
  live.wire.begin(answered)
  live.headers(status, requestId)
  if (status >= 200 && status < 300) return undefined
  const { text, isTooLong } = await readBody(body, LONGEST_REFUSAL_BYTES)
  live.wire.add(new TextEncoder().encode(text))
  const more = { retryAfter: headers.get('retry-after'), location: headers.get('location') }
  return explainRunRefusal({ status, body: text, isTooLong, ...more, requestId }, target)
}

function endOf(live: LiveRun, { target }: RunQuestion, { isWhole, lateError }: AnswerFacts): RunEnd {
  if (lateError !== undefined) {
    const failure = explainLateError(lateError, target, live.run.requestId)
    return { state: live.hasAnswer ? 'cut' : 'failed', failure }
  }
  if (isWhole) return { state: 'done' }
  if (live.hasAnswer) return { state: 'cut', failure: cutOff(target) }
  const { answerBody } = live.wire.view()
  const { status = 0, requestId } = live.run
  // An empty answer broke off; any other is not one of this standard.
  if (live.wire.view().isEventStream || answerBody === '') return { state: 'failed', failure: cutOff(target) }
  const shown = { status, body: answerBody, isTooLong: false, retryAfter: null, location: null, requestId }
  return { state: 'failed', failure: explainRunRefusal(shown, target) }
}

interface Broken {
  readonly error: unknown
  readonly facts: Partial<AnswerFacts>
}

function brokenEnd(live: LiveRun, { target, signal }: RunQuestion, { error, facts }: Broken): RunEnd {
  if (signal.aborted) return { state: signal.reason === appEnds ? 'cut' : 'stopped' }
  // Some servers close the connection without ceremony once all is said.
  if (facts.isWhole === true) return { state: 'done' }
  const failure = error instanceof AppError ? error.failure : explainRunBroken(error, target)
  return { state: live.hasAnswer ? 'cut' : 'failed', failure }
}

const tooLong = (): AppError =>
  new AppError('net.tooLong', 'The answer is longer than 64 MB. Reading was stopped there.')

const cutOff = (target: OpenTarget): Failure =>
  explainRunBroken(Object.assign(new Error('The answer broke off.'), { code: 'ECONNRESET' }), target)

/** The reason to abort with when the app ends: such a run is not one that a person stopped. */
export const appEnds = Symbol('the app ends')

/** The bytes of a body as they come; the rest is not fetched when its reader stops. */
async function* chunksOf(body: Response['body']): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

interface Silence {
  readonly signal: AbortSignal
  heard(): void
  stop(): void
}

/** Aborts with a `TimeoutError` after so long a silence, or when the given signal does. */
function watchSilence(ms: number, given: AbortSignal): Silence {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(given.reason)
  const timer = setTimeout(() => controller.abort(new DOMException('Silence.', 'TimeoutError')), ms)
  if (given.aborted) onAbort()
  given.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    heard: () => void timer.refresh(),
    stop: () => {
      clearTimeout(timer)
      given.removeEventListener('abort', onAbort)
    },
  }
}
