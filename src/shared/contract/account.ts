import { z } from 'zod'
import { FailureCode } from '../failure'
import { limits } from '../limits'
import { Amount, CleanName, CopiedSecret, EmptyInputSchema, KeyStatus, method, PlanName } from './common'

const NotificationTypes = z.array(z.string())

/** Console contract. Credits are in VND. Only Root and Admin buy (spec, "Roles"). */
export const AccountView = z.strictObject({
  accountId: z.string(),
  role: z.enum(['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER']),
  credits: Amount,
})
export type AccountView = z.infer<typeof AccountView>

/** Plan type of the catalog. `price` is in VND including VAT, per `durationDays`. */
export const PackageView = z.strictObject({
  packageId: z.string(),
  planType: z.string(),
  price: Amount,
  durationDays: Amount,
  maxKeys: Amount,
  /** Gateway address and activation hints, which not every console returns. */
  subscriptionEndpoint: z.string().optional(),
  activationNotes: z.array(z.string()).optional(),
  models: z.array(
    z.strictObject({
      modelCode: z.string(),
      displayName: z.string(),
      hostingMode: z.string(),
      tokenQuota: Amount,
      requestQuota: Amount,
      enabledTypes: NotificationTypes,
    }),
  ),
})
export type PackageView = z.infer<typeof PackageView>

/** One model of a plan with its two quotas and their usage in this cycle. */
export const PlanModelView = z.strictObject({
  modelCode: z.string(),
  displayName: z.string(),
  hostingMode: z.string(),
  status: z.string(),
  tokenQuota: Amount,
  requestQuota: Amount,
  tokensUsed: Amount,
  requestsUsed: Amount,
  enabledTypes: NotificationTypes,
  endpoint: z.string(),
})
export type PlanModelView = z.infer<typeof PlanModelView>

/** A plan of the account. The platform masks gateway and keys until `provisioned` (spec, "States", Plan). */
export const AccountPlanView = z.strictObject({
  planId: z.string(),
  name: z.string(),
  /** Name with connection, if another connection has a plan of the same name. */
  label: z.string().optional(),
  packageId: z.string(),
  planType: z.string(),
  status: z.enum(['ACTIVE', 'EXPIRED']),
  provisioned: z.boolean(),
  autoRenew: z.boolean(),
  purchasedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Platform clock offset in ms, absent when equal. The expiry is in the platform's time. */
  aheadMs: z.number().optional(),
  cycleDays: Amount,
  keysUsed: Amount,
  maxKeys: Amount,
  total: Amount,
  gatewayUrl: z.string(),
  models: z.array(PlanModelView),
  /** Renewal retries. Absent unless a renewal failed. */
  renewal: z.strictObject({ failedAttempts: Amount, nextAttemptAt: z.iso.datetime().optional() }).optional(),
  /** Local plan that contains keys of this plan, and the tools that use it. */
  localPlanId: z.string().optional(),
  usedBy: z.array(z.string()),
})
export type AccountPlanView = z.infer<typeof AccountPlanView>

/** A subscription key of the account. The secret stays in the main process. */
export const SubscriptionKeyView = z.strictObject({
  keyId: z.string(),
  name: z.string(),
  status: KeyStatus,
  masked: z.string(),
  createdAt: z.iso.datetime(),
  /** Storage of the key on this computer. Absent if it is not saved here. */
  kept: z.enum(['keychain', 'session', 'missing']).optional(),
  usedBy: z.array(z.string()),
})
export type SubscriptionKeyView = z.infer<typeof SubscriptionKeyView>

/** Consequences and estimated refund of deleting a plan. */
export const DeletionPreview = z.strictObject({
  planId: z.string(),
  name: z.string(),
  keys: z.array(z.string()),
  tools: z.array(z.string()),
  /** Estimated refund in VND, based on the unused part of the cycle. The platform determines the actual Amount. */
  estimatedRefund: Amount,
})
export type DeletionPreview = z.infer<typeof DeletionPreview>

/** Every call names its connection, so a late response cannot be attributed to another account. */
const planFields = { connectionId: z.string() }
const accountPlanFields = { ...planFields, planId: z.string() }
const keyFields = { ...accountPlanFields, keyId: z.string() }
const KeyName = CleanName(limits.nameCharacters)

export const account = {
  'account.get': method(z.strictObject(planFields), AccountView),
  'account.packages': method(z.strictObject(planFields), z.array(PackageView)),
  /** Plans of the account, newest purchase first. */
  'account.plans': method(z.strictObject(planFields), z.array(AccountPlanView)),
  'account.plan': method(z.strictObject(accountPlanFields), AccountPlanView),
  'account.keys': method(z.strictObject(accountPlanFields), z.array(SubscriptionKeyView)),
  /** Pays immediately. Follows the plan until it is provisioned, also without a window, and then saves its first key. */
  'account.buy': method(
    z.strictObject({ ...planFields, name: PlanName, packageId: z.string(), autoRenew: z.boolean() }),
    AccountPlanView,
  ),
  'account.buyAgain': method(
    z.strictObject({ ...accountPlanFields, name: PlanName, autoRenew: z.boolean() }),
    AccountPlanView,
  ),
  'account.setAutoRenew': method(z.strictObject({ ...accountPlanFields, autoRenew: z.boolean() }), AccountPlanView),
  'account.previewDelete': method(
    z.strictObject({ ...planFields, planIds: z.array(z.string()).min(1).max(100) }),
    z.array(DeletionPreview),
  ),
  /** Deletes plans irreversibly, and removes local plans with their keys. */
  'account.deletePlans': method(
    z.strictObject({ ...planFields, planIds: z.array(z.string()).min(1).max(100) }),
    z.strictObject({
      /** Deleted plans. `refund` is missing if the response was lost but the plan is gone. */
      deleted: z.array(z.strictObject({ planId: z.string(), refund: Amount.optional() })),
      failed: z.array(z.strictObject({ planId: z.string(), code: FailureCode, message: z.string() })),
      /** Names of deleted plans still listed locally, because the keychain could not remove their keys. */
      notForgotten: z.array(z.string()),
    }),
  ),
  'account.addKey': method(z.strictObject({ ...accountPlanFields, name: KeyName }), SubscriptionKeyView),
  'account.renameKey': method(z.strictObject({ ...keyFields, name: KeyName }), SubscriptionKeyView),
  'account.setKeyStatus': method(z.strictObject({ ...keyFields, status: KeyStatus }), SubscriptionKeyView),
  /** Deletes a key irreversibly. The gateway rejects it from the next request on. */
  'account.deleteKey': method(z.strictObject(keyFields), EmptyInputSchema),
  /** Copies a key in main. Clears the clipboard after `clearsAfterMs` if it is unchanged. */
  'account.copyKey': method(z.strictObject(keyFields), CopiedSecret),
  /** Saves a key that was created elsewhere, for use by local tools. */
  'account.keepKey': method(z.strictObject(keyFields), SubscriptionKeyView),
}
