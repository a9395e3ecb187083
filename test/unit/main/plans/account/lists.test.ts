import { afterAll, expect, it } from 'vitest'
import { createClient, json, startPlatform } from '../../platform/harness'
import { connectionId, connectionInput, startMachine } from './account-bench'
import { keyAnswer, planAnswer } from './answers'

const platform = await startPlatform()
afterAll(() => platform.close())

const createComputer = () => startMachine(createClient(platform).client)
const page = (...planIds: readonly string[]) =>
  json(200, { listData: planIds.map((planId) => ({ ...planAnswer, planId })), totalItem: 4, totalPage: 2 })

it('lists a plan once when it moves to the next page between requests', async () => {
  platform.answer(page('a', 'b'), page('b', 'c'))
  const plans = await createComputer().account.plans(connectionInput)
  expect(plans.map(({ planId }) => planId).sort()).toEqual(['a', 'b', 'c'])
})

it('reports a plan without a result as unknown, and no unrequested plan as deleted', async () => {
  const deletedPlans = [
    { planId: 'a', refund: 5 },
    { planId: 'x', refund: 7 },
  ]
  platform.answer(json(200, { deleted: deletedPlans, failed: [{ planId: 'b', code: 'NOT_FOUND', message: 'gone' }] }))
  const outcome = await createComputer().account.deletePlans({ ...connectionInput, planIds: ['a', 'b', 'c'] })
  expect(outcome).toMatchObject({
    deleted: [{ planId: 'a', refund: 5 }],
    failed: [
      { planId: 'b', code: 'api.notFound' },
      { planId: 'c', code: 'account.unknownOutcome' },
    ],
  })
})

const buildResponse = (path: string) => {
  if (path.includes('/keys')) return json(200, { listData: [keyAnswer], totalItem: 1 })
  return json(200, path.includes('?') ? { listData: [planAnswer], totalItem: 1 } : planAnswer)
}

it('returns the server’s clock offset, which decides when a plan expires', async () => {
  const { client } = createClient(platform)
  const { account, plans } = startMachine(client, { getClockOffsetMs: (id) => (id === connectionId ? 86_400_000 : 0) })
  platform.answer((request, response) => buildResponse(request.url ?? '')(request, response))
  await account.keepKey({ ...connectionInput, planId: planAnswer.planId, keyId: keyAnswer.keyId })
  expect((await account.plans(connectionInput)).map(({ aheadMs: clockOffsetMs }) => clockOffsetMs)).toEqual([
    86_400_000,
  ])
  expect(plans.list().map(({ aheadMs: clockOffsetMs }) => clockOffsetMs)).toEqual([86_400_000])
})

it('fails instead of omitting a plan that it cannot parse', async () => {
  platform.answer(json(200, { listData: [planAnswer, { planId: 'odd' }], totalItem: 2, totalPage: 1 }))
  await expect(createComputer().account.plans(connectionInput)).rejects.toMatchObject({
    failure: { code: 'api.unreadable' },
  })
})
