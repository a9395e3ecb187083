import { z } from 'zod'

/** ISO 8601 UTC in the sandbox's clock. */
const IsoTimestamp = z.iso.datetime()

const amount = z.number().int().nonnegative()

/** Fields of every platform resource. Loose objects also store and return other fields of the caller. */
const row = { createdAt: IsoTimestamp, updatedAt: IsoTimestamp }

/**
 * A platform API key: created until `readyAt`, then `ACTIVE`. Deleted from `goneAt`, then 404 (spec, "States", Platform
 * API key). Its secret is derived from `keyId`.
 */
export const ApiKey = z.looseObject({
  name: z.string(),
  keyId: z.string(),
  readyAt: IsoTimestamp,
  goneAt: IsoTimestamp.optional(),
  ...row,
})
export type ApiKey = z.infer<typeof ApiKey>

/** An agent identity, or a delegated API-key provider, whose keys are derived on request. */
export const NamedResource = z.looseObject({ name: z.string(), ...row })
export type NamedResource = z.infer<typeof NamedResource>

/** A static API-key provider. Only its own operation returns `apiKey`. */
export const ApiKeyProvider = z.looseObject({ name: z.string(), apiKey: z.string(), ...row })
export type ApiKeyProvider = z.infer<typeof ApiKeyProvider>

/** An OAuth2 provider. `clientSecret` is never returned. `scopes` apply to its tokens. */
export const OAuth2Provider = z.looseObject({
  name: z.string(),
  clientSecret: z.string(),
  scopes: z.array(z.string()).optional(),
  ...row,
})
export type OAuth2Provider = z.infer<typeof OAuth2Provider>

export const StrategyType = z.enum(['SEMANTIC', 'SUMMARY', 'USER_PREFERENCE'])
export type StrategyType = z.infer<typeof StrategyType>

/** A strategy that extracts records. `namespace` may contain `{strategyId}`, `{actorId}` and `{sessionId}`. */
export const Strategy = z.looseObject({ id: z.string(), name: z.string(), type: StrategyType, namespace: z.string() })
export type Strategy = z.infer<typeof Strategy>

/** A stored record of a session ("Memory events are stored records of a session, not notifications"). */
export const MemoryEvent = z.looseObject({
  id: z.string(),
  role: z.string(),
  content: z.string(),
  createdAt: IsoTimestamp,
})
export type MemoryEvent = z.infer<typeof MemoryEvent>

/** Events of one session of one actor, oldest first. Session ids are scoped to an actor. */
export const Session = z.strictObject({ actorId: z.string(), sessionId: z.string(), events: z.array(MemoryEvent) })
export type Session = z.infer<typeof Session>

/** A long-term memory record extracted by a strategy. */
export const MemoryRecord = z.strictObject({
  id: z.string(),
  namespace: z.string(),
  content: z.string(),
  longTermMemoryStrategyId: z.string(),
  actorId: z.string(),
  sessionId: z.string(),
  createdAt: IsoTimestamp,
})
export type MemoryRecord = z.infer<typeof MemoryRecord>

/** A memory, `CREATING` until `readyAt`. Events expire after `eventExpiryDuration` days. */
export const Memory = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  eventExpiryDuration: amount,
  readyAt: IsoTimestamp,
  strategies: z.array(Strategy),
  sessions: z.array(Session),
  records: z.array(MemoryRecord),
  ...row,
})
export type Memory = z.infer<typeof Memory>

/** An image of a repository, named with its tag (`1.4.2`). */
export const Image = z.strictObject({ name: z.string(), digest: z.string(), sizeBytes: amount, pushedAt: IsoTimestamp })
export type Image = z.infer<typeof Image>

export const Repository = z.looseObject({ id: z.string(), name: z.string(), images: z.array(Image), ...row })
export type Repository = z.infer<typeof Repository>

/** A robot account. Its secret is derived and returned once. */
const RobotAccount = z.looseObject({ id: z.string(), name: z.string(), permissions: z.array(z.string()), ...row })

/** One runtime version with the configuration of its POST or PATCH. Versions start at 1. */
export const RuntimeVersion = z.strictObject({
  version: amount,
  createdAt: IsoTimestamp,
  config: z.record(z.string(), z.unknown()),
})
export type RuntimeVersion = z.infer<typeof RuntimeVersion>

