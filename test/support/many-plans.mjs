import { once } from 'node:events'
import { createServer } from 'node:http'

/** Number of plans, and of keys per plan. */
export const planCount = 500
export const keyCount = 50

/** Prefix of the console's keys. Masked keys do not have it. */
export const keyPrefix = 'sk-many-'

/** Pages with plans or keys, with their titles. No two neighbors share a title, so that a test can detect navigation. */
export const planConnections = {
  '/': 'Home',
  '/plans': 'Plans',
  '/usage': 'Usage',
  '/usage/requests': 'Requests',
  '/usage/alerts': 'Alerts',
  '/usage/sources': 'Data sources and storage',
  '/settings': 'Settings',
  '/tools': 'Tools',
  '/tools/set-up': 'Configure several tools',
  '/tools/claude-code?tab=configure': 'Claude Code',
  '/profiles': 'Profiles',
  '/relay': 'Relay',
  '/playground': 'Playground',
  '/playground/compare': 'Compare',
  '/register': 'Keys',
  '/rotate': 'Rotate key',
  '/register/rotations': 'Keys',
  '/rotate/many': 'Rotate keys',
  '/handout': 'Issue a key',
  '/handout/many': 'Issue several keys',
}

const dayMs = 86_400_000
const models = ['aurora-large', 'aurora-small', 'vega-coder', 'nova-vision', 'lotus-vi', 'lyra-reason']

/** @param {number} number from 1 */
export const toPlanName = (number) => `plan-${String(number).padStart(3, '0')}`

/**
 * @param {string} modelCode
 * @param {number} at
 */
function buildModel(modelCode, at) {
  const baseModel = {
    modelCode,
    displayName: modelCode,
    hostingMode: 'shared',
    enabledTypes: ['chat'],
    status: 'ACTIVE',
  }
  const tokens = { tokenQuota: 20_000_000, tokensUsed: (at * 7919) % 20_000_000 }
  const requests = { requestQuota: 20_000, requestsUsed: (at * 104_729) % 20_000 }
  return { ...baseModel, ...tokens, ...requests, endpoint: 'https://gateway.example.com' }
}

/** @param {number} at from 0 */
function buildPlan(at) {
  const nowMs = Date.now()
  const name = toPlanName(at + 1)
  return {
    planId: `id-${name}`,
    name,
    packageId: 'package-scale',
    planType: 'Scale',
    total: 7_500_000,
    cycleDays: 30,
    status: at % 10 === 9 ? 'EXPIRED' : 'ACTIVE',
    provisioned: true,
    autoRenew: at % 3 === 0,
    purchasedAt: new Date(nowMs - (at % 30) * dayMs).toISOString(),
    expiresAt: new Date(nowMs + (at % 10 === 9 ? -1 : 30 - (at % 30)) * dayMs).toISOString(),
    keysUsed: keyCount,
    maxKeys: keyCount,
    gatewayUrl: 'https://gateway.example.com',
    models: models.map((modelCode, of) => buildModel(modelCode, at * models.length + of)),
  }
}

/**
 * @param {string} planId
 * @param {number} at from 0
 */
function findKey(planId, at) {
  const secret = String(at).padStart(24, '0')
  const baseKey = {
    keyId: `${planId}-key-${at}`,
    name: `person-${String(at + 1).padStart(2, '0')}`,
    key: `sk-many-${secret}`,
  }
  return { ...baseKey, status: at % 7 === 6 ? 'DISABLED' : 'ACTIVE', createdAt: new Date(at * dayMs).toISOString() }
}

/**
 * Creates the app's local records of all plans of the console, each with a saved key.
 * @param {string} connectionId
 */
export function createSavedPlans(connectionId) {
  return Array.from({ length: planCount }, (_, at) => {
    const { planId, name, gatewayUrl, expiresAt, purchasedAt: createdAt } = buildPlan(at)
    const { keyId } = findKey(planId, 0)
    const key = { id: `kept-${keyId}`, name: 'person-01', masked: 'sk-...0000', addedAt: createdAt, kept: 'keychain' }
    const basePlan = {
      id: `kept-${name}`,
      name,
      source: 'console',
      gatewayUrl,
      models,
      contextTokens: 128_000,
      expiresAt,
    }
    return { ...basePlan, createdAt, origin: { connectionId, planId }, keys: [{ ...key, origin: { keyId } }] }
  })
}

/**
 * One page of rows in the console's envelope.
 * @param {readonly object[]} rows
 * @param {URLSearchParams} query
 */
function buildPage(rows, query) {
  const page = Number(query.get('page') ?? 1)
  const size = Math.min(100, Number(query.get('size') ?? 20))
  const listData = rows.slice((page - 1) * size, page * size)
  return { listData, totalItem: rows.length, totalPage: Math.ceil(rows.length / size), page, size }
}

/**
 * @param {ReadonlyMap<string, object>} plans
 * @param {URL} url
 */
function buildResponseBody(plans, { pathname, searchParams }) {
  const [, , what, planId, keys, keyId] = pathname.split('/')
  if (what === 'account') return { accountId: 'many', role: 'ADMIN', credits: 10_000_000 }
  if (what === 'packages') return buildPage([], searchParams)
  if (what !== 'token-plans') return undefined
  if (planId === undefined) return buildPage([...plans.values()], searchParams)
  const plan = plans.get(planId)
  if (keys !== 'keys' || !plan) return plan
  if (keyId !== undefined) return { ...findKey(planId, Number(keyId.split('-').at(-1))), status: 'DISABLED' }
  return buildPage(
    Array.from({ length: keyCount }, (_, at) => findKey(planId, at)),
    searchParams,
  )
}

/**
 * Starts a console (decisions 3) on a free loopback port. It accepts any token. It responds to each change of a key with
 * the disabled key, and stores nothing.
 * @returns {Promise<{ connection: object, changeCount: () => number, close: () => Promise<void> }>} `connection` is the
 * content of its connection file
 */
export async function startManyPlans() {
  // Create the plans once, because there are thousands of usage requests.
  const plans = new Map(Array.from({ length: planCount }, (_, at) => buildPlan(at)).map((plan) => [plan.planId, plan]))
  let changeCount = 0
  const server = createServer(({ method, url = '/' }, response) => {
    if (method !== 'GET') changeCount += 1
    const body = buildResponseBody(plans, new URL(url, 'http://127.0.0.1'))
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { code: 'NOT_FOUND', message: 'Nothing is here.' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    connection: { name: 'Many', consoleUrl: `http://127.0.0.1:${port}/console`, tokenSource: { kind: 'pasted' } },
    changeCount: () => changeCount,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
