import { ModelCode } from '@shared/contract/common'
import { AppError, type Failure } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { z } from 'zod'
import { meaningOf } from '../platform/explain'
import { redact, Secret } from '../secret'

/** A whole number up to `most`; what is below zero counts as zero. Sums of as many as a year has stay exact. */
const wholeUpTo = (most: number) =>
  z
    .number()
    .max(most)
    .transform((value) => Math.max(0, Math.round(value)))
const Amount = wholeUpTo(1e15)
const Days = wholeUpTo(36_600)
const mostModels = 1000
const Text = z.string().transform((text) => cleanName(text))
const Label = Text.catch('')
/** A name that nothing is left of is still somebody's. */
const Name = Text.transform((name) => name || '?')
const Address = z
  .string()
  .transform((text) => cleanName(text, 2000))
  .catch('')
const Types = z.array(Text).max(100).catch([])
/** Goes back to the platform as it came. */
const Id = z.string().max(500)
/** What cannot be asked for, or reads as another, is no model of a plan here. */
const onlyUsable = <T extends { readonly modelCode: string }>(models: readonly T[]): T[] =>
  models.filter(({ modelCode }) => ModelCode.safeParse(modelCode).success)
/** Later moments are written with a sign, which nothing else reads. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z')
const Moment = z
  .string()
  .refine((text) => Date.parse(text) >= 0 && Date.parse(text) <= endOfTime)
  .transform((text) => new Date(text).toISOString())

/** The account as the console tells it. */
export const AccountRecord = z.object({
  accountId: Text,
  role: z.enum(['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER']),
  credits: Amount,
})
export type AccountRecord = z.infer<typeof AccountRecord>

const includedModel = {
  modelCode: z.string(),
  displayName: Label,
  hostingMode: Label,
  tokenQuota: Amount,
  requestQuota: Amount,
  enabledTypes: Types,
}

/** A Plan Type as the console tells it. */
export const PackageRecord = z.object({
  packageId: Id,
  planType: Name,
  price: Amount,
  durationDays: Days,
  maxKeys: Amount,
  models: z.array(z.object(includedModel)).max(mostModels).transform(onlyUsable),
})
export type PackageRecord = z.infer<typeof PackageRecord>

/** A plan as the console tells it; gateway and endpoints are masked until it is provisioned. */
export const AccountPlanRecord = z.object({
  planId: Id,
  name: Name,
  packageId: Id,
  planType: Name,
  status: z.enum(['ACTIVE', 'EXPIRED']),
  provisioned: z.boolean(),
  autoRenew: z.boolean(),
  purchasedAt: Moment,
  expiresAt: Moment,
  cycleDays: Days,
  keysUsed: Amount,
  maxKeys: Amount,
  total: Amount,
  gatewayUrl: Address,
  models: z
    .array(z.object({ ...includedModel, status: Label, tokensUsed: Amount, requestsUsed: Amount, endpoint: Address }))
    .max(mostModels)
    .transform(onlyUsable),
  renewal: z
    .object({ failedAttempts: Amount, nextAttemptAt: Moment.optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
export type AccountPlanRecord = z.infer<typeof AccountPlanRecord>

/** A subscription key as the console tells it; without `secret` while the platform masks it. */
export const SubscriptionKeyRecord = z
  .object({
    keyId: Id,
    name: Name,
    status: z.enum(['ACTIVE', 'DISABLED']),
    key: z.string().optional().catch(undefined),
    createdAt: Moment,
  })
  .transform(({ key, ...rest }) => ({ ...rest, secret: secretIn(key) }))
export type SubscriptionKeyRecord = z.infer<typeof SubscriptionKeyRecord>

const countsUpTo = (most: number) => {
  const count = wholeUpTo(most)
  return { inputTokens: count, outputTokens: count, cacheTokens: count, requests: count, errors: count }
}

/** What a plan used in a span, as the console tells it; tokens = input + output + cache (spec, "What the service does"). */
export const ConsoleUsageRecord = z.object({
  totals: z
    .object({ ...countsUpTo(1e14), tokens: Amount.optional().catch(undefined) })
    .transform(({ tokens, ...sums }) => ({
      ...sums,
      tokens: tokens ?? sums.inputTokens + sums.outputTokens + sums.cacheTokens,
    })),
  series: z.array(z.object({ start: Moment, ...countsUpTo(1e11) })).max(100_000),
  models: z
    .array(
      z.object({
        modelCode: z.string(),
        tokens: Amount,
        requests: Amount,
        tokenQuota: Amount.optional().catch(undefined),
        requestQuota: Amount.optional().catch(undefined),
      }),
    )
    .max(mostModels)
    .transform(onlyUsable)
    .catch([]),
})
export type ConsoleUsageRecord = z.infer<typeof ConsoleUsageRecord>

/** What came of deleting several plans; the codes are those of a failure. */
export const DeletionRecord = z.object({
  deleted: z.array(z.object({ planId: z.string(), refund: Amount.optional().catch(undefined) })),
  failed: z
    .array(z.object({ planId: z.string(), code: Label, message: Label }))
    .transform((rows) => rows.map(({ planId, ...refusal }) => ({ planId, ...failureOf(refusal) }))),
})
export type DeletionRecord = z.infer<typeof DeletionRecord>

/** Reads an answer. Fails with `api.unreadable`, naming the field but nothing of what it holds. */
export function readRecord<T>(record: z.ZodType<T>, value: unknown): T {
  const read = record.safeParse(value)
  if (read.success) return read.data
  const field = read.error.issues[0]?.path.join('.') || 'the answer itself'
  const message = `The console answered, but not as it should (${field}). Check the address of the console.`
  throw new AppError('api.unreadable', message)
}

/** No key holds a star or what no header can carry: such a text is a mask. */
function secretIn(text: string | undefined): Secret | undefined {
  return text !== undefined && /^[\x21-\x29\x2b-\x7e]+$/.test(text) ? new Secret(text) : undefined
}

function failureOf({ code, message }: { code: string; message: string }): Pick<Failure, 'code' | 'message'> {
  const known = meaningOf(code)?.code ?? 'api.conflict'
  return { code: known, message: cleanName(redact(message)) || 'The console gave no reason.' }
}
