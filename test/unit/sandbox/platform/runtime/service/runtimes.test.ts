import { describe, expect } from 'vitest'
import { startHarness, test } from '../../../support'
import { buildRuntimeInput, makeEndpoint, makeRuntime, runtimesPath } from '../support'

const anyTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe('creating a runtime', () => {
  test('returns all fields and those of the server, without secrets', async ({ harness }) => {
    const extraFields = { team: { name: 'sales' }, tags: ['a', 'b'], note: null }
    const runtimeInput = buildRuntimeInput({ description: 'Helps', environment: { LOG_LEVEL: 'info' }, ...extraFields })
    const { status, body } = await harness.api('POST', runtimesPath, { body: runtimeInput })
    expect([status, body]).toEqual([
      201,
      {
        ...runtimeInput,
        id: expect.any(String),
        status: 'CREATING',
        version: 1,
        clientId: `service-account-${body.id}`,
        createdAt: anyTimestamp,
        updatedAt: body.createdAt,
      },
    ])
    expect((await harness.api('GET', `${runtimesPath}/${body.id}`)).body).toEqual(body)
  })

  test('is CREATING until its time has passed to the millisecond, then ACTIVE', async () => {
    const harness = await startHarness({ timing: { asyncMs: 3_600_000 } })
    const { id } = await makeRuntime(harness)
    const getStatusAfter = async (advanceMs: number) => {
      await harness.control('clock', { advanceMs })
      return (await harness.api('GET', `${runtimesPath}/${id}`)).body.status
    }
    expect(await getStatusAfter(3_600_000 - 60_000)).toBe('CREATING')
    expect(await getStatusAfter(60_000)).toBe('ACTIVE')
    expect((await harness.api('GET', runtimesPath)).body.listData[0].status).toBe('ACTIVE')
  })
})

describe('updating a runtime', () => {
  test('creates the next version from the newest with the changed fields', async ({ harness }) => {
    const { id, createdAt } = await makeRuntime(harness, { environment: { A: '1', B: '2' }, team: 'sales' })
    await harness.control('clock', { advanceMs: 60_000 })
    const second = await harness.api('PATCH', `${runtimesPath}/${id}`, {
      body: { replicas: 5, environment: { C: '3' } },
    })
    expect(second.body).toMatchObject({ version: 2, replicas: 5, environment: { C: '3' }, team: 'sales', createdAt })
    expect(second.body.updatedAt > createdAt).toBe(true)
    await harness.api('PATCH', `${runtimesPath}/${id}`, { body: { image: 'agents/helper:2.0.0', owner: 'Lan' } })
    const { body } = await harness.api('GET', `${runtimesPath}/${id}/versions`)
    expect(body).toMatchObject({ totalItem: 3, totalPage: 1, page: 1 })
    expect(body.listData).toEqual([
      {
        ...buildRuntimeInput({ image: 'agents/helper:2.0.0', replicas: 5, environment: { C: '3' } }),
        team: 'sales',
        owner: 'Lan',
        version: 3,
        createdAt: anyTimestamp,
      },
      {
        ...buildRuntimeInput({ replicas: 5, environment: { C: '3' } }),
        team: 'sales',
        version: 2,
        createdAt: second.body.updatedAt,
      },
      { ...buildRuntimeInput({ environment: { A: '1', B: '2' } }), team: 'sales', version: 1, createdAt },
    ])
  })

  test('creates a version even without changes, and 20 concurrent ones get unique numbers', async ({ harness }) => {
    const { id } = await makeRuntime(harness)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => harness.api('PATCH', `${runtimesPath}/${id}`, { body: {} })),
    )
    const numbers = responses.map(({ body }) => body.version).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 2))
  })
})

test('deleting a runtime returns 204, and then everything below it is 404', async ({ harness }) => {
  const [keptRuntime, { id }] = [await makeRuntime(harness), await makeRuntime(harness)]
  const endpoint = await makeEndpoint(harness, id)
  expect(await harness.api('DELETE', `${runtimesPath}/${id}`)).toEqual({ status: 204, body: undefined })
  const subPaths: readonly (readonly [string, string, object?])[] = [
    ['GET', ''],
    ['PATCH', '', {}],
    ['DELETE', ''],
    ['PATCH', '/reset-service-account'],
    ['GET', '/versions'],
    ['GET', '/endpoints'],
    ['POST', '/endpoints', { name: 'again' }],
    ['PATCH', `/endpoints/${endpoint.id}?version=1`],
    ['DELETE', `/endpoints/${endpoint.id}`],
    ['POST', '/logs', {}],
    ['POST', `/endpoints/${endpoint.id}/logs`, {}],
    ['GET', `/endpoints/${endpoint.id}/metrics`],
  ]
  for (const [method, path, body] of subPaths) {
    const response = await harness.api(method, `${runtimesPath}/${id}${path}`, body === undefined ? {} : { body })
    expect([path, response.status, response.body.code]).toEqual([path, 404, 'NOT_FOUND'])
    expect(response.body.message).toContain(id)
  }
  expect(
    (await harness.api('GET', runtimesPath)).body.listData.map((listedRuntime: { id: string }) => listedRuntime.id),
  ).toEqual([keptRuntime.id])
})
