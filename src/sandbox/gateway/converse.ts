import { ZodError } from 'zod'
import { waitMs } from '../faults'
import { type Exchange, readJson } from '../http/listener'
import type { ResponseWriter } from '../http/response-writer'
import type { RequestTrace } from '../journal'
import { checkAdmission } from '../state/plans'
import type { Store } from '../state/store'
import type { UsageEntry } from '../state/usage'
import type { Key, Plan } from '../state/world'
import { reply } from '../text-model/reply'
import { loadTokenizer, type Tokenizer } from '../text-model/tokenizer'
import {
  type ApiStandard,
  type Completion,
  countInputTokens,
  countTextsTokens,
  createAdmissionError,
  createHttpError,
  createModelNotInPlan,
  invalidBody,
  missingKey,
  type PromptCache,
  quotaExhausted,
  type StreamFrame,
  shortenText,
  type TextRequest,
} from './standard'

/** Progress of a call, needed to record it correctly if it fails. */
interface Progress {
  /** The requested model of the plan, once known. */
  modelCode: string
  /** Whether the call was already recorded as a served request. */
  isServed: boolean
}

export interface Conversation {
  readonly exchange: Exchange
  readonly standard: ApiStandard
  readonly trace: RequestTrace
  readonly store: Store
  /** Key of the request. */
  readonly secret: string | undefined
  readonly progress: Progress
  readonly cache: PromptCache
  readonly outlet: ResponseWriter
  /** Delay between pieces. Shorter for long answers, which take about 3 s at most. */
  readonly paceMs: number
}

function createCompletion(talk: Conversation, { plan, request }: AdmittedRequest, tokenizer: Tokenizer): Completion {
  const { modelCode, maxTokens, wantsUsage, leadingCount } = request
  const promptTokens = countTextsTokens(tokenizer, request)
  const needsCompletionTag = request.texts.some((text) => text.includes('<attempt_completion>'))
  const generatedReply = reply({ ...request, wantsCompletionTag: needsCompletionTag })
  const { text, tokens: textTokens, isCut } = tokenizer.limit(generatedReply.text, maxTokens)
  const otherTokens = [generatedReply.reasoning, generatedReply.toolCall && JSON.stringify(generatedReply.toolCall)]
  const outputTokens = otherTokens.reduce((sum, method) => sum + (method ? tokenizer.count(method) : 0), textTokens)
  const owner = `${plan.planId} ${plan.purchasedAt} ${modelCode}`
  const { readTokens, writtenTokens } = talk.cache.use(owner, promptTokens.slice(0, leadingCount))
  return {
    createdMs: talk.store.nowMs(),
    modelCode,
    text,
    reasoning: generatedReply.reasoning,
    toolCall: generatedReply.toolCall,
    isCut,
    wantsUsage,
    inputTokens: countInputTokens(promptTokens, request),
    outputTokens,
    cacheReadTokens: readTokens,
    cacheWrittenTokens: talk.standard.reportsCacheWrites ? writtenTokens : 0,
  }
}

/** Records the usage of a served call. Cached prompt tokens count only as cache tokens, not as input tokens. */
function recordUsage(
  { store, trace }: Conversation,
  entry: UsageEntry,
  served: { completion: Completion; outputTokens: number; requests: number },
): void {
  const { completion, outputTokens, requests } = served
  const cacheTokens = (completion.cacheReadTokens ?? 0) + (completion.cacheWrittenTokens ?? 0)
  const inputTokens = completion.inputTokens - cacheTokens
  store.book(entry, { inputTokens, outputTokens, cacheTokens, requests, errors: 0 })
  trace.note(cacheTokens === 0 ? { inputTokens, outputTokens } : { inputTokens, outputTokens, cacheTokens })
}

/**
 * Sends the stream. Records the request before the first frame and its tokens before the last, so that a client with
 * the complete answer finds them recorded. An interrupted stream costs its input and the sent output.
 */
async function sendStream(talk: Conversation, entry: UsageEntry, completion: Completion): Promise<void> {
  const frames = [...talk.standard.stream(completion)]
  talk.progress.isServed = true
  talk.store.book(entry, { requests: 1 })
  talk.outlet.begin('text/event-stream; charset=utf-8')
  const sentText = await sendFramesUntilCut(talk, frames)
  const outputTokens = sentText === undefined ? completion.outputTokens : (await loadTokenizer()).count(sentText)
  recordUsage(talk, entry, { completion, outputTokens, requests: 0 })
  if (sentText === undefined) talk.outlet.end(frames.at(-1)?.wire ?? '')
}

