import type { EndpointCall, MethodInput } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { endpointAddressNames, endpointIdNames } from '@shared/endpoint-fields'
import { AppError, toAppError } from '@shared/failure'
import type { Send } from '../../core/net/send'
import { isObject, readBody } from '../../gateway/server-message'
import { explainConnectionFailure } from '../explain'
import { type PlatformClient, toStopFailure } from '../platform-client'
import { buildSample, listSampleHeaders } from './check'

const maxAnswerBytes = 20_000
const defaultTimeoutMs = 2 * minuteMs

interface EndpointCallDeps {
  readonly client: Pick<PlatformClient, 'pages'>
  readonly send: Send
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

/** Returns the first of these fields that is a text. */
function readFirstText(row: unknown, names: readonly string[]): string | undefined {
  const fields = isObject(row) ? row : {}
  return names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '')
}

/**
 * Sends one POST to a runtime's endpoint, with the headers of the container contract and without credentials. The
 * platform decides the address. Fails with `input.invalid`, `api.*`, `address.*` or `net.*`. An error status is a result.
 */
export async function callEndpoint(
  { runtimeId, endpointId, ...request }: Omit<MethodInput<'containers.callEndpoint'>, 'callId' | 'connectionId'>,
  { client, send, signal, timeoutMs = defaultTimeoutMs }: EndpointCallDeps,
): Promise<EndpointCall> {
  const sample = buildSample(request)
  const url = toCallUrl(await findAddress(client, { runtimeId, endpointId, signal }), sample.path)
  const startedMs = performance.now()
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const headers = Object.fromEntries(listSampleHeaders(sample))
    const { status, body } = await send({ method: 'POST', url, headers, body: sample.body, signal: deadline })
    const { text: answer, isTooLong, error } = await readBody(body, maxAnswerBytes)
    if (error !== undefined && deadline.aborted) throw error
    const isCut = isTooLong || error !== undefined
    return { url, status, durationMs: Math.round(performance.now() - startedMs), answer, isCut }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw toAppError(deadline.aborted ? toStopFailure(deadline, url) : explainConnectionFailure(error, url))
  }
}

async function findAddress(
  client: EndpointCallDeps['client'],
  { runtimeId, endpointId, signal }: { runtimeId: string; endpointId: string; signal: AbortSignal },
): Promise<string> {
  for await (const { items } of client.pages('runtime.endpoints.list', { path: { id: runtimeId } }, { signal })) {
    for (const item of items) {
      if (readFirstText(item, endpointIdNames) !== endpointId) continue
      const address = readFirstText(item, endpointAddressNames)
      if (address !== undefined) return address
      throw new AppError('api.unreadable', 'The platform reports no address for this endpoint.')
    }
  }
  throw new AppError('api.notFound', 'The runtime has no such endpoint. Load the list again.')
}

/** Appends the path to an endpoint's address. An address without a scheme gets https. */
function toCallUrl(address: string, path: string): string {
  const base = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`
  if (!URL.canParse(base)) throw new AppError('address.notAnAddress', 'The endpoint’s address is not a URL.')
  const { origin, pathname, username, password } = new URL(base)
  if (username !== '' || password !== '')
    throw new AppError('address.credentials', 'The endpoint’s address contains a user name or a password.')
  return `${origin}${pathname.replace(/\/+$/, '')}${path}`
}
