import { afterAll, expect, it } from 'vitest'
import { catchFailure, createClient, json, startPlatform } from './harness'

const platform = await startPlatform()
afterAll(() => platform.close())

it.each([
  [400, { code: 'INVALID_NAME', message: 'no spaces' }, { code: 'account.invalidName', field: 'name' }],
  [403, { code: 'ROLE_NOT_ALLOWED', message: 'only admins' }, { code: 'account.roleNotAllowed' }],
  [409, { code: 'INSUFFICIENT_CREDITS', message: 'add credits' }, { code: 'account.insufficientCredits' }],
  [409, { code: 'KEY_LIMIT_REACHED', message: 'five keys' }, { code: 'account.keyLimitReached' }],
  [409, { code: 'PLAN_EXPIRED', message: 'buy again' }, { code: 'account.planExpired' }],
  [404, { code: 'NOT_FOUND', message: 'no plan' }, { code: 'api.notFound' }],
  [409, { code: 'SOMETHING_NEW', message: 'who knows' }, { code: 'api.conflict' }],
  [403, { message: 'no code' }, { code: 'api.forbidden' }],
  [500, { code: 'INSUFFICIENT_CREDITS', message: 'broken' }, { code: 'api.serverError' }],
])('%i with %j is explained as %j, in the console’s words', async (status, body, expected) => {
  platform.answer(json(status, body))
  const { client } = createClient(platform)
  const call = client.call('console.tokenPlans.create', { body: { name: 'team', packageId: 'p', autoRenew: true } })
  const failure = await catchFailure(call)
  expect(failure).toMatchObject(expected)
  expect(failure.message).toContain(body.message)
})
