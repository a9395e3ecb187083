import { describe, expect, test } from 'vitest'
import { getSeededWorld, type Harness, startHarness } from '../support'

/* Tests of each row of the spec's table "Limits", with values at the limit, just outside, and far outside. */

type SendValue = (harness: Harness, value: unknown) => Promise<number>

const createPostSender =
  (path: string, body: (value: unknown) => unknown): SendValue =>
  async (harness, value) =>
    (await harness.api('POST', path, { body: body(value) })).status

const patch =
  (path: string, body: (value: unknown) => unknown): SendValue =>
  async (harness, value) =>
    (await harness.api('PATCH', path, { body: body(value) })).status

const runtime = (change: object) => ({ name: 'r', image: 'agents/r:1.0.0', flavorId: 'flavor-small', ...change })
const repeatLetter = (count: number) => 'a'.repeat(count)
const search = '/memory/memories/memory-support-agent/memory-records:search?namespace=%2F'
const logs = '/runtime/agent-runtimes/runtime-support-agent/logs'
const endpointLogs = '/runtime/agent-runtimes/runtime-support-agent/endpoints/runtime-support-agent-production/logs'

const rows: readonly (readonly [
  limit: string,
  attempt: SendValue,
  good: readonly unknown[],
  bad: readonly unknown[],
])[] = [
  [
    'Plan name: max 50 chars; characters a-z A-Z 0-9 _ - .',
    createPostSender('/console/token-plans', (name) => ({ name, packageId: 'package-starter' })),
    ['a', repeatLetter(50), 'Az09_-.'],
    ['', repeatLetter(51), 'a b', 'a/b', 'đ', 'a\n', 7, null],
  ],
  [
    'Identity name: max 50 chars, ^[a-zA-Z0-9_-]+$',
    createPostSender('/identity/api/v1/agent-identities', (name) => ({ name })),
    ['a', repeatLetter(50), 'Az09_-'],
    ['', repeatLetter(51), 'a.b', 'a b', 'đ', 7, null],
  ],
  [
    'Auth provider name (static): max 50 chars, ^[a-zA-Z0-9_-]+$',
    createPostSender('/identity/api/v1/outbound-auth/api-key-providers', (name) => ({ name, apiKey: 'k' })),
    ['a', repeatLetter(50), 'Az09_-'],
    ['', repeatLetter(51), 'a.b', 'a b', 7],
  ],
  [
    'Auth provider name (delegated): max 50 chars, ^[a-zA-Z0-9_-]+$',
    createPostSender('/identity/api/v1/outbound-auth/delegated-api-key-providers', (name) => ({ name })),
    ['a', repeatLetter(50), 'Az09_-'],
    ['', repeatLetter(51), 'a.b', 'a b', 7],
  ],
  [
    'Auth provider name (OAuth2): max 50 chars, ^[a-zA-Z0-9_-]+$',
    createPostSender('/identity/api/v1/outbound-auth/oauth2-providers', (name) => ({
      name,
      clientId: 'c',
      clientSecret: 's',
      tokenUrl: 'https://example.com/token',
    })),
    ['a', repeatLetter(50), 'Az09_-'],
    ['', repeatLetter(51), 'a.b', 'a b', 7],
  ],
  [
    'Runtime replicas: min 1, max 10',
    createPostSender('/runtime/agent-runtimes', (replicas) => runtime({ replicas })),
    [1, 10],
    [0, 11, -1, 1.5, '2'],
  ],
  [
    'Runtime replicas, updated',
    patch('/runtime/agent-runtimes/runtime-support-agent', (replicas) => ({ replicas })),
    [1, 10],
    [0, 11],
  ],
  [
    'CPU utilization threshold: 25 to 75 percent',
    createPostSender('/runtime/agent-runtimes', (cpuUtilizationThreshold) => runtime({ cpuUtilizationThreshold })),
    [25, 75],
    [0, 24, 76, 100, '50'],
  ],
  [
    'Memory utilization threshold: 25 to 75 percent',
    createPostSender('/runtime/agent-runtimes', (memoryUtilizationThreshold) =>
      runtime({ memoryUtilizationThreshold }),
    ),
    [25, 75],
    [0, 24, 76, 100, '50'],
  ],
  ['Log offset from: max 5000', createPostSender(logs, (from) => ({ from, limit: 1 })), [0, 1, 5000], [-1, 5001, 1.5]],
  ['Log limit: max 1000', createPostSender(logs, (limit) => ({ from: 0, limit })), [1, 1000], [0, -1, 1001, 1.5]],
  [
    'Log offset from, of an endpoint',
    createPostSender(endpointLogs, (from) => ({ from, limit: 1 })),
    [0, 1, 5000],
    [-1, 5001],
  ],
  ['Log limit, of an endpoint', createPostSender(endpointLogs, (limit) => ({ from: 0, limit })), [1, 1000], [0, 1001]],
  [
    'Memory name: max 50 chars, ^[a-zA-Z0-9._-]*$',
    createPostSender('/memory/memories', (name) => ({ name, eventExpiryDuration: 30 })),
    ['', 'a', repeatLetter(50), 'Az09._-'],
    [repeatLetter(51), 'a b', 'a/b', 'đ', 7],
  ],
  [
    'Event expiry duration: 1 to 365 days',
    createPostSender('/memory/memories', (eventExpiryDuration) => ({ name: 'm', eventExpiryDuration })),
    [1, 365],
    [0, 366, -1, 1.5, '30'],
  ],
  [
    'Semantic search limit: 5 to 200',
    createPostSender(search, (limit) => ({ query: 'q', limit })),
    [5, 200],
    [0, 1, 4, 201, 5.5],
  ],
  [
    'Semantic search scoreThreshold: 0.0 to 1.0',
    createPostSender(search, (scoreThreshold) => ({ query: 'q', limit: 5, scoreThreshold })),
    [0, 0.5, 1],
    [-0.01, 1.01, '0.5'],
  ],
  [
    'Registry first page: page=1 (0 returns 400)',
    async (harness, page) => (await harness.api('GET', `/registry/v1/repository?page=${page}`)).status,
    [1],
    [0],
  ],
  [
    'Registry image list: name parameter required, even if empty',
    async (harness, query) =>
      (await harness.api('GET', `/registry/v1/repository/repository-agents-support-agent/images?page=1${query}`))
        .status,
    ['&name=', '&name=1.0', '&name=nothing-like-it'],
    [''],
  ],
  [
    'Platform API key name: ^[a-z0-9\\-]{5,50}$',
    createPostSender('/aip/v1/api-keys', (name) => ({ name })),
    ['abcde', repeatLetter(50), 'a-0-z'],
    ['', 'a', 'abcd', repeatLetter(51), 'ABCDE', 'abc_e', 'abc.e', 'abc\\e', 7],
  ],
]

