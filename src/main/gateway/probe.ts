import { type ApiStandard, type CheckView, ModelCode } from '@shared/contract/common'
import type { ModelFacts } from '@shared/contract/plans'
import { AppError, err, type Failure, type FailureCode, ok, type Result } from '@shared/failure'
import { modelMembers } from '@shared/model-facts'
import { z } from 'zod'
import {
  printableAddress,
  refuseRequestAddress,
  requestAddress,
  requestAddressFor,
  requestSuffix,
} from '../core/net/address'
import { type Sleep, sleepMs, startDeadline } from '../core/net/deadline'
import type { HttpAnswer, Send } from '../core/net/send'
import type { Clock } from '../core/ports'
import { redact, type Secret } from '../core/secret'
import { explainNetworkError, explainStatus } from './explain'
import { findRefusedField, RefusedFields, withoutFields } from './refused-fields'
import { createResponseReader } from './response-reader'
import { isHtml, isObject, parseExternalJson, readBody, readRequestId } from './server-message'
import { readUsage, type TokenUsage } from './usage'

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

/** Without a key, a 401 in JSON passes, because only a gateway rejects a missing key in this way. */
type ProbeRequest = Omit<GatewayProbeRequest, 'key'> & { readonly key?: Secret | undefined; readonly sleep?: Sleep }

export type GatewayCheck = (question: GatewayProbeRequest) => Promise<CheckView>

const MAX_BODY_BYTES = 256_000
const DEFAULT_TIMEOUT_MS = 30_000

/** Selects the protocol. A suffix `/responses` overrides the standard. */
const getProtocol = (request: ProbeRequest): ProbeProtocol =>
  toRequestAddress(request).endsWith('/responses')
    ? responses
    : { 'chat-completions': chatCompletions, messages }[request.standard]

/**
 * Sends one minimal request without retries or redirects and explains the response. Its texts come from the server,
 * with secrets removed. A 403 without a known model passes, because the spec checks 401 and 402 first. Never rejects.
 */
export async function probe(request: ProbeRequest, send: Send, clock: Clock): Promise<CheckView> {
  const { standard, key, modelCode, timeoutMs = DEFAULT_TIMEOUT_MS, sleep = sleepMs, signal } = request
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

  const deadline = startDeadline({ timeoutMs, signal, sleep })
  try {
    const gateway = new URL(address).origin
    const protocol = getProtocol(request)
    const headers = { ...protocol.headers, ...(key && keyHeader(key)) }
    const sendBody = async (body: object) => {
      const init = { method: 'POST', url: address, headers, body: JSON.stringify(body), signal: deadline.signal }
      const response = await send(init)
      return { ...(await readBody(response.body, MAX_BODY_BYTES)), status: response.status, headers: response.headers }
    }
    const body = withoutFields(protocol.smallestRequest(model), refusedFields.list(gateway, model))
    let response = await sendBody(body)
    const field = findRefusedField({ status: response.status, error: response.text, request: body })
    if (field !== undefined) {
      response = await sendBody(withoutFields(body, [field]))
      if (isSuccess(response.status)) refusedFields.add(gateway, model, field)
    }
    const result = readResponse(response, { ...request, model }, address)
    if (result.ok) return { ok: true, ...describeRequest(), ...result.value }
    if (!modelCode && result.error.code === 'gateway.modelNotInPlan') return { ok: true, ...describeRequest() }
    return { ok: false, ...describeRequest(), status: response.status, failure: result.error }
  } catch (error) {
    return { ok: false, ...describeRequest(), failure: toFailure(error, address) }
  } finally {
    deadline.stop()
  }
}

/** Failure for a web login page in place of a gateway. */
const signInPage = (address: string): Failure => ({
  code: 'gateway.notAGateway',
  message: `${printableAddress(address)} is not a gateway: it responds with a sign-in page (401). Check the gateway address.`,
})

function toRequestAddress({ url = '', base, standard, requestAddress: fullAddress }: ProbeRequest): string {
  if (fullAddress !== undefined) return fullAddress
  return base === undefined ? requestAddressFor(url, standard) : requestAddress(base, requestSuffix(standard))
}

