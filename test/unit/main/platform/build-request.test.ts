import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinAddress, prepare } from '../../../../src/main/platform/build-request'
import { findPlatformOperation } from '../../../../src/main/platform/services'
import { catchFailure } from '../../support/failures'

const HOST = 'https://api.example.com'
const addresses = { identityApiUrl: `${HOST}/api/v1`, memoryApiUrl: HOST, registryApiUrl: HOST, runtimeApiUrl: HOST }

const prepareOperation = (id: string, args = {}, baseUrls: Parameters<typeof prepare>[2] = addresses) =>
  prepare(findPlatformOperation(id), args, baseUrls)
const catchRefusal = (...call: Parameters<typeof prepareOperation>) =>
  catchFailure(Promise.resolve().then(() => prepareOperation(...call)))

const fillPath = (id: string) => Object.fromEntries(findPlatformOperation(id).pathParams.map((name) => [name, 'x']))

/** Random path parameters: any valid Unicode text except an empty one or one of only dots. */
const value = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.string({ unit: fc.constantFrom(..."/%.: ?#&+=\\;@é漢\u{1f511}~*'()!\n\0"), minLength: 1 }),
  )
  .filter((text) => text !== '.' && text !== '..' && !/\p{Surrogate}/u.test(text))

describe('a value in a path', () => {
  it('arrives unchanged in a single segment, whatever it is', () => {
    fc.assert(
      fc.property(value, value, (id, endpointId) => {
        const { url } = prepareOperation('runtime.endpoints.delete', { path: { id, endpointId } })
        const segments = new URL(url).pathname.split('/').map(decodeURIComponent)
        expect(segments).toEqual(['', 'agent-runtimes', id, 'endpoints', endpointId])
        expect(new URL(url).href).toBe(url)
      }),
    )
  })

  it.each([
    ['team/agent', 'team%2Fagent'],
    ['50%', '50%25'],
    ['a b', 'a%20b'],
    ['tiếng Việt', 'ti%E1%BA%BFng%20Vi%E1%BB%87t'],
    ['..%2f..', '..%252f..'],
    ['../x', '..%2Fx'],
    ['...', '...'],
    ["it's(!)*", 'it%27s%28%21%29%2A'],
    [7, '7'],
  ])('%j is written as %s', (name, encodedName) => {
    const { url } = prepareOperation('identity.agentIdentities.get', { path: { name } })
    expect(url).toBe(`${HOST}/api/v1/agent-identities/${encodedName}`)
  })

  it.each(['', '.', '..', '\ud800'])('%j is refused, because it would change the path', async (name) => {
    const failure = await catchRefusal('identity.agentIdentities.delete', { path: { name } })
    expect(failure).toMatchObject({ code: 'input.invalid', field: 'name' })
  })

  it('is refused when it is missing or not part of the path', async () => {
    expect(await catchRefusal('identity.agentIdentities.get')).toMatchObject({ code: 'input.invalid', field: 'name' })
    const path = { name: 'a', nmae: 'b' }
    expect(await catchRefusal('identity.agentIdentities.get', { path })).toMatchObject({ field: 'nmae' })
  })
})

describe('a base address', () => {
  it('is joined with one slash, with and without a path or trailing slashes', () => {
    const segment = fc.stringMatching(/^[a-z0-9-]{1,8}$/)
    fc.assert(
      fc.property(fc.array(segment), fc.nat(3), fc.array(segment, { minLength: 1 }), (base, slashes, path) => {
        const start = [HOST, ...base].join('/')
        const pathSuffix = `/${path.join('/')}`
        expect(joinAddress(start + '/'.repeat(slashes), pathSuffix)).toBe(start + pathSuffix)
      }),
    )
  })

  it('keeps encoding in its path, and drops a query', () => {
    expect(joinAddress(`${HOST}/t%2F1/v1?a=b#c`, '/x')).toBe(`${HOST}/t%2F1/v1/x`)
  })

  it.each([
    [undefined, 'api.notConfigured'],
    ['', 'api.notConfigured'],
    ['  ', 'api.notConfigured'],
    ['api.example.com', 'address.notAnAddress'],
    ['ftp://api.example.com', 'address.notAnAddress'],
    ['http://api.example.com', 'address.insecure'],
    ['https://user:hunter2@api.example.com', 'address.credentials'],
  ])('%j is %s, naming the address', async (aipApiUrl, code) => {
    const wrongAddresses = aipApiUrl === undefined ? {} : { aipApiUrl }
    const failure = await catchRefusal('aip.models.list', {}, wrongAddresses)
    expect(failure).toMatchObject({ code, field: 'aipApiUrl' })
    expect(failure.message).not.toContain('hunter2')
  })
})

