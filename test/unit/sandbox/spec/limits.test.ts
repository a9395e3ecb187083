import { describe, expect, test } from 'vitest'
import { buildChatBody, getSeededWorld, startHarness } from '../support'

/** Tests of the spec's table "Limits" and of all other rules for the inputs of operations. */

type Field = readonly [
  name: string,
  accepted: readonly unknown[],
  refused: readonly unknown[],
  message: string | RegExp,
  code?: string,
]

interface Operation {
  readonly call: `${string} /${string}`
  readonly base?: object
  readonly fields: readonly Field[]
}

const letters = (count: number) => 'a'.repeat(count)
const runtimePath = '/runtime/agent-runtimes/runtime-support-agent'
const endpointPath = `${runtimePath}/endpoints/runtime-support-agent-production`
const memoryPath = '/memory/memories/memory-support-agent'
const imagesPath = '/registry/v1/repository/repository-agents-support-agent/images'
const authPath = '/identity/api/v1/outbound-auth'

const identityFields: readonly Field[] = [
  [
    'name',
    ['a', 'Z9_-', letters(50)],
    ['', letters(51), 'a.b', 'a b', 'a/b', 'đ', 'a\n', '\\'],
    /1 to 50/,
    'INVALID_NAME',
  ],
  ['name', [], [undefined, null, 5, ['a']], /^name: (is required|must be a string)/],
]
const runtimeFields: readonly Field[] = [
  [
    'name',
    ['a', `Az_9-${letters(45)}`],
    ['', letters(51), 'has space', 'a.b', 'tên', 'a/b', 'a\n'],
    'name',
    'INVALID_NAME',
  ],
  ['replicas', [1, 10], [0, 11, -1, 1.5, '2', null], 'a whole number from 1 to 10'],
  ['cpuUtilizationThreshold', [25, 75, 33.5], [0, 24, 76, 100, '50'], 'from 25 to 75'],
  ['memoryUtilizationThreshold', [25, 75], [0, 24, 76, 100, '50'], 'from 25 to 75'],
  ['flavorId', ['flavor-small'], ['flavor-huge'], 'flavor-micro, flavor-small'],
  ['flavorId', [], [7], 'must be a string'],
  ['image', ['agents/r:1.0.0'], [''], 'must not be empty'],
  ['description', ['Helps'], [false], 'must be a string'],
  ['environment', [{}, { A: '1' }], [['a']], 'must be an object'],
  ['environment', [], [{ A: 1 }], 'must be a string'],
]
const logFields: readonly Field[] = [
  ['from', [0, 1, 5000], [-1, 5001, 0.5, '0', null], 'from: must be a whole number from 0 to 5000'],
  ['limit', [1, 1000], [0, 1001, -1, 1.5, '10'], 'limit: must be a whole number from 1 to 1000'],
]
const strategy = { name: 'facts', type: 'SEMANTIC' }

