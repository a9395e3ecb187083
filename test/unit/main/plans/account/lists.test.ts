import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, json, type Platform, startPlatform } from '../../platform/harness'
import { connectionId, of, startMachine } from './account-bench'
import { keyAnswer, planAnswer } from './answers'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

const machine = () => startMachine(createClient(platform).client)
const page = (...planIds: readonly string[]) =>
  json(200, { listData: planIds.map((planId) => ({ ...planAnswer, planId })), totalItem: 4, totalPage: 2 })

it('shows a plan once that moved to the next page while the pages were read', async () => {
  platform.answer(page('a', 'b'), page('b', 'c'))
  const plans = await machine().account.plans(of)
  expect(plans.map(({ planId }) => planId).sort()).toEqual(['a', 'b', 'c'])
})

it('tells of a plan of which the platform said nothing that nobody knows, and takes no plan for deleted that was not asked for', async () => {
  const deleted = [
    { planId: 'a', refund: 5 },
    { planId: 'x', refund: 7 },
  ]
  platform.answer(json(200, { deleted, failed: [{ planId: 'b', code: 'NOT_FOUND', message: 'gone' }] }))
  const outcome = await machine().account.deletePlans({ ...of, planIds: ['a', 'b', 'c'] })
  expect(outcome).toMatchObject({
    deleted: [{ planId: 'a', refund: 5 }],
    failed: [
      { planId: 'b', code: 'api.notFound' },
      { planId: 'c', code: 'account.unknownOutcome' },
    ],
  })
})

const buildAnswer = (path: string) => {
  if (path.includes('/keys')) return json(200, { listData: [keyAnswer], totalItem: 1 })
  return json(200, path.includes('?') ? { listData: [planAnswer], totalItem: 1 } : planAnswer)
}

it('tells how far the clock of the place is ahead, by which a plan ends', async () => {
  const { client } = createClient(platform)
  const { account, plans } = startMachine(client, { getClockOffsetMs: (id) => (id === connectionId ? 86_400_000 : 0) })
  platform.answer((request, response) => buildAnswer(request.url ?? '')(request, response))
  await account.keepKey({ ...of, planId: planAnswer.planId, keyId: keyAnswer.keyId })
  expect((await account.plans(of)).map(({ aheadMs }) => aheadMs)).toEqual([86_400_000])
  expect(plans.list().map(({ aheadMs }) => aheadMs)).toEqual([86_400_000])
})

it('fails rather than leave out a plan that cannot be read', async () => {
  platform.answer(json(200, { listData: [planAnswer, { planId: 'odd' }], totalItem: 2, totalPage: 1 }))
  await expect(machine().account.plans(of)).rejects.toMatchObject({ failure: { code: 'api.unreadable' } })
})
