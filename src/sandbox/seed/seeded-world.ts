import { packages } from '../catalogue'
import { addToPool, createPlan } from '../state/plans'
import { addUsage, deriveSecret } from '../state/store'
import type {
  Image,
  Key,
  ModelAllowance,
  Plan,
  Repository,
  Runtime,
  RuntimeEndpoint,
  RuntimeVersion,
  UsageByDay,
  UsageCountsTuple,
  World,
} from '../state/world'
import { dayMs, hourMs } from '../timing'
import { createRandom, floorToHour, type Random, seededMemories, toIso } from './seeded-memory'

/**
 * Initial world with data for every screen. The same seed (64 hex digits) and time give the same world. Another time
 * changes only dates and their weekday pattern.
 */
export function seededWorld(seed: string, nowMs: number): World {
  const plans = seededPlans(nowMs)
  const world: World = {
    version: 2,
    seed,
    clockOffsetMs: 0,
    tokenGeneration: 0,
    account: { accountId: 'acc-sandbox-0001', role: 'ROOT', credits: 3_200_000 },
    plans,
    keys: seededKeys(plans),
    usage: {},
    identity: seededIdentity(seed, nowMs),
    runtime: { runtimes: agentSeeds.map((sketch) => seededRuntime(sketch, nowMs)) },
    memory: seededMemories(seed, nowMs),
    registry: seededRegistry(seed, nowMs),
    aip: createSeededAip(nowMs),
  }
  bookSeededUsage(world, nowMs)
  return world
}

type AgentSeed = readonly [
  name: string,
  description: string,
  days: number,
  versions: number,
  replicas: number,
  /** Versions by endpoint name. */
  endpoints: Readonly<Record<string, number>>,
]

/** Agents, each with an identity and a runtime with several weeks of version history. */
const agentSeeds: readonly AgentSeed[] = [
  ['support-agent', 'Customer support of the online shop', 38, 7, 3, { production: 6, staging: 7 }],
  ['travel-planner', 'Plans trips', 31, 4, 2, { production: 4, preview: 3 }],
  ['code-reviewer', 'Reviews merge requests', 24, 11, 2, { production: 11 }],
  ['invoice-reader', 'Reads invoices from the mailbox', 12, 2, 1, { production: 1 }],
  ['nightly-report', 'Writes the report of the day', 5, 1, 1, {}],
]

const repositorySeeds = [
  { name: 'agents/support-agent', images: 14, days: 38 },
  { name: 'agents/travel-planner', images: 9, days: 31 },
  { name: 'agents/code-reviewer', images: 23, days: 24 },
  { name: 'agents/invoice-reader', images: 5, days: 12 },
  { name: 'tools/web-fetch', images: 3, days: 30 },
  { name: 'base/python-agent', images: 6, days: 39 },
  { name: 'sandbox/first-steps', images: 0, days: 1 },
] as const

const toTag = (n: number): string => `1.${Math.floor(n / 5)}.${n % 5}`

function seededRepository(seed: string, sketch: (typeof repositorySeeds)[number], nowMs: number): Repository {
  const random = createRandom(seed, `registry|${sketch.name}`)
  const createdMs = floorToHour(nowMs) - sketch.days * dayMs
  const stepMs = ((sketch.days - 0.5) * dayMs) / Math.max(1, sketch.images)
  const images: Image[] = Array.from({ length: sketch.images }, (_, n) => ({
    name: toTag(n),
    digest: `sha256:${random.hex(64)}`,
    sizeBytes: random.int(84_000_000, 412_000_000),
    pushedAt: toIso(Math.round(createdMs + stepMs * (n + random.next() * 0.6))),
  }))
  return {
    id: `repository-${sketch.name.replace('/', '-')}`,
    name: sketch.name,
    images,
    createdAt: toIso(createdMs),
    updatedAt: images.at(-1)?.pushedAt ?? toIso(createdMs),
  }
}

const createTimestamps = (nowMs: number, days: number) => {
  const createdTime = toIso(floorToHour(nowMs) - days * dayMs)
  return { createdAt: createdTime, updatedAt: createdTime }
}

