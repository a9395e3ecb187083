import { pause } from '../faults/misbehave'
import type { Outlet } from '../http/outlet'
import { chargeTokens, takeRequest } from '../state/allowances'
import type { Store } from '../state/store'
import { reply } from '../text-model/reply'
import { loadTokenizer, type Tokenizer } from '../text-model/tokenizer'
import { type AdmissionCase, type AdmittedRequest, admitRequest } from './admit-request'
import { quotaExhausted } from './refusals'
import type { Completion, Frame, TextRequest } from './standard'

const tokensPerMessage = 3
const longestStreamMs = 3_000

/** A served request with the way out for its answer. */
export interface Conversation extends AdmissionCase {
  readonly outlet: Outlet
  /** Time between the pieces of a stream; shorter for long answers, so that none takes more than about 3 s. */
  readonly paceMs: number
}

/** Input tokens: all texts, and a few for the frame of each message. */
function countInput(tokenizer: Tokenizer, { texts, messageCount }: TextRequest): number {
  return texts.reduce((sum, text) => sum + tokenizer.count(text), tokensPerMessage * (messageCount + 1))
}

function takeFromAllowance(store: Store, { plan, pool }: AdmittedRequest): void {
  const taken = takeRequest(store.world(), pool)
  if (typeof taken === 'string') throw quotaExhausted(plan, { modelCode: pool.modelCode, allowance: taken })
  store.replace(taken)
}

function complete(tokenizer: Tokenizer, request: TextRequest, createdMs: number): Completion {
  const { modelCode, prompt, maxTokens, wantsUsage } = request
  const { text, tokens, isCut } = tokenizer.limit(reply({ modelCode, prompt }), maxTokens)
  return {
    createdMs,
    modelCode,
    text,
    isCut,
    wantsUsage,
    inputTokens: countInput(tokenizer, request),
    outputTokens: tokens,
  }
}

function book(
  { store, trace }: Conversation,
  { pool }: AdmittedRequest,
  tokens: { input: number; output: number },
): void {
  store.replace(chargeTokens(store.world(), pool, tokens.input + tokens.output))
  trace.note({ inputTokens: tokens.input, outputTokens: tokens.output })
}

/** Sends all frames but the last; gives the text that was sent when the rest need not be, else `undefined`. */
async function sendUntilCut(talk: Conversation, frames: readonly Frame[]): Promise<string | undefined> {
  const paceMs = Math.min(talk.paceMs, longestStreamMs / frames.length)
  let sent = ''
  for (const { wire, text } of frames) {
    if (!(await talk.outlet.write(wire))) return sent
    sent += text
    if (text !== '') await pause(paceMs, talk.exchange.signal)
  }
  return undefined
}

/**
 * Sends the stream. It is on the books before its last frame leaves, so that whoever has the answer also finds it recorded; one that
 * breaks off is charged for the input and for what was sent until then.
 */
async function sendStream(talk: Conversation, admitted: AdmittedRequest, completion: Completion): Promise<void> {
  const { inputTokens: input, outputTokens } = completion
  const frames = [...talk.standard.stream(completion)]
  talk.outlet.begin('text/event-stream; charset=utf-8')
  const sent = await sendUntilCut(talk, frames.slice(0, -1))
  const output = sent === undefined ? outputTokens : (await loadTokenizer()).count(sent)
  book(talk, admitted, { input, output })
  if (sent === undefined) talk.outlet.end(frames.at(-1)?.wire ?? '')
}

/** Answers a conversation in its standard. Throws the refusals of `admitRequest`, then 429. */
export async function converse(talk: Conversation): Promise<void> {
  const admitted = await admitRequest(talk)
  const tokenizer = await loadTokenizer()
  takeFromAllowance(talk.store, admitted)
  const completion = complete(tokenizer, admitted.request, talk.store.nowMs())
  if (admitted.request.isStream) return sendStream(talk, admitted, completion)
  book(talk, admitted, { input: completion.inputTokens, output: completion.outputTokens })
  talk.outlet.json(200, talk.standard.answer(completion))
}

/** Tells how many input tokens a conversation has; costs nothing and does not touch the allowance. */
export async function countTokens(talk: Conversation): Promise<void> {
  const { request } = await admitRequest(talk)
  const inputTokens = countInput(await loadTokenizer(), request)
  talk.trace.note({ stream: false })
  talk.outlet.json(200, { input_tokens: inputTokens })
}
