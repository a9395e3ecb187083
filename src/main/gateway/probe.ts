import type { Standard } from '@shared/contract/common'
import type { Failure } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { err, ok, type Result } from '@shared/result'
import { redact, type Secret } from '../secret'
import { printableAddress, refuseRequestAddress, requestAddress, requestAddressFor, requestSuffix } from './address'
import { chatCompletions } from './chat-completions'
import { startDeadline } from './deadline'
import { explainStatus } from './explain'
import { explainNetworkError } from './explain-network'
import { messages } from './messages'
import { readBody } from './read-body'
import { parseJson } from './server-message'
import type { TokenUsage, Wire } from './wire'

/** One real small request: to a gateway's root `url`, or as a tool does to the `base` that its file holds. */
export interface ProbeRequest {
  readonly url?: string
  /** Goes before `url`. The key is sent there: make sure that it is the gateway's host (`sameOrigin`). */
  readonly base?: string
  /** Goes before both: the whole address that is asked, for a tool that appends something else than its standard's suffix. */
  readonly requestAddress?: string | undefined
  readonly standard: Standard
  readonly key: Secret
  readonly model: string
  /** For the whole exchange; 30 000 when absent. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** What came of it; text, request id and messages come from the server, without secrets. */
export type ProbeOutcome =
  | {
      readonly ok: true
      readonly requestAddress: string
      readonly status: number
      readonly durationMs: number
      readonly model: string
      readonly text: string
      readonly usage?: TokenUsage
      readonly requestId?: string
    }
  | {
      readonly ok: false
      readonly requestAddress: string
      readonly durationMs: number
      readonly status?: number
      readonly failure: Failure
    }

/** The part of `fetch` that is used. */
export type FetchLike = (address: string, init: RequestInit) => Promise<Response>

const LONGEST_BODY_BYTES = 256_000

const wires: Readonly<Record<Standard, Wire>> = { 'chat-completions': chatCompletions, messages }

/** Makes one request, without retries and without following redirects, and explains the answer; never rejects. */
export async function probe(request: ProbeRequest, fetchLike: FetchLike = fetch): Promise<ProbeOutcome> {
  const startedAt = performance.now()
  const address = addressOf(request)
  const told = () => ({
    requestAddress: printableAddress(address),
    durationMs: Math.round(performance.now() - startedAt),
  })
  const refused = refuseRequestAddress(address)
  if (refused !== undefined) return { ok: false, ...told(), failure: refused }

  const deadline = startDeadline(request)
  try {
    const response = await fetchLike(address, { ...initOf(request), signal: deadline.signal })
    const { status } = response
    const read = await readResponse(response, request, address)
    if (read.ok) return { ok: true, ...told(), status, model: request.model, ...read.value }
    return { ok: false, ...told(), status, failure: read.error }
  } catch (error) {
    return { ok: false, ...told(), failure: explainNetworkError(error, address) }
  } finally {
    deadline.stop()
  }
}

function addressOf({ url = '', base, standard, requestAddress: whole }: ProbeRequest): string {
  if (whole !== undefined) return whole
  return base === undefined ? requestAddressFor(url, standard) : requestAddress(base, requestSuffix(standard))
}

/** What the tool appends to its base, where both are known. */
function suffixOf({ base, requestAddress: whole, standard }: ProbeRequest): string {
  const root = base?.replace(/\/+$/, '') ?? ''
  return root !== '' && whole?.startsWith(root) ? whole.slice(root.length) : requestSuffix(standard)
}

/** The header that carries the key, for the requests of this folder only. */
export function keyHeader(key: Secret): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key.expose()}` }
}

function initOf({ standard, key, model }: ProbeRequest): RequestInit {
  const wire = wires[standard]
  return {
    method: 'POST',
    redirect: 'manual',
    headers: { ...wire.headers, ...keyHeader(key) },
    body: JSON.stringify(wire.smallestRequest(model)),
  }
}

type Read = { readonly text: string; readonly usage?: TokenUsage; readonly requestId?: string }

/** The answer, or why it is none; rejects when a good answer breaks off. */
async function readResponse(
  { status, headers, ok: isOk, body }: Response,
  request: ProbeRequest,
  address: string,
): Promise<Result<Read, Failure>> {
  const { standard, key, model } = request
  const { text, isTooLong, error } = await readBody(body, LONGEST_BODY_BYTES)
  // A refusal whose body breaks off still says by its status what is wrong.
  if (error !== undefined && isOk) throw error
  const requestId = requestIdOf(headers, key)
  const known = requestId === undefined ? {} : { requestId }
  const answer = isOk ? wires[standard].readAnswer(parseJson(text)) : undefined
  if (answer !== undefined) return ok({ ...answer, text: redact(answer.text, [key]), ...known })
  return err(
    explainStatus({
      ...{
        status,
        body: text,
        isTooLong,
        standard,
        model,
        requestAddress: address,
        suffix: suffixOf(request),
        secrets: [key],
        ...known,
      },
      retryAfter: headers.get('retry-after'),
      location: headers.get('location'),
    }),
  )
}

function requestIdOf(headers: Headers, key: Secret): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id') ?? ''
  return id === '' ? undefined : cleanName(redact(id, [key]))
}