const operations: readonly Operation[] = [
  { call: 'POST /identity/api/v1/agent-identities', fields: identityFields },
  {
    call: `POST ${authPath}/api-key-providers`,
    base: { name: 'one', apiKey: 'k' },
    fields: [...identityFields, ['apiKey', [], [undefined, '', 5, null], /^apiKey: (is required|must )/]],
  },
  {
    call: `PUT ${authPath}/api-key-providers/maps`,
    fields: [['apiKey', ['k'], [undefined, '', 5, null], /^apiKey: (is required|must )/]],
  },
  { call: `POST ${authPath}/delegated-api-key-providers`, fields: identityFields },
  {
    call: `POST ${authPath}/oauth2-providers`,
    base: { name: 'one', clientId: 'c', clientSecret: 's', tokenUrl: 'https://example.com/token' },
    fields: [
      ...identityFields,
      ['clientId', [], [undefined, ''], /^clientId: (is required|must )/],
      ['clientSecret', [], [undefined, 7], /^clientSecret: (is required|must )/],
      ['tokenUrl', [], [undefined, 'login.example.com', 'file:///etc/passwd'], /^tokenUrl: (is required|must )/],
      ['scopes', [], ['crm.read', [1]], /^scopes[.0-9]*: must /],
    ],
  },
  {
    call: 'POST /runtime/agent-runtimes',
    base: { name: 'r', image: 'agents/r:1.0.0', flavorId: 'flavor-small' },
    fields: [
      ...runtimeFields,
      ['name', [], [undefined], 'name: is required'],
      ['image', [], [undefined], 'image: is required'],
      ['flavorId', [], [undefined], 'flavorId: is required'],
    ],
  },
  { call: `PATCH ${runtimePath}`, fields: runtimeFields },
  { call: `POST ${runtimePath}/logs`, fields: logFields },
  { call: `POST ${endpointPath}/logs`, fields: logFields },
  {
    call: `POST ${runtimePath}/endpoints`,
    base: { name: 'canary' },
    fields: [
      ['name', ['a'], ['', 'a b', letters(51)], 'name', 'INVALID_NAME'],
      ['name', [], [undefined, 7], 'name'],
      ['version', [1], [0, 1000, 1.5, '1', null], 'version'],
    ],
  },
  {
    call: 'POST /memory/memories',
    base: { name: 'm' },
    fields: [
      [
        'name',
        ['', 'a', 'A-Z_0.9', '.', letters(50)],
        [letters(51), 'a b', 'a/b', 'tên', 'a\n', '😀'],
        /^name: .*50/,
        'INVALID_NAME',
      ],
      ['name', [], [undefined, 5], 'name: must be a text'],
      ['description', ['Kept'], [{}], 'description: must be a text'],
      ['eventExpiryDuration', [1, 365], [0, 366, -1, 1.5, '30', null], /^eventExpiryDuration: .*1 to 365/],
      ['longTermMemoryStrategies', [[]], [{}], 'longTermMemoryStrategies: must be a list'],
      ['longTermMemoryStrategies', [], [['SUMMARY']], 'longTermMemoryStrategies.0: must be a JSON object'],
      [
        'longTermMemoryStrategies',
        [[strategy]],
        [[{ ...strategy, name: '' }]],
        /^longTermMemoryStrategies\.0\.name: .*1 to 100/,
      ],
      ['longTermMemoryStrategies', [], [[{ ...strategy, type: 'X' }]], /\.type: .*SEMANTIC, SUMMARY, USER_PREFERENCE/],
      [
        'longTermMemoryStrategies',
        [],
        ['', letters(501)].map((namespace) => [{ ...strategy, namespace }]),
        /\.namespace: .*1 to 500/,
      ],
    ],
  },
  {
    call: `POST ${memoryPath}/actors/an/sessions/s1/events`,
    base: { content: 'x' },
    fields: [
      ['content', ['ă'.repeat(100_000)], [undefined, '', letters(100_001), ['x']], /^content: .*1 to 100000/],
      [
        'role',
        ['user', 'assistant', 'system', 'tool'],
        ['robot', null],
        'role: must be one of user, assistant, system, tool',
      ],
    ],
  },
  {
    call: `POST ${memoryPath}/memory-records:search?namespace=%2F`,
    base: { query: 'tea' },
    fields: [
      ['query', ['q', letters(2_000)], [undefined, '', letters(2_001)], /^query: .*1 to 2000/],
      ['limit', [5, 200], [0, 4, 201, 7.5, '10'], /^limit: .*5 to 200/],
      ['scoreThreshold', [0, 0.5, 1], [-0.01, 1.01, '0.5'], /^scoreThreshold: .*0 to 1/],
    ],
  },
  {
    call: 'POST /registry/v1/repository',
    fields: [
      [
        'name',
        ['a', '0', 'a-b_c__d.e/f--g', letters(100)],
        ['', letters(101), 'A', 'a b', '/a', 'a/', 'a//b', '-a', 'a.', 'a..b', 'a\n', './a', 'a:1', 'đ'],
        '1 to 100',
        'INVALID_NAME',
      ],
      ['name', [], [undefined, 5], 'name'],
    ],
  },
  {
    call: 'POST /registry/v1/user',
    base: { name: 'bot', permissions: ['list'] },
    fields: [
      ['name', ['a', letters(100)], ['', letters(101), 'a:b', 'a b'], 'name', 'INVALID_NAME'],
      [
        'permissions',
        [],
        [undefined, [], 'pull', ['pull', 'root'], ['PULL'], [5]],
        /^permissions[.0-9]*: (must|is required)/,
      ],
    ],
  },
  {
    call: 'POST /aip/v1/api-keys',
    fields: [
      [
        'name',
        ['abcde', letters(50), 'a-0-z', '-----'],
        ['', 'abcd', letters(51), 'key\\one', 'Key-one', 'key_one', 'key one', 'key-one\n', 'khóa-1', 'abc.e'],
        'name: Use 5 to 50 small letters (a-z), digits and -.',
        'INVALID_NAME',
      ],
      ['name', [], [undefined, 12345], 'name'],
    ],
  },
  {
    call: 'POST /console/token-plans',
    base: { name: 'mine', packageId: 'package-starter' },
    fields: [
      [
        'name',
        ['a', letters(50), 'Az09_-.'],
        ['', letters(51), ' ', 'two words', 'gói-pro', 'a/b', 'a\n', '😀'],
        'name',
        'INVALID_NAME',
      ],
      ['name', [], [undefined, 7, null], 'name: must be'],
      ['packageId', [], [undefined, 7], 'packageId: must be'],
      ['autoRenew', [true], ['yes', null], 'autoRenew: must be'],
      ['paymentMethod', ['credits'], [], ''],
    ],
  },
  {
    call: 'POST /console/token-plans:batch-delete',
    fields: [
      [
        'planIds',
        [['plan-1'], Array.from({ length: 100 }, (_, index) => `plan-${index}`)],
        [undefined, 'plan-1', [1], null, [], Array.from({ length: 101 }, (_, index) => `plan-${index}`)],
        'planIds',
      ],
    ],
  },
  {
    call: 'PATCH /console/token-plans/plan-sandbox-pro',
    fields: [['autoRenew', [false, true], [undefined, 'off', null], 'autoRenew']],
  },
  {
    call: 'POST /console/token-plans/plan-sandbox-pro/keys',
    fields: [['name', [], [undefined, null, 7, ['a']], 'name']],
  },
  {
    call: 'PATCH /console/token-plans/plan-sandbox-pro/keys/key-pro-default',
    fields: [
      ['status', ['ACTIVE'], [undefined, 'EXPIRED', null], ''],
      ['name', [], [5], 'name'],
    ],
  },
  {
    call: 'POST /inference/v1/chat/completions',
    base: buildChatBody('hi'),
    fields: [
      ['messages', [], [[], 'hi'], 'messages', 'invalid_input'],
      ['messages', [], [[{ content: 'hi' }]], 'messages.0.role', 'invalid_input'],
      ['messages', [], [[{ role: 'user', content: 7 }]], 'messages.0.content', 'invalid_input'],
      ['max_tokens', [1], [0], 'max_tokens', 'invalid_input'],
      ['stream', [false], ['yes'], 'stream', 'invalid_input'],
    ],
  },
  {
    call: 'POST /inference/v1/completions',
    base: { model: 'aurora-small', prompt: 'hi' },
    fields: [
      ['prompt', [['hi', 'you']], [undefined, [], 7, [1, 2, 3]], 'prompt', 'invalid_input'],
      ['prompt', [], [Array.from({ length: 129 }, () => 'a')], '1 to 128', 'invalid_input'],
      ['max_tokens', [1], [0], 'max_tokens', 'invalid_input'],
      ['stream', [false], [1], 'stream', 'invalid_input'],
    ],
  },
  {
    call: 'POST /inference/v1/embeddings',
    base: { model: 'comet-embed', input: 'a' },
    fields: [
      ['input', [['a']], [undefined, { text: 'a' }], 'input', 'invalid_input'],
      ['input', [], ['', ['a', '']], 'none of them empty', 'invalid_input'],
      ['input', [], [[]], '1 to 2048', 'invalid_input'],
      [
        'input',
        [],
        [
          [1, 2, 3],
          [[1, 2], [3]],
        ],
        'not numbers of tokens',
        'invalid_input',
      ],
      ['encoding_format', ['float'], ['hex'], 'must be one of float, base64', 'invalid_input'],
      ['dimensions', [256], ['many'], 'dimensions', 'invalid_input'],
    ],
  },
]