describe.each(rows)('%s', (_limit, attempt, validValues, invalidValues) => {
  test.each(validValues.map((value) => [value]))('%j is accepted', async (value) => {
    const harness = await startHarness({ begin: getSeededWorld })
    expect([200, 201, 202]).toContain(await attempt(harness, value))
  })

  test.each(invalidValues.map((value) => [value]))('%j is refused with 400', async (value) => {
    const harness = await startHarness({ begin: getSeededWorld })
    expect(await attempt(harness, value)).toBe(400)
  })
})

test('Subscription keys: per-plan Max keys from the Plan Type', async () => {
  const harness = await startHarness({ begin: getSeededWorld })
  const packages = (await harness.api('GET', '/console/packages?page=1')).body.listData
  for (const { packageId, maxKeys } of packages.filter(
    (offeredPackage: { maxKeys: number }) => offeredPackage.maxKeys <= 5,
  )) {
    await harness.control('account', { credits: 10_000_000 })
    const { planId } = (await harness.api('POST', '/console/token-plans', { body: { name: 'p', packageId } })).body
    const statuses: number[] = []
    for (let keyIndex = 1; keyIndex <= maxKeys; keyIndex += 1) {
      statuses.push(
        (await harness.api('POST', `/console/token-plans/${planId}/keys`, { body: { name: `k${keyIndex}` } })).status,
      )
    }
    expect(statuses).toEqual([...Array(maxKeys - 1).fill(201), 409])
  }
})

test('Plan change: no swap of Plan Type', async () => {
  const harness = await startHarness({ begin: getSeededWorld })
  const { body } = await harness.api('PATCH', '/console/token-plans/plan-sandbox-pro', {
    body: { autoRenew: true, planType: 'Team', packageId: 'package-team' },
  })
  expect(body.planType).toBe('Pro')
  expect((await harness.api('GET', '/console/token-plans/plan-sandbox-pro')).body.packageId).toBe('package-pro')
})

test('Usage key filter: single select', async () => {
  const harness = await startHarness({ begin: getSeededWorld })
  const usage = '/console/token-plans/plan-sandbox-pro/usage?interval=day'
  const [allKeysAnswer, oneKeyAnswer, twoKeysAnswer] = await Promise.all([
    harness.api('GET', usage),
    harness.api('GET', `${usage}&keyId=key-pro-default`),
    harness.api('GET', `${usage}&keyId=key-pro-default&keyId=key-pro-ci`),
  ])
  expect([allKeysAnswer.status, oneKeyAnswer.status, twoKeysAnswer.status]).toEqual([200, 200, 400])
  expect(oneKeyAnswer.body.totals.tokens).toBeLessThan(allKeysAnswer.body.totals.tokens)
  expect(oneKeyAnswer.body.totals.tokens).toBeGreaterThan(0)
})

test('Registry deletion: repository must have all images deleted first', async () => {
  const harness = await startHarness({ begin: getSeededWorld })
  const repositoryPath = '/registry/v1/repository/repository-tools-web-fetch'
  expect((await harness.api('DELETE', repositoryPath)).status).toBe(409)
  const images = (await harness.api('GET', `${repositoryPath}/images?name=&page=1&size=10`)).body.listData
  for (const [index, { name }] of images.entries()) {
    expect((await harness.api('DELETE', repositoryPath)).status).toBe(409)
    expect((await harness.api('DELETE', `${repositoryPath}/images/delete?imageName=${name}`)).status).toBe(204)
    expect((await harness.api('GET', repositoryPath)).body.imageCount).toBe(images.length - index - 1)
  }
  expect((await harness.api('DELETE', repositoryPath)).status).toBe(204)
  expect((await harness.api('GET', repositoryPath)).status).toBe(404)
})
