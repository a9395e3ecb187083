import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startHarness } from '../../../support'
import { buildRuntimeInput, makeEndpoint, makeRuntime, runtimesPath } from '../support'

const anyTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe('creating a runtime', () => {
  test('returns all fields and those of the server, without secrets', async () => {
    const harness = await startHarness()
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

  test('has one replica and thresholds of 70 percent by default', async () => {
    const harness = await startHarness()
    const { replicas: _r, cpuUtilizationThreshold: _c, memoryUtilizationThreshold: _m, ...least } = buildRuntimeInput()
    const { body } = await harness.api('POST', runtimesPath, { body: least })
    expect(body).toMatchObject({ replicas: 1, cpuUtilizationThreshold: 70, memoryUtilizationThreshold: 70 })
  })

  test('ignores server-owned fields', async () => {
    const harness = await startHarness()
    const runtime = await makeRuntime(harness, {
      id: 'mine',
      status: 'GOLD',
      version: 9,
      clientId: 'x',
      createdAt: 'never',
    })
    expect(runtime).toMatchObject({ status: 'CREATING', version: 1, clientId: `service-account-${runtime.id}` })
    expect([runtime.id === 'mine', runtime.createdAt === 'never']).toEqual([false, false])
    await harness.api('PATCH', `${runtimesPath}/${runtime.id}`, { body: { id: 'mine', version: 9 } })
    const { body } = await harness.api('GET', `${runtimesPath}/${runtime.id}/versions`)
    expect(body.listData.map(({ version, id }: { version: number; id?: string }) => [version, id])).toEqual([
      [2, undefined],
      [1, undefined],
    ])
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

  test.each([
    ['replicas', 1],
    ['replicas', 10],
    ['cpuUtilizationThreshold', 25],
    ['cpuUtilizationThreshold', 75],
    ['cpuUtilizationThreshold', 33.5],
    ['memoryUtilizationThreshold', 25],
    ['memoryUtilizationThreshold', 75],
    ['name', 'a'],
    ['name', `Az_9-${'x'.repeat(45)}`],
    ['environment', {}],
  ])('accepts %s %j, also in a PATCH', async (field, value) => {
    const harness = await startHarness()
    const runtime = await makeRuntime(harness, { [field]: value })
    expect(runtime[field]).toEqual(value)
    const patchAnswer = await harness.api('PATCH', `${runtimesPath}/${runtime.id}`, { body: { [field]: value } })
    expect([patchAnswer.status, patchAnswer.body.version]).toEqual([200, 2])
  })

  const limits: readonly (readonly [string, unknown, string])[] = [
    ['replicas', 0, 'a whole number from 1 to 10'],
    ['replicas', 11, 'a whole number from 1 to 10'],
    ['replicas', -1, 'a whole number from 1 to 10'],
    ['replicas', 1.5, 'a whole number from 1 to 10'],
    ['replicas', '2', 'a whole number from 1 to 10'],
    ['replicas', null, 'a whole number from 1 to 10'],
    ['cpuUtilizationThreshold', 24, 'from 25 to 75'],
    ['cpuUtilizationThreshold', 76, 'from 25 to 75'],
    ['cpuUtilizationThreshold', '50', 'from 25 to 75'],
    ['memoryUtilizationThreshold', 24, 'from 25 to 75'],
    ['memoryUtilizationThreshold', 76, 'from 25 to 75'],
    ['flavorId', 'flavor-huge', 'flavor-micro, flavor-small'],
    ['flavorId', 7, 'must be a string'],
    ['image', '', 'must not be empty'],
    ['description', false, 'must be a string'],
    ['environment', ['a'], 'must be an object'],
    ['environment', { A: 1 }, 'must be a string'],
  ]
  test.each(limits)('refuses %s %j, also in a PATCH, without a change', async (field, value, messagePart) => {
    const harness = await startHarness()
    const refusedAnswer = await harness.api('POST', runtimesPath, { body: buildRuntimeInput({ [field]: value }) })
    expect([refusedAnswer.status, refusedAnswer.body]).toEqual([
      400,
      { code: 'INVALID_INPUT', message: expect.stringContaining(field) },
    ])
    expect(refusedAnswer.body.message).toContain(messagePart)
    expect((await harness.api('GET', runtimesPath)).body.totalItem).toBe(0)
    const { id } = await makeRuntime(harness)
    expect((await harness.api('PATCH', `${runtimesPath}/${id}`, { body: { [field]: value } })).status).toBe(400)
    expect((await harness.api('GET', `${runtimesPath}/${id}`)).body.version).toBe(1)
  })

  test.each(['', 'a'.repeat(51), 'has space', 'dot.dot', 'tên', 'a/b', 'a\n'])('refuses the name %j', async (name) => {
    const harness = await startHarness()
    const refusedAnswer = await harness.api('POST', runtimesPath, { body: buildRuntimeInput({ name }) })
    expect([refusedAnswer.status, refusedAnswer.body.code]).toEqual([400, 'INVALID_NAME'])
    const { id } = await makeRuntime(harness)
    expect((await harness.api('PATCH', `${runtimesPath}/${id}`, { body: { name } })).status).toBe(400)
  })

  test.each(['name', 'image', 'flavorId'])('requires %s', async (field) => {
    const harness = await startHarness()
    const { status, body } = await harness.api('POST', runtimesPath, {
      body: buildRuntimeInput({ [field]: undefined }),
    })
    expect([status, body]).toEqual([400, { code: 'INVALID_INPUT', message: `${field}: is required` }])
  })
})

describe('updating a runtime', () => {
  test('creates the next version from the newest with the changed fields', async () => {
    const harness = await startHarness()
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

  test('creates a version even without changes, and 20 concurrent ones get unique numbers', async () => {
    const harness = await startHarness()
    const { id } = await makeRuntime(harness)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => harness.api('PATCH', `${runtimesPath}/${id}`, { body: {} })),
    )
    const numbers = responses.map(({ body }) => body.version).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 2))
  })
})

describe('lists', () => {
  test('of runtimes and versions are paged', async () => {
    const harness = await startHarness()
    const ids: string[] = []
    for (let runtimeIndex = 1; runtimeIndex <= 5; runtimeIndex += 1)
      ids.push((await makeRuntime(harness, { name: `r-${runtimeIndex}` })).id)
    const page = async (n: number) => (await harness.api('GET', `${runtimesPath}?page=${n}&size=2`)).body
    expect(await page(1)).toMatchObject({ totalItem: 5, totalPage: 3, page: 1, size: 2 })
    const pages = [await page(1), await page(2), await page(3), await page(4)]
    expect(pages.flatMap(({ listData }) => listData.map(({ id }: { id: string }) => id))).toEqual(ids)
    const firstId = ids[0] ?? ''
    for (let runtimeIndex = 0; runtimeIndex < 3; runtimeIndex += 1)
      await harness.api('PATCH', `${runtimesPath}/${firstId}`, { body: {} })
    const versions = await harness.api('GET', `${runtimesPath}/${firstId}/versions?page=2&size=3`)
    expect(versions.body.listData.map(({ version }: { version: number }) => version)).toEqual([1])
  })

  test.each(['', '/x/endpoints', '/x/versions'])('below agent-runtimes%s refuse page 0', async (path) => {
    const harness = await startHarness()
    const { id } = await makeRuntime(harness)
    const { status, body } = await harness.api('GET', `${runtimesPath}${path.replace('x', id)}?page=0&size=20`)
    expect([status, body.message]).toEqual([400, expect.stringContaining('"page"')])
  })

  test('of flavors is a plain array, and each of them creates a runtime', async () => {
    const harness = await startHarness()
    const { status, body } = await harness.api('GET', '/runtime/flavors')
    expect([status, body.length]).toEqual([200, 6])
    for (const flavor of body) {
      expect(flavor).toEqual({
        id: expect.any(String),
        name: expect.any(String),
        vCPU: expect.any(Number),
        memoryGiB: expect.any(Number),
        pricePerHour: expect.any(Number),
      })
      await makeRuntime(harness, { flavorId: flavor.id })
    }
  })
})

describe('deleting a runtime', () => {
  test('returns 204, and then everything below it is 404', async () => {
    const harness = await startHarness()
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
})

test('runtimes, versions and endpoints survive a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const stateFile = join(folder, 'state.json')
  const firstHarness = await startHarness({ stateFile })
  const { id } = await makeRuntime(firstHarness, { team: { name: 'sales' } })
  await firstHarness.api('PATCH', `${runtimesPath}/${id}`, { body: { replicas: 3 } })
  await makeEndpoint(firstHarness, id, { name: 'production', version: 1, colour: 'blue' })
  const paths = ['', '/versions', '/endpoints'].map((path) => `${runtimesPath}/${id}${path}`)
  const responsesBefore = await Promise.all(paths.map((path) => firstHarness.api('GET', path)))
  await firstHarness.sandbox.close()
  const secondHarness = await startHarness({ stateFile })
  const responsesAfter = await Promise.all(paths.map((path) => secondHarness.api('GET', path)))
  const removeStatus = (answers: typeof responsesBefore) => answers.map(({ body }) => ({ ...body, status: undefined }))
  expect(removeStatus(responsesAfter)).toEqual(removeStatus(responsesBefore))
})