/** Serves a conversation in its standard. Throws the errors of `admitRequest`, then 429. */
export async function serveCompletion(talk: Conversation): Promise<void> {
  const admittedRequest = await admitRequest(talk)
  if (talk.standard.needsMaxTokens && admittedRequest.request.maxTokens === undefined)
    throw createHttpError(400, 'invalid_request', 'max_tokens: Field required')
  const tokenizer = await loadTokenizer()
  // Record the usage without an `await` before it, so that no other call can take the last request of the quota.
  const { plan, key, request } = admittedRequest
  const remaining = talk.store.getRemaining({ planId: plan.planId, modelCode: request.modelCode })
  const exhausted = (['tokens', 'requests'] as const).find((allowance) => remaining && remaining[allowance] <= 0)
  if (exhausted) throw quotaExhausted(plan, { modelCode: request.modelCode, allowance: exhausted })
  const completion = createCompletion(talk, admittedRequest, tokenizer)
  const entry = { atMs: completion.createdMs, planId: plan.planId, keyId: key.keyId, modelCode: request.modelCode }
  if (request.isStream) await sendStream(talk, entry, completion)
  else {
    const answer = talk.standard.answer(completion)
    talk.progress.isServed = true
    recordUsage(talk, entry, { completion, outputTokens: completion.outputTokens, requests: 1 })
    talk.outlet.json(200, answer)
  }
}

/** Counts input tokens without charge. Not counted as a request. */
export async function countTokens(talk: Conversation): Promise<void> {
  const { request } = await admitRequest(talk)
  const inputTokens = countInputTokens(countTextsTokens(await loadTokenizer(), request), request)
  talk.trace.note({ stream: false })
  talk.progress.isServed = true
  talk.outlet.json(200, { input_tokens: inputTokens })
}

const bodyLimitBytes = 20 * 1024 * 1024

/** A request that passed all checks except the allowance. */
interface AdmittedRequest {
  readonly plan: Plan
  readonly key: Key
  readonly request: TextRequest
}

/** The key and its active plan. Throws 401, then 402. */
function admitKey({ trace, store, secret }: Conversation): { key: Key; plan: Plan } {
  if (secret === undefined) throw missingKey()
  const admission = checkAdmission(store.world(), store.findKeyId(secret))
  const { key, plan, refusal } = admission
  if (key && plan) trace.note({ keyName: key.name, planName: plan.name })
  if (refusal) throw createAdmissionError(refusal, admission, secret)
  if (key === undefined || plan === undefined) throw missingKey()
  return { key, plan }
}

/**
 * Model named in a body that may be invalid otherwise. A model outside the plan is reported before a malformed body.
 */
function readModelCode(body: unknown): string | undefined {
  const isObject = typeof body === 'object' && body !== null
  const code = isObject && 'model' in body ? body.model : undefined
  return typeof code === 'string' && code !== '' ? code : undefined
}

function parseBody(standard: ApiStandard, body: unknown): TextRequest {
  try {
    return standard.parse(body)
  } catch (error) {
    throw error instanceof ZodError ? invalidBody(error) : error
  }
}

/**
 * Validates key (401), plan (402), content type (415), model (403) and body (400, 413). Throws the first error in this
 * order.
 */
async function admitRequest(talk: Conversation): Promise<AdmittedRequest> {
  const { key, plan } = admitKey(talk)
  const { request: httpRequest } = talk.exchange
  const contentType = httpRequest.headers['content-type']
  if (contentType !== undefined && !/^application\/json\s*(;|$)/i.test(contentType))
    throw createHttpError(
      415,
      'unsupported_content_type',
      `The Content-Type must be "application/json", not "${shortenText(contentType)}".`,
    )
  const body = await readJson(httpRequest, bodyLimitBytes)
  const modelCode = readModelCode(body)
  if (modelCode !== undefined) {
    talk.trace.note({ modelCode })
    if (!plan.models.some((model) => model.modelCode === modelCode)) throw createModelNotInPlan(modelCode, plan)
    talk.progress.modelCode = modelCode
  }
  const request = parseBody(talk.standard, body)
  talk.trace.note({ stream: request.isStream })
  return { key, plan, request }
}

const maxStreamMs = 3_000

/** Sends all frames except the last. Returns the text sent if the client disconnected, else `undefined`. */
export async function sendFramesUntilCut(
  { outlet, exchange, paceMs: defaultPaceMs }: Pick<Conversation, 'outlet' | 'exchange' | 'paceMs'>,
  frames: readonly StreamFrame[],
): Promise<string | undefined> {
  const paceMs = Math.min(defaultPaceMs, maxStreamMs / frames.length)
  let sentText = ''
  for (const { wire, text } of frames.slice(0, -1)) {
    if (!(await outlet.write(wire))) return sentText
    sentText += text
    if (text !== '') await waitMs(paceMs, exchange.signal)
  }
  return undefined
}