export const RuntimeEndpoint = z.looseObject({ id: z.string(), name: z.string(), version: amount, ...row })
export type RuntimeEndpoint = z.infer<typeof RuntimeEndpoint>

/** A runtime, `CREATING` until `readyAt`, then `ACTIVE`. The last version is the newest. */
export const Runtime = z.strictObject({
  id: z.string(),
  readyAt: IsoTimestamp,
  /** Incremented by each service account reset. The secret derives from id and generation. */
  secretGeneration: amount,
  versions: z.array(RuntimeVersion).min(1),
  endpoints: z.array(RuntimeEndpoint),
  ...row,
})
export type Runtime = z.infer<typeof Runtime>

/** Both independent allowances of a model in this cycle (spec, "Plan"). Usage never exceeds the quota. */
export const ModelAllowance = z.strictObject({
  modelCode: z.string(),
  displayName: z.string(),
  contextTokens: amount,
  tokenQuota: amount,
  tokensUsed: amount,
  requestQuota: amount,
  requestsUsed: amount,
})
export type ModelAllowance = z.infer<typeof ModelAllowance>

/** A plan of the account. Stays in the state after deletion, for its usage and for the error responses to its keys. */
export const Plan = z.strictObject({
  planId: z.string(),
  packageId: z.string(),
  name: z.string(),
  planType: z.string(),
  status: z.enum(['ACTIVE', 'EXPIRED']),
  deleted: z.boolean(),
  autoRenew: z.boolean(),
  /** VND per cycle, including VAT. */
  total: amount,
  purchasedAt: IsoTimestamp,
  /** Gateway and keys are unmasked from this time. */
  provisionedAt: IsoTimestamp,
  /** End of the current cycle. A plan renewed ahead expires later. */
  cycleEndsAt: IsoTimestamp,
  expiresAt: IsoTimestamp,
  cycleDays: amount,
  /** Failed renewal attempts since the last success. */
  failedRenewals: amount,
  maxKeys: amount,
  models: z.array(ModelAllowance),
})
export type Plan = z.infer<typeof Plan>

/** A subscription key. Its secret derives from the world's seed and `keyId`. */
export const Key = z.strictObject({
  keyId: z.string(),
  planId: z.string(),
  name: z.string(),
  status: z.enum(['ACTIVE', 'DISABLED']),
  deleted: z.boolean(),
  createdAt: IsoTimestamp,
})
export type Key = z.infer<typeof Key>

/** The account that buys plans (spec, "Roles"). Credits in VND. */
export const Account = z.strictObject({
  accountId: z.string(),
  role: z.enum(['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER']),
  credits: amount,
})
export type Account = z.infer<typeof Account>

/** Counters in this order: input, output and cache tokens, served requests, failed requests. */
export const UsageCountsTuple = z.tuple([amount, amount, amount, amount, amount])
export type UsageCountsTuple = z.infer<typeof UsageCountsTuple>

/** Usage by day (`YYYY-MM-DD`, UTC) and, within it, by `hour|planId|keyId|modelCode`. */
export const UsageByDay = z.record(z.string(), z.record(z.string(), UsageCountsTuple))
export type UsageByDay = z.infer<typeof UsageByDay>

/** Seed of all secrets: 64 hex digits. */
export const Seed = z.string().regex(/^[0-9a-f]{64}$/)

/** Complete sandbox state, identical to the state file. Operations change it in place. All times use the sandbox clock. */
export const World = z.strictObject({
  version: z.literal(2),
  seed: Seed,
  /** Offset of the sandbox's clock from the real one. */
  clockOffsetMs: amount,
  /** IAM tokens of an earlier generation are rejected. */
  tokenGeneration: amount,
  account: Account,
  plans: z.array(Plan),
  keys: z.array(Key),
  usage: UsageByDay,
  /** Names are unique within each list. */
  identity: z.strictObject({
    agentIdentities: z.array(NamedResource),
    apiKeyProviders: z.array(ApiKeyProvider),
    delegatedProviders: z.array(NamedResource),
    oauth2Providers: z.array(OAuth2Provider),
  }),
  runtime: z.strictObject({ runtimes: z.array(Runtime) }),
  memory: z.strictObject({ memories: z.array(Memory) }),
  registry: z.strictObject({ repositories: z.array(Repository), robotAccounts: z.array(RobotAccount) }),
  aip: z.strictObject({ apiKeys: z.array(ApiKey) }),
})
export type World = z.infer<typeof World>
