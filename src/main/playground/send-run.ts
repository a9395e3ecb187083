import { AppError, type Failure } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { explainNetworkError, explainStatus } from '../gateway/explain'
import { type AnswerFacts, type AnswerReader, LONGEST_ANSWER_BYTES } from '../gateway/model-requests'
import { readBody, readServerMessage } from '../gateway/server-message'
import { explainBroken, explainRefusal } from '../platform/explain'
import { redact } from '../secret'
import type { LiveRun, RunEnd } from './live-run'
import type { OpenTarget, TargetAnswer } from './targets'

/** One request of a run. */
interface RunQuestion {
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

/** An answer that is not what was asked for. */
interface RunRefusal {
  readonly status: number
  readonly body: string
  readonly isTooLong: boolean
  readonly retryAfter: string | null
  readonly location: string | null
  readonly requestId?: string | undefined
}

/** The cause and the remedy behind an answer, as everywhere: a gateway's by its table, the platform's and a local server's by theirs. */
function explainRunRefusal(refusal: RunRefusal, open: OpenTarget): Failure {
  const { target, standard, requestAddress } = open
  const { requestId, ...rest } = refusal
  const told = { ...rest, secrets: open.secrets(), ...(requestId === undefined ? {} : { requestId }) }
  if (target.kind === 'plan') {
    const refused = explainStatus({ ...told, standard, requestAddress, model: target.modelCode })
    return open.explain?.(refused) ?? refused
  }
  const failure = explainRefusal({ ...told, address: requestAddress, now: Date.now() })
  if (target.kind === 'platform' || ![401, 403].includes(refusal.status)) return failure
  const message = `${new URL(requestAddress).origin} wants a key (${refusal.status}). The playground sends none to a local address: let the server take requests without one.`
  return { ...failure, message }
}

/** Why an exchange did not come about or broke off. */
function explainRunBroken(error: unknown, { target, requestAddress }: OpenTarget): Failure {
  return target.kind === 'plan' ? explainNetworkError(error, requestAddress) : explainBroken(error, requestAddress)
}

/** Which status an error would have had that came in a stream, by the marks that both standards put in it; the servers' fault unless it says otherwise. */
const lateStatuses: readonly (readonly [RegExp, number])[] = [
  [/rate_?limit|too_many_requests/i, 429],
  [/authentication|invalid_api_key|invalid_key/i, 401],
  [/billing|plan_expired|plan_deleted/i, 402],
  [/permission|model_not_in_plan/i, 403],
  [/invalid_request|context_length/i, 400],
]

/** An error within a stream, told as its status would have been. */
function explainLateError(body: string, open: OpenTarget, requestId: string | undefined): Failure {
  const { marks, text } = readServerMessage(body, open.secrets())
  const isQuota = /quota|allowance/i.test(`${marks} ${text}`)
  const status = isQuota ? 429 : (lateStatuses.find(([mark]) => mark.test(marks))?.[1] ?? 500)
  return explainRunRefusal({ status, body, isTooLong: false, retryAfter: null, location: null, requestId }, open)
}
