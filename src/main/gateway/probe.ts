import type { ApiStandard, CheckView } from '@shared/contract/common'
import type { ModelFacts } from '@shared/contract/plans'
import { AppError, err, type Failure, type FailureCode, ok, type Result } from '@shared/failure'
import { z } from 'zod'
import {
  printableAddress,
  refuseRequestAddress,
  requestAddress,
  requestAddressFor,
  requestSuffix,
} from '../core/net/address'
import { sleepMs, startDeadline } from '../core/net/deadline'
import type { HttpAnswer, Send } from '../core/net/send'
import type { Clock } from '../core/ports'
import { redact, type Secret } from '../core/secret'
import { explainNetworkError, explainStatus } from './explain'
import { readModelFacts } from './model-facts'
import { findRefusedField, RefusedFields, withoutFields } from './refused-fields'
import { parseExternalJson, readBody, readRequestId } from './server-message'
import { chatCompletions, checkModel, messages, ownHeaders, type ProbeProtocol, responses } from './standards'
import type { TokenUsage } from './usage'

/** A test of the gateway root in `url`, or of the base URL in `base` that a tool's file contains. */
export interface GatewayProbeRequest {
  readonly url?: string
  /** Base URL that replaces `url`. Check it with `sameOrigin` first, because the key is sent to it. */
  readonly base?: string
  /** Full request URL that replaces `url` and `base`, for tools that append a custom path. */
  readonly requestAddress?: string | undefined
  readonly standard: ApiStandard
  readonly key: Secret
  /** Without a model code, only key and plan are verified. */
  readonly modelCode?: string | undefined
  /** Certificate file of a plan that is not saved yet. */
  readonly caFile?: string | undefined
  /** Timeout of the whole exchange in ms. Default 30,000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export type GatewayCheck = (question: GatewayProbeRequest) => Promise<CheckView>

const MAX_BODY_BYTES = 256_000
const DEFAULT_TIMEOUT_MS = 30_000

/** Selects the protocol. A suffix `/responses` overrides the standard. */
const getProtocol = (request: GatewayProbeRequest): ProbeProtocol =>
  toRequestAddress(request).endsWith('/responses')
    ? responses
    : { 'chat-completions': chatCompletions, messages }[request.standard]

/**
 * Sends one minimal request without retries or redirects and explains the response. Its texts come from the server,
 * with secrets removed. A 403 without a known model passes, because the spec checks 401 and 402 first. Never rejects.
 */
export async function probe(request: GatewayProbeRequest, send: Send, clock: Clock): Promise<CheckView> {
  const { standard, modelCode, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = request
  const model = modelCode ?? checkModel
  const startedAt = performance.now()
  const address = toRequestAddress(request)
  const describeRequest = () => ({
    at: clock().toISOString(),
    standard,
    requestAddress: printableAddress(address),
    durationMs: Math.round(performance.now() - startedAt),
    modelCode,
  })
  const addressFailure = refuseRequestAddress(address)
  if (addressFailure !== undefined) return { ok: false, ...describeRequest(), failure: addressFailure }

  const deadline = startDeadline({ timeoutMs, signal, sleep: sleepMs })
  try {
    const gateway = new URL(address).origin
    const protocol = getProtocol(request)
    let body = withoutFields(protocol.smallestRequest(model), refusedFields.list(gateway, model))
    const headers = { ...protocol.headers, ...keyHeader(request.key) }
    const sendRequest = () =>
      send({ method: 'POST', url: address, headers, body: JSON.stringify(body), signal: deadline.signal })
    let response = await sendRequest()
    let content = await readBody(response.body, MAX_BODY_BYTES)
    const field = findRefusedField({ status: response.status, error: content.text, request: body })
    if (field !== undefined) {
      body = withoutFields(body, [field])
      response = await sendRequest()
      content = await readBody(response.body, MAX_BODY_BYTES)
      if (isSuccess(response.status)) refusedFields.add(gateway, model, field)
    }
    const result = readResponse(response, content, { ...request, model }, address)
    if (result.ok) {
      const { text, usage, requestId } = result.value
      const { inputTokens, outputTokens } = usage ?? {}
      return { ok: true, ...describeRequest(), answer: text.slice(0, 300), inputTokens, outputTokens, requestId }
    }
    if (!modelCode && result.error.code === 'gateway.modelNotInPlan') return { ok: true, ...describeRequest() }
    return { ok: false, ...describeRequest(), status: response.status, failure: result.error }
  } catch (error) {
    return { ok: false, ...describeRequest(), failure: toFailure(error, address) }
  } finally {
    deadline.stop()
  }
}

function toRequestAddress({ url = '', base, standard, requestAddress: fullAddress }: GatewayProbeRequest): string {
  if (fullAddress !== undefined) return fullAddress
  return base === undefined ? requestAddressFor(url, standard) : requestAddress(base, requestSuffix(standard))
}

/** Suffix that the tool appends to its base, if both are known. */
function toSuffix({ base, requestAddress: fullAddress, standard }: GatewayProbeRequest): string {
  const root = base?.replace(/\/+$/, '') ?? ''
  return root !== '' && fullAddress?.startsWith(root) ? fullAddress.slice(root.length) : requestSuffix(standard)
}

/** Authorization header. Used only by the code in src/main/gateway. */
function keyHeader(key: Secret): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key.expose()}` }
}

/** An `AppError` has its own explanation. All other errors are connection errors. */
const toFailure = (error: unknown, address: string): Failure =>
  error instanceof AppError ? error.failure : explainNetworkError(error, address)

const refusedFields = new RefusedFields()

/** Parses the response or explains it. Throws if a successful response is truncated. */
function readResponse(
  { status, headers }: HttpAnswer,
  { text, isTooLong, error }: Awaited<ReturnType<typeof readBody>>,
  request: GatewayProbeRequest & { readonly model: string },
  address: string,
): Result<{ readonly text: string; readonly usage?: TokenUsage; readonly requestId?: string }, Failure> {
  const { standard, key, model } = request
  const isOk = isSuccess(status)
  // The status explains a rejected request even if its body is truncated.
  if (error !== undefined && isOk) throw error
  const requestIdField = readRequestId(headers, [key])
  const answer = isOk ? getProtocol(request).readAnswer(parseExternalJson(text)) : undefined
  if (answer !== undefined) return ok({ ...answer, text: redact(answer.text, [key]), ...requestIdField })
  return err(
    explainStatus({
      status,
      body: text,
      isTooLong,
      standard,
      model,
      requestAddress: address,
      suffix: toSuffix(request),
      secrets: [key],
      ...requestIdField,
      retryAfter: headers.get('retry-after'),
      location: headers.get('location'),
    }),
  )
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Request for the model list of a key. `url` is the gateway root. `timeoutMs` defaults to 30,000. */
type ModelsQuestion = {
  readonly url: string
  /** Absent for a server without keys. */
  readonly key?: Secret | undefined
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Result of a model list request. `unknown`: there is no usable list, so the key is not verified either. */
type ModelList =
  | { readonly kind: 'listed'; readonly models: readonly string[]; readonly facts: readonly ModelFacts[] }
  | { readonly kind: 'unknown'; readonly facts?: readonly ModelFacts[] | undefined }
  | { readonly kind: 'refused'; readonly failure: Failure }

export type ListModels = (question: ModelsQuestion) => Promise<ModelList>

const MAX_LIST_BYTES = 1_000_000

/** Failures that are caused by the key or gateway, not by a missing model list. */
const conclusiveCodes: readonly FailureCode[] = ['gateway.keyRejected', 'gateway.planExpired', 'gateway.serverError']

const Models = z.looseObject({
  data: z
    .array(z.looseObject({ id: z.string() }))
    .min(1)
    .max(10_000),
  has_more: z.boolean().nullish(),
})

/** Models of a key by `GET {url}/v1/models`. Not in the spec, but supported by most gateways. Never rejects. */
export async function listModels(question: ModelsQuestion, send: Send): Promise<ModelList> {
  const address = requestAddress(question.url, '/v1/models')
  const failure = refuseRequestAddress(address)
  if (failure !== undefined) return { kind: 'refused', failure }
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = question
  const deadline = startDeadline({ timeoutMs, signal, sleep: sleepMs })
  try {
    const headers = { 'user-agent': ownHeaders['user-agent'], ...(question.key && keyHeader(question.key)) }
    const response = await send({ method: 'GET', url: address, headers, signal: deadline.signal })
    return await parseModelList(response, question.key, address)
  } catch (error) {
    return { kind: 'refused', failure: toFailure(error, address) }
  } finally {
    deadline.stop()
  }
}

async function parseModelList(
  { status, body }: HttpAnswer,
  key: Secret | undefined,
  address: string,
): Promise<ModelList> {
  const { text } = await readBody(body, MAX_LIST_BYTES)
  if (isSuccess(status)) {
    const list = Models.safeParse(parseExternalJson(text))
    const facts = list.data?.data.flatMap((entry) => readModelFacts(entry, ['id']) ?? [])
    // An incomplete list does not show that a model is missing, because a further page may contain it.
    if (facts === undefined || list.data?.has_more) return { kind: 'unknown', facts }
    return { kind: 'listed', models: facts.map(({ modelCode }) => modelCode), facts }
  }
  const requestContext = { standard: 'chat-completions', requestAddress: address, secrets: key ? [key] : [] } as const
  const failure = explainStatus({ status, body: text, ...requestContext })
  return conclusiveCodes.includes(failure.code) ? { kind: 'refused', failure } : { kind: 'unknown' }
}
