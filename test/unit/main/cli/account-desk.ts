import { onTestFinished } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { type CliHarness, connect, createHarness, json, type Routes } from './desk'

export const listResponse = (...rows: readonly unknown[]) =>
  json({ listData: rows, totalItem: rows.length, totalPage: rows.length === 0 ? 0 : 1 })

export const packageAnswer = {
  packageId: 'package-pro',
  planType: 'Pro',
  price: 490_000,
  durationDays: 30,
  maxKeys: 5,
  models: [{ modelCode: 'm', displayName: 'M', tokenQuota: 1000, requestQuota: 10, enabledTypes: ['chat'] }],
}

/** Console responses with a plan `team` (p1), which has one key, and two plans named `twin` (p2, p3). */
const defaults: Routes = {
  'GET /console/account': json({ accountId: 'a', role: 'ADMIN', credits: 1_000_000 }),
  'GET /console/packages': listResponse(packageAnswer),
  'GET /console/packages/package-pro': json(packageAnswer),
  'GET /console/token-plans': listResponse(
    planAnswer,
    { ...planAnswer, planId: 'p2', name: 'twin' },
    { ...planAnswer, planId: 'p3', name: 'twin' },
  ),
  'GET /console/token-plans/p1': json(planAnswer),
  'GET /console/token-plans/p1/keys': listResponse(keyAnswer),
}

/** Creates a test environment with a console connection `office` and a plan `handed` that was added by key. */
export async function createAccountHarness(routes: Routes = {}): Promise<CliHarness & { changes(): string[] }> {
  const harness = await createHarness({ ...defaults, ...routes })
  onTestFinished(() => harness.close())
  await connect(harness)
  const input = { name: 'handed', gatewayUrl: 'https://handed.example.com', models: ['x'] }
  await harness.core.plans.add(input, new Secret(issuedKey))
  return {
    ...harness,
    /** Requests to the console that may change something. */
    changes: () =>
      harness.server.received.flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path.slice(8)}`])),
  }
}

export const issuedKey = 'sk-handed-0123456789abcdef'
