import { z } from 'zod'
import { Failure } from '../failure'
import { Amount, CleanName, EmptyResult, ItemId, ModelCode, method, PendingKeyView } from './common'

/** Expected use of each weekday in local time, Sunday first, as fractions of the quota. */
const WeekdayUse = z.array(z.number().nonnegative()).length(7)

/** Usage at the end of a cycle, in fractions of the quota. `low` to `high`: the middle 80 percent. */
export const Forecast = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('notEnough'), reason: z.enum(['tooShort', 'noHistory', 'noCycle', 'noAllowance']) }),
  z.strictObject({
    kind: z.literal('lasts'),
    used: z.number(),
    low: z.number(),
    high: z.number(),
    weekdays: WeekdayUse.optional(),
  }),
  z.strictObject({
    kind: z.literal('runsOut'),
    weekdays: WeekdayUse.optional(),
    /** Expected use at the end of the cycle without the limit, as a fraction of the quota. */
    used: z.number(),
    at: z.iso.datetime(),
    earliest: z.iso.datetime(),
    /** Latest likely time at which the quota is used up. Absent if it may last until the renewal. */
    latest: z.iso.datetime().optional(),
    daysBeforeRenewal: z.number().nonnegative(),
  }),
  z.strictObject({ kind: z.literal('exhausted'), since: z.iso.datetime().optional() }),
])
export type Forecast = z.infer<typeof Forecast>

/** Usage of one allowance (tokens or requests) of one model. Never sum it across models or plans. */
export const Gauge = z.strictObject({
  /** Quota per cycle. Absent if unknown. */
  quota: Amount.optional(),
  used: Amount,
  /** Fraction of the allowance that would be used by now at a constant rate, 0 to 1. Omitted without a cycle. */
  evenPace: z.number().min(0).max(1).optional(),
  forecast: Forecast,
})
export type Gauge = z.infer<typeof Gauge>

/** A model with its two independent quotas (spec, "What the service does"). */
export const ModelQuota = z.strictObject({
  modelCode: z.string(),
  displayName: z.string(),
  tokens: Gauge,
  requests: Gauge,
})
export type ModelQuota = z.infer<typeof ModelQuota>

/** `source`: origin of `used`. The console counts usage on all computers, `machine` only on this one. */
export const PlanQuota = z.strictObject({
  /** Local id of the plan, if the plan is saved here. */
  planId: z.string().optional(),
  /** Connection and plan id of an account plan. Absent for other plans. */
  origin: z.strictObject({ connectionId: z.string(), planId: z.string() }).optional(),
  name: z.string(),
  /** Name with the connection. Set if another connection has a plan of the same name. */
  label: z.string().optional(),
  source: z.enum(['console', 'machine']),
  isExpired: z.boolean(),
  expiresAt: z.iso.datetime().optional(),
  cycle: z.strictObject({ from: z.iso.datetime(), to: z.iso.datetime(), autoRenew: z.boolean().optional() }).optional(),
  models: z.array(ModelQuota),
  at: z.iso.datetime(),
  /** Offset of the server's clock in ms for the cycle, absent when zero. */
  aheadMs: z.number().optional(),
})
export type PlanQuota = z.infer<typeof PlanQuota>

/** Quotas of a handed-over plan per model and cycle, entered by the user. */
export const EnteredAllowances = z.array(
  z.strictObject({ modelCode: ModelCode, tokenQuota: Amount.optional(), requestQuota: Amount.optional() }),
)
export type EnteredAllowances = z.infer<typeof EnteredAllowances>

const maxSnoozeHours = 24 * 31
const AlertSource = z.strictObject({ planId: z.string(), modelCode: z.string().optional() })

export const AlertSettings = z.strictObject({
  enabled: z.boolean(),
  thresholds: z.array(z.number().int().min(1).max(100)).max(6),
  forecast: z.boolean(),
  errorBursts: z.boolean(),
  /** Muted alerts. An entry without a model applies to the whole plan. */
  snoozed: z.array(AlertSource.extend({ until: z.iso.datetime() })),
  /** Ids of local or account plans that never alert. */
  mutedPlans: z.array(z.string()),
})
export type AlertSettings = z.infer<typeof AlertSettings>

/** An alert, sent once per episode. */
export const AlertView = z.strictObject({
  id: z.string(),
  kind: z.enum(['threshold', 'forecast', 'errorBurst', 'budget']),
  /** Plan of the alert. Empty for `budget`, like `planName`. */
  planId: z.string(),
  planName: z.string(),
  modelCode: z.string().optional(),
  allowance: z.enum(['tokens', 'requests']).optional(),
  /** Percentage of the quota or budget that was exceeded. Set for `threshold` and `budget` alerts. */
  percent: z.number().optional(),
  /** Name of the budget. Set for `budget` alerts, as is `isRefused`: whether the budget rejects requests. */
  budgetName: z.string().optional(),
  isRefused: z.boolean().optional(),
  at: z.iso.datetime(),
})
export type AlertView = z.infer<typeof AlertView>