describe('a query', () => {
  it.each([
    ['registry.images.list', {}, '?name=&page=1&size=20'],
    ['registry.images.list', { name: 'a&b', size: 5 }, '?name=a%26b&page=1&size=5'],
    ['identity.agentIdentities.list', {}, '?page=0&size=20'],
    ['identity.agentIdentities.list', { page: 0, size: 20 }, '?page=0&size=20'],
    ['memory.records.list', { limit: 100, namespace: '/a b/ü' }, '?namespace=%2Fa%20b%2F%C3%BC&limit=100'],
    ['memory.records.list', { namespace: 'n', limit: undefined }, '?namespace=n'],
    ['runtime.flavors.list', { 'of&ours': true, 'x[]': 'é' }, '?of%26ours=true&x%5B%5D=%C3%A9'],
    ['runtime.flavors.list', {}, ''],
  ])('of %s with %j is %s', (id, query, queryText) => {
    const { url } = prepareOperation(id, { path: fillPath(id), query })
    expect([new URL(url).search, url.endsWith(queryText)]).toEqual([queryText, true])
  })

  it.each([
    ['runtime.endpoints.setVersion', {}, 'version'],
    ['runtime.endpoints.setVersion', { version: '' }, 'version'],
    ['memory.records.list', { limit: 5 }, 'namespace'],
    ['memory.records.search', { namespace: undefined }, 'namespace'],
    ['memory.records.generateFromSession', { actorId: 'a', sessionId: 's' }, 'longTermMemoryStrategyId'],
    ['registry.images.delete', { imageName: '' }, 'imageName'],
    ['registry.repositories.list', { page: '0' }, 'page'],
    ['runtime.agentRuntimes.list', { page: 1.5 }, 'page'],
    ['identity.agentIdentities.list', { page: -1 }, 'page'],
    ['identity.agentIdentities.list', { page: 'two' }, 'page'],
    ['identity.agentIdentities.list', { page: '' }, 'page'],
  ])('of %s %j is refused for its %s', async (id, query, field) => {
    expect(await catchRefusal(id, { path: fillPath(id), query })).toMatchObject({ code: 'input.invalid', field })
  })
})

const longName = 'n'.repeat(51)