/** Suffix that the tool appends to its base, if both are known. */
function toSuffix({ base, requestAddress: fullAddress, standard }: ProbeRequest): string {
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
  response: Awaited<ReturnType<typeof readBody>> & Pick<HttpAnswer, 'status' | 'headers'>,
  request: ProbeRequest & { readonly model: string },
  address: string,
): Result<Pick<Extract<CheckView, { ok: true }>, 'answer' | 'inputTokens' | 'outputTokens' | 'requestId'>, Failure> {
  const { status, headers, text, isTooLong, error } = response
  const { standard, key, model } = request
  const secrets = key ? [key] : []
  // The status explains a rejected request even if its body is truncated.
  if (error !== undefined && isSuccess(status)) throw error
  if (key === undefined && status === 401) return isHtml(text) ? err(signInPage(address)) : ok({ answer: '' })
  const requestIdField = readRequestId(headers, secrets)
  const answer = isSuccess(status) ? getProtocol(request).readAnswer(parseExternalJson(text)) : undefined
  if (answer !== undefined) {
    const { inputTokens, outputTokens } = answer.usage ?? {}
    return ok({ answer: redact(answer.text, secrets).slice(0, 300), inputTokens, outputTokens, ...requestIdField })
  }
  return err(
    explainStatus({
      status,
      body: text,
      isTooLong,
      standard,
      model,
      requestAddress: address,
      suffix: toSuffix(request),
      secrets,
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
export async function listModels(
  { url, key, timeoutMs = DEFAULT_TIMEOUT_MS, signal }: ModelsQuestion,
  send: Send,
): Promise<ModelList> {
  const address = requestAddress(url, '/v1/models')
  const addressFailure = refuseRequestAddress(address)
  if (addressFailure !== undefined) return { kind: 'refused', failure: addressFailure }
  const deadline = startDeadline({ timeoutMs, signal, sleep: sleepMs })
  try {
    const headers = { 'user-agent': ownHeaders['user-agent'], ...(key && keyHeader(key)) }
    const { status, body } = await send({ method: 'GET', url: address, headers, signal: deadline.signal })
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
  } catch (error) {
    return { kind: 'refused', failure: toFailure(error, address) }
  } finally {
    deadline.stop()
  }
}

/** Minimal request of an API standard and the parser of its response. Pure functions. */
type ProbeProtocol = {
  /** Headers that the API standard requires in addition to the header with the key. */
  readonly headers: Readonly<Record<string, string>>
  smallestRequest(model: string): Readonly<Record<string, unknown>>
  /** Parses a complete body. Undefined if it does not match the standard. Without text if thinking used all tokens. */
  readAnswer(body: unknown): { readonly text: string; readonly usage: TokenUsage | undefined } | undefined
}

/** Headers that identify this app to the gateway. */
const ownHeaders = { 'content-type': 'application/json', 'user-agent': 'platform-companion' } as const

/** Model name of a test request when no model is known. A gateway checks key and plan before it rejects the model. */
export const checkModel = 'companion-check'

const prompt = 'Reply with the word ok.'
const maxTokens = 16

const createChatProtocol = (standard: ApiStandard, headers: ProbeProtocol['headers']): ProbeProtocol => ({
  headers,
  smallestRequest: (model) => ({ model, messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens }),
  readAnswer: (body) => {
    const reader = createResponseReader({ standard, kind: 'chat' })
    const deltas = [...reader.feed(Buffer.from(JSON.stringify(body) ?? '')), ...reader.end()]
    const { isWhole, usage } = reader.facts()
    const text = deltas.map((delta) => (delta.kind === 'text' ? delta.piece : '')).join('')
    return isWhole ? { text, usage } : undefined
  },
})

/** Chat-completions standard (spec, "Token plan gateway"). Decisions 4 define its usage fields. */
export const chatCompletions = createChatProtocol('chat-completions', ownHeaders)

/** Messages standard in its public format (not in the spec: decisions 4). */
export const messages = createChatProtocol('messages', { ...ownHeaders, 'anthropic-version': '2023-06-01' })

const ResponsesAnswer = z.looseObject({
  // Excludes `failed`, because a failed response has all other fields too.
  status: z.enum(['completed', 'incomplete']),
  output: z.array(
    z.looseObject({
      content: z
        .array(z.looseObject({ text: z.string().optional().catch(undefined) }))
        .optional()
        .catch(undefined),
    }),
  ),
  usage: z.unknown().optional(),
})

/** Responses protocol, which tools use with the relay. `input_tokens` includes cached tokens. */
const responses: ProbeProtocol = {
  headers: ownHeaders,
  smallestRequest: (model) => ({ model, input: prompt, max_output_tokens: maxTokens, store: false }),
  readAnswer: (body) => {
    const parsedAnswer = ResponsesAnswer.safeParse(body)
    if (!parsedAnswer.success) return undefined
    const texts = parsedAnswer.data.output.flatMap(({ content = [] }) => content.map((part) => part.text ?? ''))
    return { text: texts.join(''), usage: readUsage(parsedAnswer.data.usage) }
  },
}

/** Objects inside a model that may contain these members. */
const containers = ['meta', 'limit', 'limits', 'architecture', 'model_info', 'details', 'metadata']

/** Facts about a model in an entry of a model list. Undefined without a model code. */
export function readModelFacts(entry: unknown, codeMembers: readonly string[]): ModelFacts | undefined {
  if (!isObject(entry)) return undefined
  const modelCode = codeMembers.map((name) => ModelCode.safeParse(entry[name]).data).find((code) => code !== undefined)
  if (modelCode === undefined) return undefined
  const places = [entry, ...containers.map((name) => entry[name]).filter(isObject)]
  const read = <T>(names: readonly string[], parse: (value: unknown) => T | undefined): T | undefined =>
    places.flatMap((place) => names.map((name) => parse(place[name]))).find((value) => value !== undefined)
  const contextTokens = read(modelMembers.context, parseTokens) ?? read(['context'], parseTokens)
  const capabilities = read(modelMembers.capabilities, parseCapabilities)
  return { modelCode, ...(contextTokens && { contextTokens }), ...(capabilities && { capabilities }) }
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** Number of tokens in the range that plans accept. Also reads texts such as "128K". */
function parseTokens(value: unknown): number | undefined {
  const [, digits = '', unit = ''] = /^([\d.,_]+)\s*([km]?)(?: tokens)?$/i.exec(String(value).trim()) ?? []
  const tokens = Math.floor(Number(digits.replace(/[,_]/g, '')) * (units[unit.toLowerCase()] ?? 1))
  return digits !== '' && tokens >= 1000 && tokens <= 10_000_000 ? tokens : undefined
}

/** Texts of a list, or names of the true members of an object. */
function parseCapabilities(value: unknown): string[] | undefined {
  const names = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.keys(value).filter((name) => value[name] === true)
      : []
  const texts = names.filter((name) => typeof name === 'string' && name !== '' && name.length <= 40).slice(0, 20)
  return texts.length > 0 ? texts : undefined
}