/** Repositories with several weeks of images, including an empty one, and two robot accounts. */
function seededRegistry(seed: string, nowMs: number): World['registry'] {
  const timestamps = createTimestamps(nowMs, 37)
  return {
    repositories: repositorySeeds.map((sketch) => seededRepository(seed, sketch, nowMs)),
    robotAccounts: [
      { id: 'robot-ci-push', name: 'ci-push', permissions: ['pull', 'push'], ...timestamps },
      { id: 'robot-runtime-pull', name: 'runtime-pull', permissions: ['pull'], ...timestamps },
    ],
  }
}

function seededIdentity(seed: string, nowMs: number): World['identity'] {
  const secret = (name: string) => deriveSecret(seed, `provider|${name}`, 'dk-sandbox-')
  const resource = (name: string, description: string, days: number) => ({
    name,
    description,
    ...createTimestamps(nowMs, days),
  })
  const apiKeyProvider = (name: string, description: string, days: number) => ({
    ...resource(name, description, days),
    apiKey: secret(name),
  })
  return {
    agentIdentities: agentSeeds.map(([name, description, days]) => resource(name, description, days)),
    apiKeyProviders: [
      apiKeyProvider('weather-service', 'Forecasts', 30),
      apiKeyProvider('maps', 'Addresses and routes', 29),
      apiKeyProvider('web-search', 'Search results', 9),
    ],
    delegatedProviders: [resource('code-hosting', 'Keys on behalf of a person', 22)],
    oauth2Providers: [
      {
        ...resource('calendar', 'Free and busy times', 18),
        clientId: 'companion-calendar',
        clientSecret: secret('calendar'),
        tokenUrl: 'https://accounts.example.com/oauth2/token',
        authorizationUrl: 'https://accounts.example.com/oauth2/authorize',
        scopes: ['calendar.read'],
      },
      {
        ...resource('customer-records', 'Orders and addresses', 11),
        clientId: 'companion-crm',
        clientSecret: secret('customer-records'),
        tokenUrl: 'https://crm.example.com/oauth2/token',
        scopes: ['orders.read', 'customers.read'],
      },
    ],
  }
}

function createSeededAip(nowMs: number): World['aip'] {
  const key = (name: string, description: string, days: number) => {
    const bookingTimes = createTimestamps(nowMs, days)
    return { name, description, keyId: `api-key-${name}`, readyAt: bookingTimes.createdAt, ...bookingTimes }
  }
  return {
    apiKeys: [
      key('playground', 'Trying prompts', 36),
      key('nightly-batch', 'Embeddings of the catalogue', 20),
      key('old-prototype', 'No longer in use', 39),
    ],
  }
}

function seededVersion(
  [name, description, days, versions, replicas]: AgentSeed,
  version: number,
  bornMs: number,
): RuntimeVersion {
  const isFirstHalf = version <= versions / 2
  const config = {
    name,
    description,
    image: `agents/${name}:${toTag(version)}`,
    flavorId: isFirstHalf ? 'flavor-small' : 'flavor-medium',
    replicas: isFirstHalf ? 1 : replicas,
    cpuUtilizationThreshold: isFirstHalf ? 50 : 65,
    memoryUtilizationThreshold: 70,
    environment: { LOG_LEVEL: isFirstHalf ? 'debug' : 'info', MODEL: version > 2 ? 'aurora-large' : 'aurora-small' },
  }
  return { version, createdAt: toIso(Math.round(bornMs + (((version - 1) * (days - 0.5)) / versions) * dayMs)), config }
}

function seededRuntime(sketch: AgentSeed, nowMs: number): Runtime {
  const [agentName, _, days, versionCount, _replicas, endpointVersions] = sketch
  const createdMs = floorToHour(nowMs) - days * dayMs
  const id = `runtime-${agentName}`
  const versions = Array.from({ length: versionCount }, (_, index) => seededVersion(sketch, index + 1, createdMs))
  const createdAt = toIso(createdMs)
  const updatedAt = versions.at(-1)?.createdAt ?? createdAt
  const endpoints = Object.entries(endpointVersions).map(
    ([name, version]): RuntimeEndpoint => ({ id: `${id}-${name}`, name, version, createdAt, updatedAt }),
  )
  return { id, readyAt: createdAt, secretGeneration: 0, versions, endpoints, createdAt, updatedAt }
}

