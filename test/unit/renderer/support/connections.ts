import type { ConnectionTestView, ConnectionView, OperationView } from '@shared/contract'

const testedAt = '2026-11-21T08:00:00.000Z'

export const connection = (overrides: Partial<ConnectionView> = {}): ConnectionView => ({
  id: 'c1',
  name: 'Production',
  addresses: { tokenPlanUrl: 'https://gateway.example.com', memoryApiUrl: 'https://memory.example.com' },
  tokenSource: { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/token', clientId: 'companion' },
  secret: 'keychain',
  isBuiltIn: false,
  isActive: false,
  createdAt: testedAt,
  ...overrides,
})

export const buildBuiltInConnection = (overrides: Partial<ConnectionView> = {}): ConnectionView =>
  connection({ id: 'sandbox', name: 'sandbox', isBuiltIn: true, isActive: true, ...overrides })

/** Result of a successful test of one part of a connection. */
export const buildPassedTest = (
  part: ConnectionTestView['part'],
  proven: 'used' | 'reached' = 'used',
): ConnectionTestView => ({
  ok: true,
  part,
  at: testedAt,
  durationMs: 42,
  requestAddress: `https://${part}.example.com/things`,
  proven,
})

/** Result of a failed connection test. */
export const buildFailedTest = (
  part: ConnectionTestView['part'],
  code: 'auth.rejected' | 'api.notFound' | 'net.refused',
  status?: number,
): ConnectionTestView => ({
  ok: false,
  part,
  at: testedAt,
  durationMs: 42,
  requestAddress: `https://${part}.example.com/things`,
  ...(status === undefined ? {} : { status }),
  failure: { code, message: 'For the log.', requestId: 'req-1' },
})

/** A running operation. */
export const operation = (overrides: Partial<OperationView> = {}): OperationView => ({
  id: 'o1',
  kind: 'apiKey.create',
  connectionId: 'c1',
  connectionName: 'Production',
  subject: 'ci-runner',
  state: 'running',
  startedAt: testedAt,
  ...overrides,
})
