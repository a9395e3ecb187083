import { ModelCode } from '@shared/contract/common'
import type { Failure, FailureCode } from '@shared/failure'
import { z } from 'zod'
import type { Secret } from '../secret'
import { refuseRequestAddress, requestAddress } from './address'
import { startDeadline } from './deadline'
import { explainStatus } from './explain'
import { explainNetworkError } from './explain-network'
import { type FetchLike, keyHeader } from './probe'
import { readBody } from './read-body'
import { parseJson } from './server-message'
import { ownHeaders } from './wire'

/** Which gateway to ask, at its root `url`; `timeoutMs` is 30 000 when absent. */
export type ModelsQuestion = {
  readonly url: string
  readonly key: Secret
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** `unknown`: this gateway has no such list, or one that says nothing; whether the key is good is then not known either. */
export type ModelList =
  | { readonly kind: 'listed'; readonly models: readonly string[] }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly failure: Failure }

export type ListModels = (question: ModelsQuestion) => Promise<ModelList>

const LONGEST_BODY_BYTES = 1_000_000

/** What a refusal of the list says about the key or the gateway, and not about there being a list. */
const telling: readonly FailureCode[] = ['gateway.keyRejected', 'gateway.planExpired', 'gateway.serverError']

const Models = z.looseObject({
  data: z
    .array(z.looseObject({ id: z.string() }))
    .min(1)
    .max(10_000),
  // With more to come, a model that is not among these may still be there.
  has_more: z.literal(false).nullish(),
})

/** The model codes that a key may use, by `GET {url}/v1/models`: not in the spec, but most gateways have it. Never rejects. */
export async function listModels(question: ModelsQuestion, fetchLike: FetchLike = fetch): Promise<ModelList> {
  const address = requestAddress(question.url, '/v1/models')
  const failure = refuseRequestAddress(address)
  if (failure !== undefined) return { kind: 'refused', failure }
  const deadline = startDeadline(question)
  try {
    const headers = { 'user-agent': ownHeaders['user-agent'], ...keyHeader(question.key) }
    const response = await fetchLike(address, { redirect: 'manual', headers, signal: deadline.signal })
    return await readList(response, question.key, address)
  } catch (error) {
    return { kind: 'refused', failure: explainNetworkError(error, address) }
  } finally {
    deadline.stop()
  }
}

async function readList({ status, ok, body }: Response, key: Secret, address: string): Promise<ModelList> {
  const { text } = await readBody(body, LONGEST_BODY_BYTES)
  if (ok) {
    const list = Models.safeParse(parseJson(text))
    const models = list.data?.data.map(({ id }) => id).filter((id) => ModelCode.safeParse(id).success)
    return models === undefined ? { kind: 'unknown' } : { kind: 'listed', models }
  }
  const asked = { standard: 'chat-completions', requestAddress: address, secrets: [key] } as const
  const failure = explainStatus({ status, body: text, ...asked })
  return telling.includes(failure.code) ? { kind: 'refused', failure } : { kind: 'unknown' }
}
