import { z } from 'zod'

const instant = z.iso.datetime()
const amount = z.number().int().nonnegative()

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

/** A plan instance. A deleted one stays on record, so that its keys can be told why they fail. */
export const Plan = z
  .strictObject({
    planId: z.string(),
    name: z.string(),
    planType: z.string(),
    status: z.enum(['ACTIVE', 'EXPIRED']),
    deleted: z.boolean(),
    purchasedAt: instant,
    expiresAt: instant,
    cycleDays: amount,
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

/** Everything the sandbox remembers, and exactly what its state file holds. All times are in the sandbox's clock. */
export const World = z
  .strictObject({
    version: z.literal(1),
    seed: z.string().regex(/^[0-9a-f]{64}$/),
    /** How far the sandbox's clock is ahead of the real one. */
    clockOffsetMs: amount,
    plans: z.array(Plan).readonly(),
    keys: z.array(Key).readonly(),
  })
  .readonly()
export type World = z.infer<typeof World>
