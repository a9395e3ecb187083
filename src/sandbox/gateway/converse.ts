import type { UsageEntry } from '../state/usage'
import { reply } from '../text-model/reply'
import { loadTokenizer, type Tokenizer } from '../text-model/tokenizer'
import { type AdmissionCase, type AdmittedRequest, admitRequest } from './admit-request'
import { countTexts, inputTokensOf } from './input-tokens'
import type { PromptCache } from './prompt-cache'
import { missingMaxTokens, quotaExhausted } from './refusals'
import { type StreamWay, sendFramesUntilCut } from './send-frames'
import type { Completion } from './standard'

/** A served request with the way out for its answer. */
export interface Conversation extends AdmissionCase, StreamWay {
  readonly cache: PromptCache
}

/** Throws 429 when one of the model's two allowances is at zero, tokens first. */
function refuseExhausted({ store }: Conversation, { plan, request: { modelCode } }: AdmittedRequest): void {
  const pool = store.leftOf({ planId: plan.planId, modelCode })
  if (pool === undefined) return
  if (pool.tokens <= 0) throw quotaExhausted(plan, { modelCode, allowance: 'tokens' })
  if (pool.requests <= 0) throw quotaExhausted(plan, { modelCode, allowance: 'requests' })
}

function complete(talk: Conversation, { plan, request }: AdmittedRequest, tokenizer: Tokenizer): Completion {
  const { modelCode, prompt, history, maxTokens, wantsUsage, leadingCount } = request
  const counted = countTexts(tokenizer, request)
  const { text, tokens: outputTokens, isCut } = tokenizer.limit(reply({ modelCode, prompt, history }), maxTokens)
  const owner = `${plan.planId} ${plan.purchasedAt} ${modelCode}`
  const { readTokens, writtenTokens } = talk.cache.use(owner, counted.slice(0, leadingCount))
  return {
    createdMs: talk.store.nowMs(),
    modelCode,
    text,
    isCut,
    wantsUsage,
    inputTokens: inputTokensOf(counted, request),
    outputTokens,
    cacheReadTokens: readTokens,
    cacheWrittenTokens: talk.standard.tellsCacheWrites ? writtenTokens : 0,
  }
}

/** Books a served call. Cached prompt tokens count as cache, not again as input, as in the standard's own usage. */
function book(
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
 * Sends the stream. The request is on the books before the first frame leaves and its tokens before the last, so that whoever has the
 * answer also finds it recorded; one that breaks off is charged for the input and for what was sent until then.
 */
async function sendStream(talk: Conversation, entry: UsageEntry, completion: Completion): Promise<void> {
  const frames = [...talk.standard.stream(completion)]
  talk.progress.isServed = true
  talk.store.book(entry, { requests: 1 })
  talk.outlet.begin('text/event-stream; charset=utf-8')
  const sent = await sendFramesUntilCut(talk, frames)
  const outputTokens = sent === undefined ? completion.outputTokens : (await loadTokenizer()).count(sent)
  book(talk, entry, { completion, outputTokens, requests: 0 })
  if (sent === undefined) talk.outlet.end(frames.at(-1)?.wire ?? '')
}

function sendWhole(talk: Conversation, entry: UsageEntry, completion: Completion): void {
  const answer = talk.standard.answer(completion)
  talk.progress.isServed = true
  book(talk, entry, { completion, outputTokens: completion.outputTokens, requests: 1 })
  talk.outlet.json(200, answer)
}

/** Answers a conversation in its standard. Throws the refusals of `admitRequest`, then 429. */
export async function converse(talk: Conversation): Promise<void> {
  const admitted = await admitRequest(talk)
  if (talk.standard.needsMaxTokens && admitted.request.maxTokens === undefined) throw missingMaxTokens()
  const tokenizer = await loadTokenizer()
  // From here to the booking nothing waits: no other call can take the last request of the pool in between.
  refuseExhausted(talk, admitted)
  const completion = complete(talk, admitted, tokenizer)
  const { plan, key, request } = admitted
  const entry = { atMs: completion.createdMs, planId: plan.planId, keyId: key.keyId, modelCode: request.modelCode }
  if (request.isStream) await sendStream(talk, entry, completion)
  else sendWhole(talk, entry, completion)
}

/** Tells how many input tokens a conversation has; costs nothing, does not touch the allowance and is no request of the usage. */
export async function countTokens(talk: Conversation): Promise<void> {
  const { request } = await admitRequest(talk)
  const inputTokens = inputTokensOf(countTexts(await loadTokenizer(), request), request)
  talk.trace.note({ stream: false })
  talk.progress.isServed = true
  talk.outlet.json(200, { input_tokens: inputTokens })
}