describe('a body', () => {
  const identityKinds = ['agentIdentities', 'apiKeyProviders', 'delegatedProviders', 'oauth2Providers']
  const identities = identityKinds.map((kind) => `identity.${kind}.create`)
  const runtimes = ['runtime.agentRuntimes.create', 'runtime.agentRuntimes.update']
  const logs = ['runtime.agentRuntimes.logs', 'runtime.endpoints.logs']
  const keyNames = ['abcd', longName, 'Upper-case', 'with_underscore', 'ABCDE', 'abc\\de']
  /** Limits of the platform's spec (section "Limits", area B), each exceeded by one, and values of a wrong type. */
  const bodyLimits: readonly (readonly [ids: string[], field: string, values: readonly unknown[], rule: string])[] = [
    [identities, 'name', [longName, 'a b', 'a.b', '', 'a\n', 5], '1 to 50 letters, digits, - and _'],
    [runtimes, 'replicas', [0, 11, '3'], 'a whole number from 1 to 10'],
    [runtimes, 'cpuUtilizationThreshold', [24, 24.9, 76], 'from 25 to 75 percent'],
    [runtimes, 'memoryUtilizationThreshold', [24, 76], 'from 25 to 75 percent'],
    [logs, 'from', [-1, 5001], 'from 0 to 5000'],
    [logs, 'limit', [0, 1001], 'from 1 to 1000'],
    [['memory.memories.create'], 'name', [longName, 'a b', 'a/b'], 'up to 50 letters, digits, ., - and _'],
    [['memory.memories.create'], 'eventExpiryDuration', [0, 366, 1.5], 'from 1 to 365'],
    [['memory.records.search'], 'limit', [4, 201], 'from 5 to 200'],
    [['memory.records.search'], 'scoreThreshold', [-0.1, 1.1], 'from 0 to 1'],
    [['aip.apiKeys.create'], 'name', keyNames, '5 to 50 small letters, digits and -'],
  ]
  it.each(bodyLimits)('of %s with the %s %j is refused with the rule: %s', async (ids, field, values, rule) => {
    for (const [id, value] of ids.flatMap((id) => values.map((value) => [id, value] as const))) {
      const body = { name: 'valid', [field]: value }
      const failure = await catchRefusal(id, { path: fillPath(id), query: { namespace: '/' }, body })
      expect([id, value, failure]).toEqual([id, value, expect.objectContaining({ code: 'input.invalid', field })])
      expect(failure.message).toMatch(new RegExp(`^${field} (must|takes|is) .*\\.$`))
      expect(failure.message).toContain(rule)
    }
  })

  it.each([
    ['identity.agentIdentities.create', []],
    ['identity.agentIdentities.create', 'text'],
    ['identity.agentIdentities.create', null],
    ['registry.repositories.list', { a: 1 }],
    ['registry.repositories.delete', {}],
  ])('of %s that is %j is refused', async (id, body) => {
    const failure = await catchRefusal(id, { path: fillPath(id), body })
    expect(failure).toMatchObject({ code: 'input.invalid', field: 'body' })
    expect(failure.message).toMatch(/^body (must|takes|is) .*\.$/)
  })

  it.each([
    ['identity.agentIdentities.create', { name: 'Agent_1-x', other: [1] }],
    ['identity.agentIdentities.create', { displayName: 'names of other fields are not judged /' }],
    ['identity.agentIdentities.update', { name: 'judged when made only /' }],
    ['memory.memories.create', { name: '', eventExpiryDuration: 365 }],
    ['memory.memories.create', { name: 'a.b-c_d', eventExpiryDuration: 1 }],
    ['runtime.agentRuntimes.create', { replicas: 10, cpuUtilizationThreshold: 25, memoryUtilizationThreshold: 75 }],
    ['runtime.agentRuntimes.update', { replicas: 1, flavor: { deep: null } }],
    ['runtime.agentRuntimes.logs', { from: 0, limit: 1 }],
    ['runtime.agentRuntimes.logs', { from: 5000, limit: 1000, query: 'x' }],
    ['aip.apiKeys.create', { name: 'abc-5' }],
    ['aip.apiKeys.create', { name: 'a'.repeat(50) }],
  ])('of %s %j is sent unchanged', (id, body) => {
    const { body: sentBody } = prepareOperation(id, { path: fillPath(id), body }, { ...addresses, aipApiUrl: HOST })
    expect(sentBody).toBe(JSON.stringify(body))
  })

  it('of a purchase needs a valid plan name', async () => {
    const operation = 'console.tokenPlans.create'
    for (const body of [undefined, {}, { name: '' }, { name: 'a b' }, { name: longName }]) {
      const failure = await catchRefusal(operation, { body }, { consoleUrl: HOST })
      expect(failure).toMatchObject({ code: 'input.invalid', field: 'name' })
    }
    const validBody = { name: 'Team_1.a-b', packageId: 'p', autoRenew: true }
    const { body } = prepareOperation(operation, { body: validBody }, { consoleUrl: HOST })
    expect(body).toBe(JSON.stringify(validBody))
  })

  it('is absent when none is given', () => {
    const path = { id: 'm', actorId: 'a', sessionId: 's' }
    const url = `${HOST}/memories/m/actors/a/sessions/s/events`
    expect(prepareOperation('memory.events.create', { path })).toEqual({ url })
  })
})
