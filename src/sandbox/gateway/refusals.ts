import type { IncomingHttpHeaders } from 'node:http'
import type { ZodError } from 'zod'
import { HttpError } from '../http/listener'
import type { Admission, AdmissionRefusal } from '../state/allowances'
import type { Plan } from '../state/world'

const keyLength = 51

const refuse = (status: number, code: string, message: string): HttpError => new HttpError({ status, code, message })

const short = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** 401: no key came with the request. */
export const missingKey = (): HttpError =>
  refuse(401, 'missing_key', 'No subscription key. Send it as "Authorization: Bearer <key>" or as "x-api-key".')

function unknownKey(secret: string): HttpError {
  const isShort = secret.startsWith('sk-sandbox-') && secret.length !== keyLength
  const remedy = isShort
    ? `it has ${secret.length} characters where ${keyLength} belong. Copy it again`
    : 'copy it again'
  return refuse(401, 'invalid_key', `Unknown subscription key: ${remedy}.`)
}

const admissionRefusals: Record<
  Exclude<AdmissionRefusal, 'key_unknown'>,
  readonly [401 | 402, (names: Names) => string]
> = {
  key_deleted: [401, ({ key, plan }) => `The subscription key "${key}" of plan "${plan}" was deleted.`],
  key_disabled: [
    401,
    ({ key, plan }) => `The subscription key "${key}" of plan "${plan}" is disabled. Enable it first.`,
  ],
  plan_deleted: [402, ({ plan }) => `The plan "${plan}" was deleted. Buy a plan again.`],
  plan_expired: [402, ({ plan }) => `The plan "${plan}" has expired. Buy it again.`],
}

interface Names {
  readonly key: string
  readonly plan: string
}

/** 401 or 402: why a presented key opens nothing. */
export function notAdmitted(reason: AdmissionRefusal, { key, plan }: Admission, secret: string): HttpError {
  if (reason === 'key_unknown') return unknownKey(secret)
  const [status, message] = admissionRefusals[reason]
  return refuse(status, reason, message({ key: key?.name ?? '', plan: plan?.name ?? '' }))
}

/** 403: the plan does not include the model. */
export function modelNotInPlan(modelCode: string, plan: Plan): HttpError {
  const codes = plan.models.map((model) => model.modelCode).join(', ')
  const message = `The model "${short(modelCode)}" is not included in plan "${plan.name}". Its models: ${codes}.`
  return refuse(403, 'model_not_in_plan', message)
}

/** 415: the body is said to be something else than JSON. */
export const wrongContentType = (contentType: string): HttpError =>
  refuse(415, 'unsupported_content_type', `The Content-Type must be "application/json", not "${short(contentType)}".`)

/** 400: the standard asks for a limit of the answer. */
export const missingMaxTokens = (): HttpError => refuse(400, 'invalid_request', 'max_tokens: Field required')

/** 400: the body does not fit the standard. */
export function invalidBody(error: ZodError): HttpError {
  const issue = error.issues[0]
  const place = issue?.path.join('.') || 'body'
  return refuse(400, 'invalid_request', `${short(place)}: ${issue?.message ?? 'not accepted'}`)
}

/** 429: an allowance of the model is used up (our assumption, the spec names no status). Trying again is pointless. */
export function quotaExhausted(plan: Plan, used: { modelCode: string; allowance: 'tokens' | 'requests' }): HttpError {
  const name = used.allowance === 'tokens' ? 'token' : 'request'
  const message =
    `The ${name} allowance of model "${used.modelCode}" in plan "${plan.name}" is used up (quota exhausted). ` +
    'Calls to it pause until the next cycle; use another model, another plan or a pay-as-you-go key.'
  return new HttpError({ status: 429, code: 'quota_exhausted', message, headers: { 'x-should-retry': 'false' } })
}

/** 500: a mistake of the sandbox itself. */
export const unexpected = (): HttpError =>
  refuse(500, 'unexpected', 'Unexpected error in the sandbox. Restart it and report this.')

/** A header in which a tool may send its key. */
export type CredentialHeader = 'authorization' | 'x-api-key'

/** The key a request presents, and the headers it used for it. */
interface Credential {
  readonly secret: string | undefined
  readonly headers: readonly CredentialHeader[]
}

/** Reads `Authorization: Bearer` first, then `x-api-key`; an empty bearer counts as none. */
export function readCredential(headers: IncomingHttpHeaders): Credential {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(headers.authorization ?? '')?.[1]?.trim()
  const apiKey = headers['x-api-key']
  const plain = typeof apiKey === 'string' && apiKey.trim() !== '' ? apiKey.trim() : undefined
  const names: readonly CredentialHeader[] = ['authorization', 'x-api-key']
  return { secret: bearer ?? plain, headers: names.filter((name) => headers[name] !== undefined) }
}
