import { expect } from 'vitest'
import { test } from '../../../support'
import { makeEndpoint, makeRuntime, runtimesPath } from '../support'

test('an endpoint points at the newest version by default, and stays there when versions are added', async ({
  harness,
}) => {
  const { id } = await makeRuntime(harness)
  const path = `${runtimesPath}/${id}/endpoints`
  for (const step of [1, 2]) await harness.api('PATCH', `${runtimesPath}/${id}`, { body: { step } })
  const newestEndpoint = await harness.api('POST', path, { body: { name: 'production', id: 'mine', colour: 'blue' } })
  expect([newestEndpoint.status, newestEndpoint.body]).toEqual([
    201,
    {
      id: expect.any(String),
      name: 'production',
      version: 3,
      colour: 'blue',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: newestEndpoint.body.createdAt,
    },
  ])
  expect(newestEndpoint.body.id).not.toBe('mine')
  expect((await makeEndpoint(harness, id, { name: 'old', version: 1 })).version).toBe(1)
  await harness.api('PATCH', `${runtimesPath}/${id}`, { body: {} })
  const { body } = await harness.api('GET', path)
  expect(body).toMatchObject({ totalItem: 2, totalPage: 1, page: 1 })
  expect(body.listData.map(({ name, version }: { name: string; version: number }) => [name, version])).toEqual([
    ['production', 3],
    ['old', 1],
  ])
})
