import { z } from 'zod'
import {
  applyFault,
  createRouter,
  type Exchange,
  type Fault,
  type Faults,
  type Handler,
  HttpError,
  ownUrl,
  ResponseWriter,
  readJson,
  refuseForeignOrigin,
  waitMs,
} from './http'
import type { Journal, RequestTrace } from './journal'
import {
  type ApiStandard,
  type ApiStandardName,
  type Completion,
  chatCompletions,
  countInput,
  createAdmissionError,
  createModelNotInPlan,
  createPromptCache,
  createUnknownKeyError,
  invalidBody,
  messages,
  newId,
  type PromptCache,
  quotaExhausted,
  readCredential,
  type StreamFrame,
  shortenText,
} from './standards'
import { checkAdmission, findPool, getRemaining } from './state/plans'
import type { Store, UsageEntry } from './state/store'
import { loadTokenizer, reply, type Tokenizer } from './text-model'
import type { Timing } from './timing'

interface Conversation {
  readonly exchange: Exchange
  readonly standard: ApiStandard
  readonly trace: RequestTrace
  readonly store: Store
  /** Key of the request. */
  readonly secret: string | undefined
  /**
   * Needed to record a call that fails: the requested model of the plan, once known, and whether the call was already
   * recorded as a served request.
   */
  readonly progress: { modelCode: string; isServed: boolean }
  readonly cache: PromptCache
  readonly outlet: ResponseWriter
  /** Delay between pieces. Shorter for long answers, which take about 3 s at most. */
  readonly paceMs: number
}

