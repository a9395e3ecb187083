import { describe, expect } from 'vitest'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'
import { refusal, startHarness, test } from '../support'

/** Creation and update times of resources that tests create. */
const rowTimestamps = { createdAt: '2025-01-01T00:00:00.000Z', updatedAt: '2025-01-01T00:00:00.000Z' }
const repositories = '/registry/v1/repository'
const users = '/registry/v1/user'

const image = (name: string, sizeBytes = 1000) => ({
  name,
  digest: `sha256:${name}`,
  sizeBytes,
  pushedAt: rowTimestamps.createdAt,
})
const repository = (id: string, names: readonly string[]) => ({
  id,
  name: `team/${id}`,
  images: names.map((name, n) => image(name, n + 1)),
  ...rowTimestamps,
})

const worldWithImages = (seed: string, nowMs: number): World => ({
  ...plainWorld(seed, nowMs),
  registry: {
    repositories: [repository('full', ['1.4.2', '1.4.2-Arm', 'latest']), repository('empty', [])],
    robotAccounts: [],
  },
})

describe('a repository', () => {
  test('is created with the caller’s and our fields, then listed, read, and deleted', async ({ harness }) => {
    const input = { name: 'team/chat.agent', description: 'Trợ lý', tags: [1] }
    const createdResponse = await harness.api('POST', repositories, { body: input })
    expect(createdResponse).toEqual({
      status: 201,
      body: {
        ...input,
        id: expect.stringMatching(/^repository-[0-9a-f-]{36}$/),
        imageCount: 0,
        sizeBytes: 0,
        uri: `${harness.sandbox.ready.addresses.registryHost}/team/chat.agent`,
        createdAt: createdResponse.body.updatedAt,
        updatedAt: expect.any(String),
      },
    })
    const path = `${repositories}/${createdResponse.body.id}`
    expect(await harness.api('GET', path)).toEqual({ status: 200, body: createdResponse.body })
    expect((await harness.api('GET', repositories)).body.listData).toEqual([createdResponse.body])
    expect(await harness.api('POST', repositories, { body: input })).toEqual(refusal(409, 'ALREADY_EXISTS'))
    expect(await harness.api('DELETE', path)).toEqual({ status: 204, body: undefined })
    expect((await harness.api('GET', path)).status).toBe(404)
    expect((await harness.api('GET', repositories)).body.totalItem).toBe(0)
  })

  test('cannot be deleted before its last image', async () => {
    const harness = await startHarness({ begin: worldWithImages })
    const path = `${repositories}/full`
    expect((await harness.api('GET', path)).body).toMatchObject({ imageCount: 3, sizeBytes: 6 })
    for (const [name, held] of Object.entries({ '1.4.2': '3 images', '1.4.2-Arm': '2 images', latest: 'an image' })) {
      expect(await harness.api('DELETE', path)).toEqual(refusal(409, 'REPOSITORY_NOT_EMPTY', `holds ${held}.`))
      expect((await harness.api('DELETE', `${path}/images/delete?imageName=${name}`)).status).toBe(204)
    }
    expect((await harness.api('GET', path)).body).toMatchObject({ imageCount: 0, sizeBytes: 0 })
    expect((await harness.api('DELETE', path)).status).toBe(204)
  })
})

const images = `${repositories}/full/images`

test.each(['1.4', 'LATEST', '%00', 'x'.repeat(2000)])(
  'images named %s are missing for deletion, and no other is affected',
  async (name) => {
    const harness = await startHarness({ begin: worldWithImages })
    const response = await harness.api('DELETE', `${images}/delete?imageName=${name}`)
    expect(response).toEqual(refusal(404, 'NOT_FOUND', 'has no image named'))
    expect((await harness.api('GET', `${images}?name=`)).body.totalItem).toBe(3)
  },
)

test('a robot account returns its secret once, at creation', async ({ harness }) => {
  const robotInput = { name: 'ci.push', permissions: ['push', 'pull'], team: 'build' }
  const createdResponse = await harness.api('POST', users, { body: robotInput })
  const { secret, ...rest } = createdResponse.body
  expect(createdResponse.status).toBe(201)
  expect(secret).toMatch(/^rb-sandbox-[0-9a-f]{40}$/)
  expect(rest).toMatchObject({ ...robotInput, id: expect.stringMatching(/^robot-[0-9a-f-]{36}$/) })
  expect((await harness.api('GET', users)).body.listData).toEqual([rest])
  const otherResponse = await harness.api('POST', users, { body: { ...robotInput, name: 'other' } })
  expect(otherResponse.body.secret).not.toBe(secret)
  expect(await harness.api('DELETE', `${users}/${rest.id}`)).toEqual({ status: 204, body: undefined })
  expect((await harness.api('GET', users)).body.listData).toMatchObject([{ name: 'other' }])
})

test('a container program signs in only with the name and secret of an existing robot account', async ({ harness }) => {
  const robot = await harness.api('POST', users, { body: { name: 'ci', permissions: ['pull'] } })
  const signIn = async (user: string, secret: string): Promise<unknown[]> => {
    const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
    const response = await fetch(`${harness.platformUrl}/v2/`, { headers: { authorization } })
    return [response.status, response.headers.get('www-authenticate'), await response.json()]
  }
  const rejected = [401, 'Basic realm="sandbox"', { errors: [{ code: 'UNAUTHORIZED', message: expect.any(String) }] }]
  expect((await fetch(`${harness.platformUrl}/v2/`)).status).toBe(401)
  expect(await signIn('ci', robot.body.secret)).toEqual([200, null, {}])
  expect(await signIn('ci', 'wrong')).toEqual(rejected)
  expect(await signIn('nobody', robot.body.secret)).toEqual(rejected)
  await harness.api('DELETE', `${users}/${robot.body.id}`)
  expect(await signIn('ci', robot.body.secret)).toEqual(rejected)
})
