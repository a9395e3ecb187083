import type { ConnectionPart, ConnectionTestView } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { printableAddress, requestAddressFor } from '../../core/net/address'
import { startDeadline, withAbort } from '../../core/net/deadline'
import type { ConnectionRecord } from '../../core/settings/settings'
import { explainStatus } from '../../gateway/explain'
import { chatCompletions, checkModel } from '../../gateway/probe'
import { isHtml, parseExternalJson, readBody } from '../../gateway/server-message'
import { joinAddress } from '../../platform/build-request'
import { explainConnectionFailure } from '../../platform/explain'
import { toStopFailure } from '../../platform/platform-client'
import { findPlatformOperation, type ServiceName, services } from '../../platform/services'
import type { ConnectionPorts, GatewayPlan, OpenConnection } from './open-connection'

const TIMEOUT_MS = 30_000
const MAX_BODY_BYTES = 256_000

/** Uses a local plan's key. Without one, tests whether the gateway rejects a missing key like a gateway does. */
async function testGateway(subject: TestSubject): Promise<TestOutcome> {
  const { record, ports } = subject
  const { tokenPlanUrl } = record.addresses
  if (!tokenPlanUrl) {
    const message = 'The connection has no address for the gateway. Add its tokenPlanUrl.'
    return { ok: false, failure: { code: 'api.notConfigured', message, field: 'tokenPlanUrl' } }
  }
  const plan = ports.planAt(tokenPlanUrl)
  const requestAddress = requestAddressFor(tokenPlanUrl, 'chat-completions')
  const outcome = await (plan ? testWithKey(subject, plan, requestAddress) : testWithoutKey(subject, requestAddress))
  return { ...outcome, requestAddress }
}

async function testWithKey(
  subject: TestSubject,
  { modelCode }: GatewayPlan,
  requestAddress: string,
): Promise<TestOutcome> {
  const { open, signal } = subject
  const body = chatCompletions.smallestRequest(modelCode ?? checkModel)
  try {
    const { data, status } = await open.client.call('gateway.chatCompletions', { body }, { signal })
    if (chatCompletions.readAnswer(data) !== undefined) return { ok: true, proven: 'used' }
    return { ok: false, status, failure: explainResponse({ status, body: JSON.stringify(data) ?? '', requestAddress }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { failure } = error
    if (modelCode === undefined && failure.code === 'gateway.modelNotInPlan') return { ok: true, proven: 'used' }
    return { ok: false, failure }
  }
}

async function testWithoutKey({ open, ports, signal }: TestSubject, requestAddress: string): Promise<TestOutcome> {
  const deadline = startDeadline({ timeoutMs: TIMEOUT_MS, signal, sleep: ports.sleep })
  try {
    const response = await open.send({
      method: 'POST',
      url: requestAddress,
      headers: { ...chatCompletions.headers, accept: 'application/json' },
      body: JSON.stringify(chatCompletions.smallestRequest(checkModel)),
      signal: deadline.signal,
    })
    const { status, headers } = response
    const { text, error } = await readBody(response.body, MAX_BODY_BYTES)
    if (error !== undefined && (deadline.signal.aborted || status < 400)) throw error
    if (status === 401 && !isHtml(text)) return { ok: true, proven: 'reached' }
    if (status < 300 && chatCompletions.readAnswer(parseExternalJson(text)) !== undefined)
      return { ok: true, proven: 'reached' }
    const [location, retryAfter] = [headers.get('location'), headers.get('retry-after')]
    const failure =
      status === 401
        ? signInPage(requestAddress)
        : explainResponse({ status, body: text, requestAddress, location, retryAfter })
    return { ok: false, status, failure }
  } catch (error) {
    if (error instanceof AppError) throw error
    const failure = deadline.signal.aborted
      ? toStopFailure(deadline.signal, requestAddress)
      : explainConnectionFailure(error, requestAddress)
    return { ok: false, failure }
  } finally {
    deadline.stop()
  }
}

const explainResponse = (answer: Omit<Parameters<typeof explainStatus>[0], 'standard'>): Failure =>
  explainStatus({ ...answer, standard: 'chat-completions' })

/** Failure for a web login page in place of a gateway. A gateway rejects a missing key with JSON. */
const signInPage = (requestAddress: string): Failure => ({
  code: 'gateway.notAGateway',
  message: `${printableAddress(requestAddress)} is not a gateway: it responds with a sign-in page (401). Check the gateway address.`,
})

interface TestSubject {
  readonly record: ConnectionRecord
  readonly open: OpenConnection
  readonly ports: ConnectionPorts
  readonly signal: AbortSignal
}

type TestOutcome = { readonly requestAddress?: string | undefined } & (
  | { readonly ok: true; readonly proven: 'used' | 'reached' }
  | { readonly ok: false; readonly failure: Failure; readonly status?: number | undefined }
)

async function testService(service: ServiceName, { record, open, signal }: TestSubject): Promise<TestOutcome> {
  const { test } = services[service]
  const operation = test && findPlatformOperation(`${service}.${test.operation}`)
  const baseUrl = operation && record.addresses[operation.address]
  const requestAddress = operation && baseUrl ? printableAddress(joinAddress(baseUrl, operation.path)) : undefined
  return toOutcome(open.client.testService(service, { signal }), 'used', requestAddress)
}

async function toOutcome(
  request: Promise<unknown>,
  proven: 'used' | 'reached',
  requestAddress: string | undefined,
): Promise<TestOutcome> {
  try {
    await request
    return { ok: true, proven, requestAddress }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ok: false, failure: error.failure, requestAddress }
  }
}

function runTest(part: ConnectionPart, subject: TestSubject): Promise<TestOutcome> {
  if (part === 'token') return testToken(subject)
  return part === 'gateway' ? testGateway(subject) : testService(part, subject)
}

/** Sends one small real request to a part of a connection. Failures and cancellation are returned as results. */
export async function testPart(part: ConnectionPart, subject: TestSubject): Promise<ConnectionTestView> {
  const { clock } = subject.ports
  const startedAt = clock()
  const outcome = await runTest(part, subject).catch((error: unknown): TestOutcome => {
    if (subject.signal.aborted) return { ok: false, failure: cancelledFailure }
    if (error instanceof AppError) return { ok: false, failure: error.failure }
    throw error
  })
  return { ...outcome, part, at: startedAt.toISOString(), durationMs: clock().getTime() - startedAt.getTime() }
}

const cancelledFailure: Failure = { code: 'net.cancelled', message: 'The test was canceled. Start it again.' }

/** Requests a new token, which does not replace the cached one. Only checks that a pasted token exists. */
async function testToken({ record: { tokenSource }, open, signal }: TestSubject): Promise<TestOutcome> {
  const source = open.freshTokens()
  if (source === undefined || tokenSource === undefined) {
    const message = 'The connection has no sign-in method. Add one.'
    return { ok: false, failure: { code: 'api.notConfigured', message, field: 'tokenSource' } }
  }
  const requestAddress = tokenSource.kind === 'client-credentials' ? printableAddress(tokenSource.tokenUrl) : undefined
  const proven = tokenSource.kind === 'pasted' ? 'reached' : 'used'
  return toOutcome(withAbort(source.token(), signal), proven, requestAddress)
}