const pastDays = 40
/** Weights of a typical week, Sunday first. */
const weekdayWeights = [0.12, 1, 1.15, 1.1, 1.05, 0.85, 0.2]
/** Hourly weights of a day in Vietnam (UTC+7), from midnight UTC. Work starts at nine, with a noon break. */
const hourWeights = [
  0.1, 0.5, 1, 1.1, 1, 0.3, 0.8, 1.1, 1.2, 1, 0.7, 0.3, 0.2, 0.35, 0.4, 0.2, 0.05, 0, 0, 0, 0, 0, 0, 0.02,
]

interface SeedPeriod {
  readonly fromMs: number
  readonly toMs: number
  readonly tokens: number
  /** Whether it is the current cycle of the plan, whose usage counts toward the quota. */
  readonly isCurrent: boolean
}

/** Books exactly the given tokens of one model, spread over the hours of a period. */
function bookPeriod(
  usage: UsageByDay,
  { planId, pool, keyIds }: { planId: string; pool: ModelAllowance; keyIds: readonly string[] },
  { fromMs, toMs, tokens, isCurrent }: SeedPeriod,
  random: Random,
): void {
  const hours = Array.from({ length: Math.max(0, Math.round((toMs - fromMs) / hourMs)) }, (_, hour) => hour)
  const slots = hours.flatMap((hour) => {
    const atMs = fromMs + hour * hourMs
    const time = new Date(atMs)
    const hourlyWeight = (weekdayWeights[time.getUTCDay()] ?? 0) * (hourWeights[time.getUTCHours()] ?? 0)
    const weight = hourlyWeight * (0.4 + 1.2 * random.next())
    return weight < 0.05 ? [] : [{ atMs, weight, keyId: keyIds[random.int(0, keyIds.length - 1)] ?? '' }]
  })
  const sum = slots.reduce((total, { weight }) => total + weight, 0)
  let remainingTokens = tokens
  for (const [index, { atMs, keyId, weight }] of slots.entries()) {
    const isLast = index === slots.length - 1
    const slotTokens = isLast ? remainingTokens : Math.min(remainingTokens, Math.round((tokens * weight) / sum))
    remainingTokens -= slotTokens
    const requests = Math.max(1, Math.round(slotTokens / random.int(2_600, 5_200)))
    const errors = random.next() < 0.12 ? Math.ceil(requests * 0.04) : 0
    // Split tokens like a coding tool: much input, mostly cached, little output.
    const outputTokens = Math.round(slotTokens * (0.04 + 0.05 * random.next()))
    const cacheTokens = Math.round(slotTokens * (0.35 + 0.3 * random.next()))
    const inputTokens = slotTokens - outputTokens - cacheTokens
    const counts: UsageCountsTuple = [inputTokens, outputTokens, cacheTokens, requests, errors]
    addUsage(usage, { atMs, planId, keyId, modelCode: pool.modelCode }, counts)
    if (isCurrent) addToPool(pool, counts)
  }
}

/** Books 40 days of usage with daily and weekly cycles. Each hour of a key and model has one entry. */
function bookSeededUsage({ seed, plans, usage }: World, nowMs: number): void {
  const currentHourMs = floorToHour(nowMs)
  for (const sketch of planSketches) {
    const { planId, cycles, share } = sketch
    const keyIds = sketch.keys.map((key) => key.keyId)
    const { fromMs, toMs } = toCycle(sketch, nowMs)
    for (const pool of plans.find((plan) => plan.planId === planId)?.models ?? []) {
      const { modelCode, tokenQuota } = pool
      const random = createRandom(seed, `usage|${planId}|${modelCode}`)
      const bookTokens = (period: SeedPeriod) => bookPeriod(usage, { planId, pool, keyIds }, period, random)
      const earliestMs = currentHourMs - pastDays * dayMs
      const earlierTokens = Math.round(tokenQuota * 0.17)
      if (cycles > 1) bookTokens({ fromMs: earliestMs, toMs: fromMs, tokens: earlierTokens, isCurrent: false })
      const tokens = Math.round(tokenQuota * (share[modelCode] ?? 0))
      bookTokens({ fromMs, toMs: Math.min(toMs, currentHourMs), tokens, isCurrent: true })
    }
  }
}

