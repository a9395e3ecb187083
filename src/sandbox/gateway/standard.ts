import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ZodError } from 'zod'
import { HttpError } from '../http/listener'
import type { Admission, AdmissionRefusal } from '../state/plans'
import type { Plan } from '../state/world'
import type { Reply, ReplyRequest } from '../text-model/reply'
import type { Tokenizer } from '../text-model/tokenizer'

const keyLength = 51

export const createHttpError = (status: number, code: string, message: string): HttpError =>
  new HttpError({ status, code, message })

export const shortenText = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** 401: no key. */
export const missingKey = (): HttpError =>
  createHttpError(
    401,
    'missing_key',
    'No subscription key. Send it as "Authorization: Bearer <key>" or as "x-api-key".',
  )

const admissionRefusals: Record<
  Exclude<AdmissionRefusal, 'key_unknown'>,
  readonly [401 | 402, (names: { readonly key: string; readonly plan: string }) => string]
> = {
  key_deleted: [401, ({ key, plan }) => `The subscription key "${key}" of plan "${plan}" was deleted.`],
  key_disabled: [
    401,
    ({ key, plan }) => `The subscription key "${key}" of plan "${plan}" is disabled. Enable it first.`,
  ],
  plan_deleted: [402, ({ plan }) => `The plan "${plan}" was deleted. Buy a plan again.`],
  plan_expired: [402, ({ plan }) => `The plan "${plan}" has expired. Buy it again.`],
}

/** 401 or 402: reason to reject a key. */
export function createAdmissionError(reason: AdmissionRefusal, { key, plan }: Admission, secret: string): HttpError {
  if (reason === 'key_unknown') {
    const hasWrongLength = secret.startsWith('sk-sandbox-') && secret.length !== keyLength
    const remedy = hasWrongLength
      ? `it has ${secret.length} characters where ${keyLength} belong. Copy it again`
      : 'copy it again'
    return createHttpError(401, 'invalid_key', `Unknown subscription key: ${remedy}.`)
  }
  const [status, message] = admissionRefusals[reason]
  return createHttpError(status, reason, message({ key: key?.name ?? '', plan: plan?.name ?? '' }))
}

/** 403: the plan does not include the model. */
export function createModelNotInPlan(modelCode: string, plan: Plan): HttpError {
  const codes = plan.models.map((model) => model.modelCode).join(', ')
  const message = `The model "${shortenText(modelCode)}" is not included in plan "${plan.name}". Its models: ${codes}.`
  return createHttpError(403, 'model_not_in_plan', message)
}

/** 400: the body is invalid for the standard. */
export function invalidBody(error: ZodError): HttpError {
  const schemaIssue = error.issues[0]
  const fieldPath = schemaIssue?.path.join('.') || 'body'
  return createHttpError(400, 'invalid_request', `${shortenText(fieldPath)}: ${schemaIssue?.message ?? 'not accepted'}`)
}

/** 429: an allowance of the model is used up. Retrying is pointless. Our assumption: the spec names no status. */
export function quotaExhausted(
  plan: Plan,
  exhaustedQuota: { modelCode: string; allowance: 'tokens' | 'requests' },
): HttpError {
  const name = exhaustedQuota.allowance === 'tokens' ? 'token' : 'request'
  const message =
    `The ${name} allowance of model "${exhaustedQuota.modelCode}" in plan "${plan.name}" is used up (quota exhausted). ` +
    'Calls to it pause until the next cycle; use another model, another plan or a pay-as-you-go key.'
  return new HttpError({ status: 429, code: 'quota_exhausted', message, headers: { 'x-should-retry': 'false' } })
}

export type CredentialHeader = 'authorization' | 'x-api-key'

