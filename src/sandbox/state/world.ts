import { z } from 'zod'
import { AipState } from './aip-state'
import { IdentityState } from './identity-state'
import { MemoryState } from './memory-state'
import { amount, instant } from './parts'
import { RegistryState } from './registry-state'
import { RuntimeState } from './runtime-state'

/** One model of a plan with its two independent allowances of this cycle (spec, "Plan"). Used never exceeds the quota. */
export const ModelAllowance = z
  .strictObject({
    modelCode: z.string(),
    displayName: z.string(),
    contextTokens: amount,
    tokenQuota: amount,
    tokensUsed: amount,
    requestQuota: amount,
    requestsUsed: amount,
  })
  .readonly()
export type ModelAllowance = z.infer<typeof ModelAllowance>

/** A plan instance. A deleted one stays on record, so that its keys can be told why they fail and its usage can be read. */
export const Plan = z
  .strictObject({
    planId: z.string(),
    packageId: z.string(),
    name: z.string(),
    planType: z.string(),
    status: z.enum(['ACTIVE', 'EXPIRED']),
    deleted: z.boolean(),
    autoRenew: z.boolean(),
    /** VND for one cycle, VAT included. */
    total: amount,
    purchasedAt: instant,
    /** From then on gateway and keys are shown in full. */
    provisionedAt: instant,
    /** The end of the cycle under way; a plan that was renewed ahead expires later. */
    cycleEndsAt: instant,
    expiresAt: instant,
    cycleDays: amount,
    /** Renewal attempts that failed since the last that did not. */
    failedRenewals: amount,
    maxKeys: amount,
    models: z.array(ModelAllowance).readonly(),
  })
  .readonly()
export type Plan = z.infer<typeof Plan>

/** A subscription key without its secret, which is derived from the world's seed and `keyId`. */
export const Key = z
  .strictObject({
    keyId: z.string(),
    planId: z.string(),
    name: z.string(),
    status: z.enum(['ACTIVE', 'DISABLED']),
    deleted: z.boolean(),
    createdAt: instant,
  })
  .readonly()
export type Key = z.infer<typeof Key>

/** The account that buys plans (spec, "Roles"); credits in VND. */
export const Account = z
  .strictObject({
    accountId: z.string(),
    role: z.enum(['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER']),
    credits: amount,
  })
  .readonly()
export type Account = z.infer<typeof Account>

/** Input, output and cache tokens, requests that were served, and requests that failed. */
export const Tally = z.tuple([amount, amount, amount, amount, amount]).readonly()
export type Tally = z.infer<typeof Tally>

/** Usage by day (`YYYY-MM-DD`, UTC) and, within it, by `hour|planId|keyId|modelCode`. */
export const UsageBook = z.record(z.string(), z.record(z.string(), Tally).readonly()).readonly()
export type UsageBook = z.infer<typeof UsageBook>

/** Where all secrets of a world come from: 64 hex digits. */
export const Seed = z.string().regex(/^[0-9a-f]{64}$/)

/** Everything the sandbox remembers, and exactly what its state file holds. All times are in the sandbox's clock. */
export const World = z
  .strictObject({
    version: z.literal(2),
    seed: Seed,
    /** How far the sandbox's clock is ahead of the real one. */
    clockOffsetMs: amount,
    /** IAM tokens of an earlier generation are no longer accepted. */
    tokenGeneration: amount,
    account: Account,
    plans: z.array(Plan).readonly(),
    keys: z.array(Key).readonly(),
    usage: UsageBook,
    identity: IdentityState,
    runtime: RuntimeState,
    memory: MemoryState,
    registry: RegistryState,
    aip: AipState,
  })
  .readonly()
export type World = z.infer<typeof World>