interface PlanSketch {
  readonly planId: string
  readonly name: string
  readonly planType: string
  readonly autoRenew: boolean
  /** Days until the end of the current cycle. Negative after it. */
  readonly endsInDays: number
  /** Number of paid cycles. */
  readonly cycles: number
  /** Used share of each model's tokens in the current cycle, 0 to 1. */
  readonly share: Readonly<Record<string, number>>
  readonly keys: readonly { readonly keyId: string; readonly name: string; readonly isDisabled?: boolean }[]
}

/** Three plans: one healthy, one nearly used up and ending soon, one expired. */
const planSketches: readonly PlanSketch[] = [
  {
    planId: 'plan-sandbox-pro',
    name: 'sandbox-pro',
    planType: 'Pro',
    autoRenew: true,
    endsInDays: 18,
    cycles: 2,
    share: { 'aurora-large': 0.38, 'aurora-small': 0.21, 'vega-coder': 0.46, 'nova-vision': 1 },
    keys: [
      { keyId: 'key-pro-default', name: 'default-key' },
      { keyId: 'key-pro-old-laptop', name: 'old-laptop', isDisabled: true },
      { keyId: 'key-pro-ci', name: 'ci-runner' },
    ],
  },
  {
    planId: 'plan-sandbox-team',
    name: 'team-spring',
    planType: 'Team',
    autoRenew: false,
    endsInDays: 2.25,
    cycles: 1,
    share: { 'aurora-large': 0.94, 'aurora-small': 0.52, 'vega-coder': 0.81, 'nova-vision': 0.12, 'lotus-vi': 0.33 },
    keys: [
      { keyId: 'key-team-default', name: 'default-key' },
      { keyId: 'key-team-minh', name: 'minh-nguyen' },
      { keyId: 'key-team-lan', name: 'lan-tran' },
      { keyId: 'key-team-duc', name: 'duc-pham' },
      { keyId: 'key-team-build', name: 'build-server' },
      { keyId: 'key-team-hoa', name: 'hoa-le', isDisabled: true },
    ],
  },
  {
    planId: 'plan-sandbox-expired',
    name: 'sandbox-expired',
    planType: 'Starter',
    autoRenew: false,
    endsInDays: -3,
    cycles: 1,
    share: { 'aurora-small': 0.64, 'vega-coder': 0.27 },
    keys: [{ keyId: 'key-expired-default', name: 'default-key' }],
  },
]

const findPlanPackage = ({ planType }: PlanSketch) => packages.find((candidate) => candidate.planType === planType)

/** Start and end of the current or last cycle, in ms. */
function toCycle(sketch: PlanSketch, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const days = findPlanPackage(sketch)?.durationDays ?? 30
  const toMs = floorToHour(nowMs) + sketch.endsInDays * dayMs
  return { fromMs: toMs - days * dayMs, toMs }
}

/** Newly bought plans without usage. */
function seededPlans(nowMs: number): Plan[] {
  return planSketches.flatMap((sketch) => {
    const purchasedPackage = findPlanPackage(sketch)
    if (purchasedPackage === undefined) return []
    const { toMs } = toCycle(sketch, nowMs)
    const purchasedMs = toMs - sketch.cycles * purchasedPackage.durationDays * dayMs
    const { planId, name, autoRenew, endsInDays } = sketch
    const [purchasedAt, expiresAt] = [toIso(purchasedMs), toIso(toMs)]
    const plan = { planId, name, autoRenew, purchasedAt, provisionedAt: purchasedAt, expiresAt }
    return { ...createPlan(purchasedPackage, plan), status: endsInDays > 0 ? 'ACTIVE' : 'EXPIRED' }
  })
}

/** Keys of the seeded plans. Ids are fixed, so the seed alone determines the secrets. */
function seededKeys(plans: readonly Plan[]): Key[] {
  return planSketches.flatMap(({ planId, keys }) => {
    const purchasedMs = Date.parse(plans.find((plan) => plan.planId === planId)?.purchasedAt ?? toIso(0))
    return keys.map(({ keyId, name, isDisabled = false }, index) => ({
      keyId,
      planId,
      name,
      status: isDisabled ? 'DISABLED' : 'ACTIVE',
      deleted: false,
      createdAt: toIso(purchasedMs + index * 26 * hourMs),
    }))
  })
}