export const WebhookFormat = z.enum(['json', 'slack', 'teams'])
export type WebhookFormat = z.infer<typeof WebhookFormat>

/** The webhook for alerts. Only the origin of its address leaves main, because the path is a secret. */
export const WebhookView = z.strictObject({
  /** Absent without a webhook. */
  webhook: z
    .strictObject({
      origin: z.string(),
      format: WebhookFormat,
      /** Whether a bearer token is saved. */
      hasToken: z.boolean(),
      /** Number of messages that were not delivered yet. */
      pendingCount: z.number().int(),
      lastSentAt: z.iso.datetime().optional(),
      /** Failure of the last delivery. Absent after a success. */
      lastFailure: z.strictObject({ at: z.iso.datetime(), failure: Failure }).optional(),
    })
    .optional(),
})
export type WebhookView = z.infer<typeof WebhookView>

export const WebhookInput = z.strictObject({ format: WebhookFormat, hasToken: z.boolean() })
export type WebhookInput = z.infer<typeof WebhookInput>

/** Maximum number of budgets. The relay checks every blocking budget on each request. */
export const maxBudgets = 100

const SubjectId = z.string().min(1).max(500)

/** Subject of a budget by local ids. A person's budget counts the local keys that the person holds. */
export const BudgetSubject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('plan'), planId: SubjectId }),
  z.strictObject({ kind: z.literal('key'), planId: SubjectId, keyId: SubjectId }),
  z.strictObject({ kind: z.literal('tool'), toolId: z.string().min(1).max(64) }),
  z.strictObject({ kind: z.literal('model'), modelCode: ModelCode }),
  z.strictObject({ kind: z.literal('person'), name: CleanName(100) }),
])
export type BudgetSubject = z.infer<typeof BudgetSubject>

/**
 * Limit of relay requests per day, week or cycle in the computer's time zone. Only plans and keys have cycles. `warn`
 * alerts, `refuse` returns 429 when used up.
 */
export const BudgetInput = z.strictObject({
  /** Id of the budget. Absent for a new budget. */
  id: z.string().max(100).optional(),
  /** Unique. */
  name: CleanName(60),
  subject: BudgetSubject,
  unit: z.enum(['tokens', 'requests']),
  limit: z.number().int().min(1).max(1e12),
  period: z.enum(['day', 'week', 'cycle']),
  action: z.enum(['warn', 'refuse']),
})
export type BudgetInput = z.infer<typeof BudgetInput>

/** A budget with its current usage from the ledger. */
export const BudgetView = z.strictObject({
  ...BudgetInput.shape,
  id: z.string(),
  /** Name of the budget's subject. Absent when the subject no longer exists on this computer. */
  subjectName: z.string().optional(),
  used: Amount,
  /** Half-open. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
})
export type BudgetView = z.infer<typeof BudgetView>

export const quota = {
  /** Quotas of all plans, tightest first. Uses local usage data if the console does not respond. */
  'quota.list': method(z.array(PlanQuota)),
  /** Quotas of all plans, like `quota.list`, but without its cache of one minute per console. */
  'quota.refresh': method(z.array(PlanQuota)),
  /** Replaces the quotas that the user entered. The cycle of `cycleDays` days ends at the plan's expiry. */
  'quota.setAllowances': method(EmptyResult, {
    planId: z.string(),
    allowances: EnteredAllowances,
    cycleDays: z.number().int().min(1).max(366),
  }),
  'quota.allowances': method(z.strictObject({ allowances: EnteredAllowances, cycleDays: z.number().int() }), {
    planId: z.string(),
  }),
  'alerts.settings': method(AlertSettings),
  'alerts.setSettings': method(AlertSettings, AlertSettings.omit({ snoozed: true })),
  'alerts.snooze': method(AlertSettings, { ...AlertSource.shape, hours: z.int().min(1).max(maxSnoozeHours) }),
  'alerts.wake': method(AlertSettings, AlertSource),
  /** Sent alerts, newest first, at most 100. */
  'alerts.list': method(z.array(AlertView)),
  'alerts.webhook': method(WebhookView),
  /** Takes the address or the token into main. Of an address, `masked` is the origin. Fails with `clipboard.noKey`. */
  'alerts.takeWebhookSecret': method(PendingKeyView, { part: z.enum(['address', 'token']) }),
  /** Saves the webhook after native confirmation. Keeps the saved address and token without new ones. */
  'alerts.setWebhook': method(WebhookView, {
    ...WebhookInput.shape,
    addressId: z.string().optional(),
    tokenId: z.string().optional(),
  }),
  'alerts.removeWebhook': method(WebhookView),
  /** Sends one test message. Fails with `net.*`, `webhook.rejected` or `vault.*`. */
  'alerts.testWebhook': method(z.strictObject({ durationMs: z.number() })),

  /** Sorted by name. */
  'budgets.list': method(z.array(BudgetView)),
  /** Adds or changes a budget. Fails with `budget.*`, `plan.notFound`, `key.notFound` or `input.invalid`. */
  'budgets.save': method(BudgetView, BudgetInput),
  'budgets.remove': method(EmptyResult, ItemId),
}
