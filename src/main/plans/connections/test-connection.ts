import type { ConnectionPart, ConnectionTestView } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { printableAddress, requestAddressFor } from '../../core/net/address'
import { withAbort } from '../../core/net/deadline'
import type { ConnectionRecord } from '../../core/settings/settings'
import { probe } from '../../gateway/probe'
import { type CallArguments, joinAddress } from '../../platform/build-request'
import { findPlatformOperation, type OperationId } from '../../platform/services'
import type { ConnectionPorts, OpenConnection } from './open-connection'

/** Uses a local plan's key. Without one, tests whether the gateway rejects a missing key like a gateway does. */
async function testGateway({ record, open, ports, signal }: TestSubject): Promise<TestOutcome> {
  const { tokenPlanUrl } = record.addresses
  if (!tokenPlanUrl) {
    const message = 'The connection has no address for the gateway. Add its tokenPlanUrl.'
    return { ok: false, failure: { code: 'api.notConfigured', message, field: 'tokenPlanUrl' } }
  }
  const plan = ports.planAt(tokenPlanUrl)
  const requestAddress = requestAddressFor(tokenPlanUrl, 'chat-completions')
  const request = { requestAddress, standard: 'chat-completions', modelCode: plan?.modelCode, signal } as const
  const check = await probe({ ...request, key: await plan?.key(), sleep: ports.sleep }, open.send, ports.clock)
  if (check.ok) return { ok: true, proven: plan ? 'used' : 'reached', requestAddress }
  signal.throwIfAborted()
  return { ok: false, status: check.status, failure: check.failure, requestAddress }
}

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

type Service = Exclude<ConnectionPart, 'token' | 'gateway'>

const firstRow = { query: { size: 1 } }

/** The cheapest call of each service that verifies address and token. The error `provenBy` counts as success too. */
const testCalls: Readonly<
  Record<Service, CallArguments & { readonly id: OperationId; readonly provenBy?: Failure['code'] }>
> = {
  console: { id: 'console.account.get' },
  identity: { id: 'identity.agentIdentities.list', ...firstRow },
  runtime: { id: 'runtime.agentRuntimes.list', ...firstRow },
  memory: { id: 'memory.memories.list', ...firstRow },
  registry: { id: 'registry.repositories.list', ...firstRow },
  aip: { id: 'aip.models.list', ...firstRow },
  // The service has no list operation. A request without a model is free, and its error identifies the service.
  inference: { id: 'inference.chatCompletions', body: { model: '', messages: [] }, provenBy: 'api.badRequest' },
}

async function testService(part: Service, { record, open, signal }: TestSubject): Promise<TestOutcome> {
  const { id, provenBy, ...args } = testCalls[part]
  const { address, path } = findPlatformOperation(id)
  const baseUrl = record.addresses[address]
  const requestAddress = baseUrl ? printableAddress(joinAddress(baseUrl, path)) : undefined
  const outcome = await toOutcome(open.client.call(id, args, { signal }), 'used', requestAddress)
  return outcome.ok || outcome.failure.code !== provenBy ? outcome : { ok: true, proven: 'used', requestAddress }
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