function createCompletion(talk: Conversation, { plan, request }: AdmittedRequest, tokenizer: Tokenizer): Completion {
  const { modelCode, maxTokens, wantsUsage, leadingCount } = request
  const { counts, inputTokens } = countInput(tokenizer, request)
  const wantsCompletionTag = request.texts.some((text) => text.includes('<attempt_completion>'))
  const { text: fullText, reasoning, toolCall } = reply({ ...request, wantsCompletionTag })
  const { text, tokens: textTokens, isCut } = tokenizer.limit(fullText, maxTokens)
  const otherTexts = [reasoning ?? '', toolCall ? JSON.stringify(toolCall) : '']
  const owner = `${plan.planId} ${plan.purchasedAt} ${modelCode}`
  const { readTokens, writtenTokens } = talk.cache.use(owner, counts.slice(0, leadingCount))
  return {
    createdMs: talk.store.nowMs(),
    modelCode,
    text,
    reasoning,
    toolCall,
    isCut,
    wantsUsage,
    inputTokens,
    outputTokens: otherTexts.reduce((sum, otherText) => sum + tokenizer.count(otherText), textTokens),
    cacheReadTokens: readTokens,
    cacheWrittenTokens: talk.standard.name === 'messages' ? writtenTokens : 0,
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

/** Sends the stream. Records the request before the first frame. */
async function sendStream(talk: Conversation, entry: UsageEntry, completion: Completion): Promise<void> {
  const frames = [...talk.standard.stream(completion)]
  talk.progress.isServed = true
  talk.store.book(entry, { requests: 1 })
  await streamFrames(talk, frames, completion.outputTokens, (outputTokens) =>
    recordUsage(talk, entry, { completion, outputTokens, requests: 0 }),
  )
}

/** Serves a conversation in its standard. Throws the errors of `admitRequest`, then 429. */
async function serveCompletion(talk: Conversation): Promise<void> {
  const admittedRequest = await admitRequest(talk)
  const { plan, key, request } = admittedRequest
  const { modelCode, maxTokens, isStream } = request
  if (talk.standard.name === 'messages' && maxTokens === undefined)
    throw new HttpError(400, 'invalid_request', 'max_tokens: Field required')
  const tokenizer = await loadTokenizer()
  // Record the usage without an `await` before it, so that no other call can take the last request of the quota.
  const pool = findPool(talk.store.world(), { planId: plan.planId, modelCode })
  const remaining = pool && getRemaining(pool)
  const exhausted = (['tokens', 'requests'] as const).find((allowance) => remaining && remaining[allowance] <= 0)
  if (exhausted) throw quotaExhausted(plan, modelCode, exhausted)
  const completion = createCompletion(talk, admittedRequest, tokenizer)
  const entry = { atMs: completion.createdMs, planId: plan.planId, keyId: key.keyId, modelCode }
  if (isStream) await sendStream(talk, entry, completion)
  else {
    const answer = talk.standard.answer(completion)
    talk.progress.isServed = true
    recordUsage(talk, entry, { completion, outputTokens: completion.outputTokens, requests: 1 })
    talk.outlet.json(200, answer)
  }
}

/** Counts input tokens without charge. Not counted as a request. */
async function countTokens(talk: Conversation): Promise<void> {
  const { request } = await admitRequest(talk)
  const { inputTokens } = countInput(await loadTokenizer(), request)
  talk.trace.note({ stream: false })
  talk.progress.isServed = true
  talk.outlet.json(200, { input_tokens: inputTokens })
}

const bodyLimitBytes = 20 * 1024 * 1024

/** The key and its active plan. Throws 401, then 402. */
function admitKey({ trace, store, secret }: Conversation) {
  if (secret === undefined) {
    const message = 'No subscription key. Send it as "Authorization: Bearer <key>" or as "x-api-key".'
    throw new HttpError(401, 'missing_key', message)
  }
  const admission = checkAdmission(store.world(), store.findKeyId(secret))
  if (admission === undefined) throw createUnknownKeyError(secret)
  const { key, plan, refusal } = admission
  trace.note({ keyName: key.name, planName: plan.name })
  if (refusal) throw createAdmissionError(refusal, key, plan)
  return { key, plan }
}

/** The model of a body that may be invalid otherwise. A model outside the plan is reported before a malformed body. */
const ModelBody = z.looseObject({ model: z.string().min(1) })

/** A request that passed all checks except the allowance. */
type AdmittedRequest = Awaited<ReturnType<typeof admitRequest>>

/**
 * Validates key (401), plan (402), content type (415), model (403) and body (400, 413). Throws the first error in this
 * order.
 */
async function admitRequest(talk: Conversation) {
  const { key, plan } = admitKey(talk)
  const { request: httpRequest } = talk.exchange
  const contentType = httpRequest.headers['content-type']
  if (contentType !== undefined && !/^application\/json\s*(;|$)/i.test(contentType)) {
    const message = `The Content-Type must be "application/json", not "${shortenText(contentType)}".`
    throw new HttpError(415, 'unsupported_content_type', message)
  }
  const body = await readJson(httpRequest, bodyLimitBytes)
  const modelCode = ModelBody.safeParse(body).data?.model
  if (modelCode !== undefined) {
    talk.trace.note({ modelCode })
    if (!plan.models.some((model) => model.modelCode === modelCode)) throw createModelNotInPlan(modelCode, plan)
    talk.progress.modelCode = modelCode
  }
  const parsedBody = talk.standard.body.safeParse(body)
  if (!parsedBody.success) throw invalidBody(parsedBody.error)
  const request = parsedBody.data
  talk.trace.note({ stream: request.isStream })
  return { key, plan, request }
}

const maxStreamMs = 3_000

/**
 * Streams frames. Records the output tokens before the last frame, so that a client with the complete answer finds them
 * recorded. An interrupted stream costs only the output that was sent.
 */
export async function streamFrames(
  { outlet, exchange, paceMs: defaultPaceMs }: Pick<Conversation, 'outlet' | 'exchange' | 'paceMs'>,
  frames: readonly StreamFrame[],
  outputTokens: number,
  record: (outputTokens: number) => void,
): Promise<void> {
  const paceMs = Math.min(defaultPaceMs, maxStreamMs / frames.length)
  let sentText = ''
  outlet.begin('text/event-stream; charset=utf-8')
  for (const { wire, text } of frames.slice(0, -1)) {
    if (!(await outlet.write(wire))) return record((await loadTokenizer()).count(sentText))
    sentText += text
    if (text !== '') await waitMs(paceMs, exchange.signal)
  }
  record(outputTokens)
  outlet.end(frames.at(-1)?.wire ?? '')
}

/** Parts of the sandbox that all servers share. */
export interface ServerParts {
  readonly store: Store
  readonly faults: Faults
  readonly journal: Journal
  readonly timing: () => Timing
}

const apiStandards: Record<ApiStandardName, ApiStandard> = { 'chat-completions': chatCompletions, messages }

const services = {
  '/v1/chat/completions': { operation: 'gateway.chatCompletions', standard: chatCompletions, serve: serveCompletion },
  '/v1/messages': { operation: 'gateway.messages', standard: messages, serve: serveCompletion },
  '/v1/messages/count_tokens': { operation: 'gateway.countTokens', standard: messages, serve: countTokens },
}

type Service = (typeof services)[keyof typeof services]

const findService = createRouter<Service>(
  Object.entries(services).map(([pattern, handler]) => ({ method: 'POST', pattern, handler })),
)

/** Records a failed call or broken connection as an error of its key. Ignores unknown keys. */
function recordFailure({ store, secret, progress }: Conversation): void {
  const keyId = secret === undefined || progress.isServed ? undefined : store.findKeyId(secret)
  const key = store.world().keys.find((candidate) => candidate.keyId === keyId)
  if (key === undefined) return
  store.book({ ...key, atMs: store.nowMs(), modelCode: progress.modelCode }, { errors: 1 })
}

async function serve(talk: Conversation, service: Service, fault: Fault | undefined): Promise<void> {
  try {
    if (!fault || (await applyFault(fault, talk.exchange))) await service.serve(talk)
    else recordFailure(talk)
  } catch (error) {
    recordFailure(talk)
    throw error
  }
}

/** Gateway of the token plan (spec, "Endpoints", A). It serves three paths and returns 404 for all others. */
export function createGateway({ store, faults, journal, timing }: ServerParts): Handler {
  const cache = createPromptCache()
  return async (exchange) => {
    const { request, response, method, path } = exchange
    const service = findService(method, path)?.handler
    const operation = service?.operation
    const standardName = service?.standard.name ?? guessStandard(path, request.headers)
    const standard = apiStandards[standardName ?? 'chat-completions']
    const at = store.nowIso()
    const trace = journal.open(exchange, { area: 'gateway', at, operation, standard: standardName ?? null })
    const refusal = refuseForeignOrigin(request)
    const fault = refusal || operation === undefined ? undefined : faults.take(operation)
    const outlet = new ResponseWriter(exchange, { fault, beforeLast: () => trace.finish(outlet, fault) })
    const requestId = newId('req_')
    response.setHeader('date', new Date(store.nowMs()).toUTCString()).setHeader(standard.requestIdHeader, requestId)
    const { secret } = readCredential(request.headers)
    const progress = { modelCode: '', isServed: false }
    const talk = { exchange, standard, trace, store, secret, progress, outlet, cache, paceMs: timing().paceMs }
    try {
      if (refusal) throw refusal
      if (!service) {
        // Name the requested path and the correct address, since tools print the message (spec, "Errors", A).
        const buildAdvice = pathAdvice.find(([pattern]) => pattern.test(path))?.[1] ?? buildAddressAdvice
        const message = `You asked for ${method} ${path.slice(0, 200)}; ${buildAdvice(ownUrl(request))}`
        throw new HttpError(404, 'not_found', message)
      }
      await serve(talk, service, fault)
    } catch (error) {
      outlet.error(error, ({ status, code, message }) => {
        trace.note({ error: code })
        return standard.error({ status, code, message, requestId })
      })
    }
    trace.finish(outlet, fault)
  }
}

type AdviceBuilder = (gatewayUrl: string) => string

/** Error details for unknown paths. The first match wins. */
const pathAdvice: readonly (readonly [RegExp, AdviceBuilder])[] = [
  [/^\/v1\/(?:chat\/completions|messages(?:\/count_tokens)?)$/, () => 'this path takes POST requests'],
  [
    /\/v1\/v1\/chat\/completions\/?$/,
    (url) => `for this standard set the base address to ${url}/v1, or to ${url} if the tool adds /v1 itself`,
  ],
  [/\/chat\/completions\/?$/, (url) => `for this standard set the base address to ${url}/v1`],
  [/\/v1\/messages(?:\/count_tokens)?\/?$/, (url) => `for this standard set the base address to ${url}`],
  [/\/messages(?:\/count_tokens)?\/?$/, (url) => `this tool adds only /messages, so set its base address to ${url}/v1`],
  [/\/responses\/?$/, (url) => `the Responses API is not served; use chat-completions with the base address ${url}/v1`],
  [/\/embeddings\/?$/, () => 'the gateway of a plan serves no embeddings; the inference API of the platform does'],
  [/\/models\/?$/, () => 'there is no model list; name a model code of the plan'],
]

const buildAddressAdvice: AdviceBuilder = (url) =>
  `set the base address to ${url}/v1 for a chat-completions tool, or to ${url} for a tool of the messages standard`

/** Guesses the standard of a request to an unknown path. */
function guessStandard(path: string, headers: NodeJS.Dict<string | string[]>): ApiStandardName | undefined {
  if (/\/messages(\/|$)/.test(path) || headers['anthropic-version'] !== undefined) return 'messages'
  return /\/(chat\/)?completions\/?$/.test(path) ? 'chat-completions' : undefined
}
