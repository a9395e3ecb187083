import { AppError, type Failure } from '@shared/failure'
import type { Clock } from '../ports'
import type { CallOptions } from './core'
import type { PlatformAnswer } from './exchange'
import type { CallArguments } from './prepare'
import { type ServiceName, services } from './services'

/** What came of testing one service's address and credential. */
export type ServiceTest =
  | { readonly ok: true; readonly durationMs: number }
  | { readonly ok: false; readonly durationMs: number; readonly failure: Failure }

/** What a test needs of a client. */
export interface TestPorts {
  readonly call: (id: string, args: CallArguments, options: CallOptions) => Promise<PlatformAnswer>
  readonly clock: Clock
}

/** Makes the one cheap call that the service's table names; what the platform or the network refuses is an outcome. */
export async function testService(name: ServiceName, options: CallOptions, ports: TestPorts): Promise<ServiceTest> {
  const { test } = services[name]
  if (test === undefined) {
    throw new AppError('input.invalid', `${name} has no call that costs nothing. Use its own check.`, {
      field: 'service',
    })
  }
  const { operation, provenBy = [], ...args } = test
  const startedAt = ports.clock().getTime()
  const durationMs = () => ports.clock().getTime() - startedAt
  try {
    await ports.call(`${name}.${operation}`, args, options)
    return { ok: true, durationMs: durationMs() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { failure } = error
    return provenBy.includes(failure.code)
      ? { ok: true, durationMs: durationMs() }
      : { ok: false, durationMs: durationMs(), failure }
  }
}