/** Reads `Authorization: Bearer`, then `x-api-key`. An empty bearer counts as missing. */
export function readCredential(headers: IncomingHttpHeaders) {
  const bearerToken = /^Bearer\s+(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim()
  const apiKey = headers['x-api-key']
  const trimmedApiKey = typeof apiKey === 'string' && apiKey.trim() !== '' ? apiKey.trim() : undefined
  const names: readonly CredentialHeader[] = ['authorization', 'x-api-key']
  return { secret: bearerToken ?? trimmedApiKey, headers: names.filter((name) => headers[name] !== undefined) }
}

/** A chat-completions or Messages request, reduced to the fields that the sandbox uses. */
export interface TextRequest extends ReplyRequest {
  readonly isStream: boolean
  /** Whether a stream ends with a usage chunk (chat-completions only). */
  readonly wantsUsage: boolean
  readonly maxTokens: number | undefined
  readonly messageCount: number
  /** All input texts: tools and system prompt first, then the messages in order. */
  readonly texts: readonly string[]
  /** Number of texts before the last message, which a prompt cache may know. */
  readonly leadingCount: number
}

/** A complete answer, independent of the standard. */
export interface Completion {
  readonly createdMs: number
  readonly modelCode: string
  readonly text: string
  readonly reasoning?: string | undefined
  readonly toolCall?: Reply['toolCall']
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  /** Tokens written to the prompt cache, in a standard that reports them separately. */
  readonly cacheWrittenTokens?: number
  /** Whether `max_tokens` truncated the answer. */
  readonly isCut: boolean
  readonly wantsUsage: boolean
}

/** One frame of a stream with the text it carries. */
export interface StreamFrame {
  readonly wire: string
  readonly text: string
}

export type ApiStandardName = 'chat-completions' | 'messages'

/** Request, response and error format of a protocol standard. */
export interface ApiStandard {
  readonly name: ApiStandardName
  readonly requestIdHeader: string
  /** Whether usage reports cache writes. Otherwise they count as input. */
  readonly reportsCacheWrites: boolean
  /** Whether `max_tokens` is required. */
  readonly needsMaxTokens: boolean
  /** Parses a request body. Throws `ZodError` for an invalid body. */
  readonly parse: (body: unknown) => TextRequest
  readonly answer: (completion: Completion) => unknown
  readonly stream: (completion: Completion) => Iterable<StreamFrame>
  readonly error: (error: { status: number; code: string; message: string; requestId: string }) => unknown
}

/** Stream pieces: each word with its leading space, so no character is split. */
export const splitWords = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? []

const tokensPerMessage = 3

export function countTextsTokens(tokenizer: Tokenizer, { texts }: TextRequest): readonly TextTokenCount[] {
  return texts.map((text) => ({ text, tokens: tokenizer.count(text) }))
}

/** Input tokens: all texts plus a fixed overhead per message. */
export function countInputTokens(counted: readonly TextTokenCount[], { messageCount }: TextRequest): number {
  return counted.reduce((sum, { tokens }) => sum + tokens, tokensPerMessage * (messageCount + 1))
}

interface TextTokenCount {
  readonly text: string
  readonly tokens: number
}

/** Minimum cacheable prefix, as in the real services. */
const minTokens = 1_024
const maxPrefixes = 4_096

/** Empty LRU prompt cache. It stores digests of prefixes, not their texts. */
export function createPromptCache() {
  const knownIds = new Set<string>()
  return {
    /** Looks up the leading texts of a prompt and caches them for `owner` (a model of a plan). */
    use(owner: string, leading: readonly TextTokenCount[]) {
      const total = leading.reduce((sum, { tokens }) => sum + tokens, 0)
      if (total < minTokens) return { readTokens: 0, writtenTokens: 0 }
      let [beginning, tokens, readTokens] = [owner, 0, 0]
      for (const part of leading) {
        beginning = createHash('sha256').update(beginning).update('\n').update(part.text).digest('base64')
        tokens += part.tokens
        if (tokens < minTokens) continue
        if (knownIds.delete(beginning)) readTokens = tokens
        knownIds.add(beginning)
        const [oldest = ''] = knownIds
        if (knownIds.size > maxPrefixes) knownIds.delete(oldest)
      }
      return { readTokens, writtenTokens: total - readTokens }
    },
  }
}

export type PromptCache = ReturnType<typeof createPromptCache>

/** Random id prefix of this process. A counter makes ids unique. */
const generatedId = randomBytes(10).toString('hex')
let lastNumber = 0

export function newId(prefix: string): string {
  lastNumber += 1
  return prefix + generatedId + lastNumber.toString(16).padStart(12, '0')
}
