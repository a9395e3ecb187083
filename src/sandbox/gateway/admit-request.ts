import { ZodError } from 'zod'
import { readJson } from '../http/body'
import type { Exchange } from '../http/listener'
import type { Trace } from '../journal'
import { admit } from '../state/admission'
import type { Store } from '../state/store'
import type { Key, Plan } from '../state/world'
import { invalidBody, missingKey, modelNotInPlan, notAdmitted, wrongContentType } from './refusals'
import type { Standard, TextRequest } from './standard'

const bodyLimitBytes = 20 * 1024 * 1024

/** A request that passed everything but the allowance. */
export interface AdmittedRequest {
  readonly plan: Plan
  readonly key: Key
  readonly request: TextRequest
}

/** How far a call has come; the books need it when it fails. */
export interface Progress {
  /** The model of the plan that is called, once that is known. */
  modelCode: string
  /** Whether it is on the books as a served request. */
  isServed: boolean
}

/** What admission needs to know. */
export interface AdmissionCase {
  readonly exchange: Exchange
  readonly standard: Standard
  readonly trace: Trace
  readonly store: Store
  /** The key that was presented. */
  readonly secret: string | undefined
  readonly progress: Progress
}

/** The key and its active plan. Throws 401, then 402. */
function admitKey({ trace, store, secret }: AdmissionCase): { key: Key; plan: Plan } {
  if (secret === undefined) throw missingKey()
  const admission = admit(store.worldForAdmission(), store.keyIdOf(secret))
  const { key, plan, refusal } = admission
  if (key && plan) trace.note({ keyName: key.name, planName: plan.name })
  if (refusal) throw notAdmitted(refusal, admission, secret)
  if (key === undefined || plan === undefined) throw missingKey()
  return { key, plan }
}

/** The model a body names, whatever else is wrong with it: a model outside the plan is said before a malformed body. */
function modelCodeOf(body: unknown): string | undefined {
  const isObject = typeof body === 'object' && body !== null
  const code = isObject && 'model' in body ? body.model : undefined
  return typeof code === 'string' && code !== '' ? code : undefined
}

function parse(standard: Standard, body: unknown): TextRequest {
  try {
    return standard.parse(body)
  } catch (error) {
    throw error instanceof ZodError ? invalidBody(error) : error
  }
}

/** Judges a request in the order key (401), plan (402), content type (415), model (403), body (400, 413); throws the first refusal. */
export async function admitRequest(given: AdmissionCase): Promise<AdmittedRequest> {
  const { key, plan } = admitKey(given)
  const contentType = given.exchange.request.headers['content-type']
  if (contentType !== undefined && !/^application\/json\s*(;|$)/i.test(contentType)) throw wrongContentType(contentType)
  const body = await readJson(given.exchange.request, bodyLimitBytes)
  const modelCode = modelCodeOf(body)
  if (modelCode !== undefined) {
    given.trace.note({ modelCode })
    if (!plan.models.some((model) => model.modelCode === modelCode)) throw modelNotInPlan(modelCode, plan)
    given.progress.modelCode = modelCode
  }
  const request = parse(given.standard, body)
  given.trace.note({ stream: request.isStream })
  return { key, plan, request }
}
