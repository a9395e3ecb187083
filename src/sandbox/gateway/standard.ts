import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ZodError } from 'zod'
import { HttpError } from '../http/listener'
import type { AdmissionRefusal } from '../state/plans'
import type { Key, Plan } from '../state/world'
import type { Reply, ReplyRequest } from '../text-model/reply'
import type { Tokenizer } from '../text-model/tokenizer'

const keyLength = 51

export const shortenText = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** 401: the key is unknown. */
export function createUnknownKeyError(secret: string): HttpError {
  const hasWrongLength = secret.startsWith('sk-sandbox-') && secret.length !== keyLength
  const remedy = hasWrongLength
    ? `it has ${secret.length} characters where ${keyLength} belong. Copy it again`
    : 'copy it again'
  return new HttpError(401, 'invalid_key', `Unknown subscription key: ${remedy}.`)
}

const refusalMessages: Record<AdmissionRefusal, (key: string, plan: string) => string> = {
  key_deleted: (key, plan) => `The subscription key "${key}" of plan "${plan}" was deleted.`,
  key_disabled: (key, plan) => `The subscription key "${key}" of plan "${plan}" is disabled. Enable it first.`,
  plan_deleted: (_, plan) => `The plan "${plan}" was deleted. Buy a plan again.`,
  plan_expired: (_, plan) => `The plan "${plan}" has expired. Buy it again.`,
}

/** 401 for the key itself, 402 for its plan (spec, "Errors", A). */
export const createAdmissionError = (refusal: AdmissionRefusal, key: Key, plan: Plan): HttpError =>
  new HttpError(refusal.startsWith('key') ? 401 : 402, refusal, refusalMessages[refusal](key.name, plan.name))

/** 403: the plan does not include the model. */
export function createModelNotInPlan(modelCode: string, plan: Plan): HttpError {
  const codes = plan.models.map((model) => model.modelCode).join(', ')
  const message = `The model "${shortenText(modelCode)}" is not included in plan "${plan.name}". Its models: ${codes}.`
  return new HttpError(403, 'model_not_in_plan', message)
}

/** 400: the body is invalid for the standard. */
export function invalidBody({ issues: [issue] }: ZodError): HttpError {
  const field = shortenText(issue?.path.join('.') || 'body')
  return new HttpError(400, 'invalid_request', `${field}: ${issue?.message ?? 'not accepted'}`)
}

/** 429: an allowance of the model is used up. Retrying is pointless. Our assumption: the spec names no status. */
export function quotaExhausted(plan: Plan, modelCode: string, allowance: 'tokens' | 'requests'): HttpError {
  const name = allowance === 'tokens' ? 'token' : 'request'
  const message =
    `The ${name} allowance of model "${modelCode}" in plan "${plan.name}" is used up (quota exhausted). ` +
    'Calls to it pause until the next cycle; use another model, another plan or a pay-as-you-go key.'
  return new HttpError(429, 'quota_exhausted', message, { 'x-should-retry': 'false' })
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
  /** Tokens written to the prompt cache. Only the messages standard reports them, in others they count as input. */
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
  /** Parses a request body. Throws `ZodError` for an invalid body. */
  readonly parse: (body: unknown) => TextRequest
  readonly answer: (completion: Completion) => unknown
  readonly stream: (completion: Completion) => Iterable<StreamFrame>
  readonly error: (error: { status: number; code: string; message: string; requestId: string }) => unknown
}

/** Stream pieces: each word with its leading space, so no character is split. */
export const splitWords = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? []

const tokensPerMessage = 3

/** Tokens of each text, and input tokens: all texts plus a fixed overhead per message. */
export function countInput(tokenizer: Tokenizer, { texts, messageCount }: TextRequest) {
  const counts: readonly TextTokenCount[] = texts.map((text) => ({ text, tokens: tokenizer.count(text) }))
  const inputTokens = counts.reduce((sum, { tokens }) => sum + tokens, tokensPerMessage * (messageCount + 1))
  return { counts, inputTokens }
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
