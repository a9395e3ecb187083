import { describe, expect, test } from 'vitest'
import { startHarness } from '../../../support'
import { makeEndpoint, makeRuntime, runtimesPath } from '../support'

async function startWithVersions(count: number) {
  const harness = await startHarness()
  const { id } = await makeRuntime(harness)
  for (let index = 1; index < count; index += 1)
    await harness.api('PATCH', `${runtimesPath}/${id}`, { body: { step: index } })
  return { harness, id, path: `${runtimesPath}/${id}/endpoints` }
}

describe('an endpoint', () => {
  test('points at the newest version by default, and stays there when versions are added', async () => {
    const { harness, id, path } = await startWithVersions(3)
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

  test.each(['1', '2', '3'])('is pointed at version %s by the query', async (version) => {
    const { harness, id, path } = await startWithVersions(3)
    const endpoint = await makeEndpoint(harness, id)
    const moveAnswer = await harness.api('PATCH', `${path}/${endpoint.id}?version=${version}`)
    expect([moveAnswer.status, moveAnswer.body]).toEqual([
      200,
      { ...endpoint, version: Number(version), updatedAt: expect.stringMatching(/Z$/) },
    ])
    expect((await harness.api('GET', path)).body.listData).toEqual([moveAnswer.body])
  })
})
