import type { ConnectionPart, ConnectionTestView } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { printableAddress } from '../gateway/address'
import { orAborted } from '../platform/deadline'
import { joinAddress } from '../platform/prepare'
import { operationOf, type ServiceName, services } from '../platform/services'
import type { ConnectionRecord } from '../settings/settings'
import type { ConnectionPorts, OpenConnection } from './open-connection'
import { testGateway } from './test-gateway'

/** What is tested, and with what. */
export interface TestSubject {
  readonly record: ConnectionRecord
  readonly open: OpenConnection
  readonly ports: ConnectionPorts
  readonly signal: AbortSignal
}

/** What came of it, before anybody looked at the clock. */
export type TestOutcome = { readonly requestAddress?: string | undefined } & (
  | { readonly ok: true; readonly proven: 'used' | 'reached' }
  | { readonly ok: false; readonly failure: Failure; readonly status?: number | undefined }
)

type Test = (subject: TestSubject) => Promise<TestOutcome>

const testOf = (service: ServiceName): Test => {
  return async ({ record, open, signal }) => {
    const requestAddress = testAddress(service, record)
    const outcome = await open.client.testService(service, { signal })
    if (outcome.ok) return { ok: true, proven: 'used', requestAddress }
    return { ok: false, failure: outcome.failure, requestAddress }
  }
}

const tests: Readonly<Record<ConnectionPart, Test>> = {
  token: testToken,
  gateway: testGateway,
  console: testOf('console'),
  identity: testOf('identity'),
  runtime: testOf('runtime'),
  memory: testOf('memory'),
  registry: testOf('registry'),
  aip: testOf('aip'),
  inference: testOf('inference'),
}

/** Makes one real small request to one part of a connection; what fails, a cancelled test too, is an outcome. */
export async function testPart(part: ConnectionPart, subject: TestSubject): Promise<ConnectionTestView> {
  const { clock } = subject.ports
  const startedAt = clock()
  const outcome = await tests[part](subject).catch((error: unknown): TestOutcome => {
    if (subject.signal.aborted) return { ok: false, failure: cancelled }
    if (error instanceof AppError) return { ok: false, failure: error.failure }
    throw error
  })
  return { ...outcome, part, at: startedAt.toISOString(), durationMs: clock().getTime() - startedAt.getTime() }
}

const cancelled: Failure = {
  code: 'net.cancelled',
  message: 'The test was cancelled. Start it again when you need it.',
}

/** Where the service's test call goes; undefined without an address. */
function testAddress(service: ServiceName, { addresses }: ConnectionRecord): string | undefined {
  const { test } = services[service]
  const operation = test && operationOf(`${service}.${test.operation}`)
  const base = operation && addresses[operation.address]
  return operation && base ? printableAddress(joinAddress(base, operation.path)) : undefined
}

/** Obtains a token anew, beside the one that calls share. One that was pasted is only looked for: nothing is asked of anybody. */
async function testToken({ record: { tokenSource }, open, signal }: TestSubject): Promise<TestOutcome> {
  const source = open.freshTokens()
  if (source === undefined || tokenSource === undefined) {
    const message = 'The connection says nowhere how a token is obtained. Add its token source.'
    return { ok: false, failure: { code: 'api.notConfigured', message, field: 'tokenSource' } }
  }
  const requestAddress = tokenSource.kind === 'client-credentials' ? printableAddress(tokenSource.tokenUrl) : undefined
  try {
    await orAborted(source.token(), signal)
    return { ok: true, proven: tokenSource.kind === 'pasted' ? 'reached' : 'used', requestAddress }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ok: false, failure: error.failure, requestAddress }
  }
}