describe.each(operations)('$call', ({ call, base, fields }) => {
  const [method = '', path = ''] = call.split(' ')

  for (const [name, accepted, refused, message, code = 'INVALID_INPUT'] of fields) {
    test(`accepts the valid values of ${name}, and refuses others with ${message}`, async () => {
      const harness = await startHarness({ begin: getSeededWorld })
      const send = (value: unknown) => harness.api(method, path, { body: { ...base, [name]: value } })
      const stateBefore = await harness.api('GET', path)
      for (const value of refused) {
        const { status, body } = await send(value)
        const error = body.error ?? body
        expect([value, status, error.code]).toEqual([value, 400, code])
        expect(error.message).toMatch(message)
      }
      expect(await harness.api('GET', path)).toEqual(stateBefore)
      for (const value of accepted)
        expect([value, (await send(value)).status]).toEqual([value, expect.toBeOneOf([200, 201, 202])])
    })
  }

  test('refuses a body that is not an object', async () => {
    const harness = await startHarness({ begin: getSeededWorld })
    for (const body of [[], 'text', null]) expect((await harness.api(method, path, { body })).status).toBe(400)
  })
})

test.each([
  ['GET', `${memoryPath}/memory-records?`, ['namespace=/&limit=1000'], [''], 'is required'],
  ['GET', `${memoryPath}/memory-records?`, [], ['namespace='], 'must not be empty'],
  ['GET', `${memoryPath}/memory-records?namespace=/&limit=`, ['1'], ['0', '1001', 'ten'], 'from 1 to 1000'],
  ['POST', `${memoryPath}/memory-records:search`, [], ['', '?namespace='], '"namespace"'],
  ['GET', `${memoryPath}/actors/`, ['a/sessions/s/events'], [`${letters(201)}/sessions/s/events`], /actorId.*1 to 200/],
  ['POST', `${memoryPath}/actors/`, [], [`${letters(201)}/sessions/s/events`], /actorId.*1 to 200/],
  ['GET', `${memoryPath}/actors/a/sessions/`, [], [`${letters(201)}/events`], /sessionId.*1 to 200/],
  ['POST', `${memoryPath}/actors/a/sessions/`, [], [`${letters(201)}/events`], /sessionId.*1 to 200/],
  ['GET', imagesPath, ['?name=', '?name=1.0'], ['?page=1'], '"name"'],
  ['DELETE', `${imagesPath}/delete`, [], ['', '?imageName='], '"imageName"'],
  [
    'PATCH',
    endpointPath,
    ['?version=1'],
    ['', '?version=', '?version=0', '?version=99', '?version=-1', '?version=1.5', '?version=one', '?other=1'],
    '"version"',
  ],
] as const)('%s %s is accepted with %j and refused with %j', async (method, path, accepted, refused, message) => {
  const harness = await startHarness({ begin: getSeededWorld })
  const send = (rest: string) =>
    harness.api(method, path + rest, method === 'GET' ? {} : { body: { query: 'tea', content: 'x' } })
  for (const rest of refused) {
    const { status, body } = await send(rest)
    expect([rest, status, body.code]).toEqual([rest, 400, 'INVALID_INPUT'])
    expect(body.message).toMatch(message)
  }
  for (const rest of accepted) expect([rest, (await send(rest)).status]).toEqual([rest, 200])
})
