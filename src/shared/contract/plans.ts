import { z } from 'zod'
import { FailureCode } from '../failure'
import { cleanName } from '../hidden-characters'
import { limits } from '../limits'
import {
  AddressCorrection,
  Amount,
  CheckView,
  CleanName,
  CopiedSecret,
  EmptyResult,
  KeyStatus,
  LocalKeyRef,
  ModelCode,
  method,
  PendingKeyView,
  PlanName,
} from './common'

/** A subscription key without its secret. `kept` says where the secret is stored. */
export const KeyView = z.strictObject({
  id: z.string(),
  name: z.string(),
  masked: z.string(),
  addedAt: z.iso.datetime(),
  kept: z.enum(['keychain', 'session', 'missing']),
  /** Id of the key at its account. Absent for a key without an account. */
  origin: z.strictObject({ keyId: z.string() }).optional(),
  /** Last key status that the account returned. Absent for a key without an account. */
  status: KeyStatus.optional(),
  /** `rejected` means 401 from the gateway. `deleted` means the account no longer has it. */
  problem: z.enum(['rejected', 'missing', 'deleted']).optional(),
  /** New key after a rotation. Local tools use the new key, and only holders may still use the old one. */
  replacedBy: z.strictObject({ keyId: z.string(), name: z.string() }).optional(),
  /** Ids of local tools that use the key. Omitted if none. */
  usedBy: z.array(z.string()).optional(),
})
export type KeyView = z.infer<typeof KeyView>

/** Facts about a model, from the model list of the platform or of a gateway. */
export const ModelFacts = z.strictObject({
  modelCode: ModelCode,
  /** Context size in tokens. */
  contextTokens: z.number().int().positive().optional(),
  /** Capabilities in the words of the list, such as `chat` or `vision`. */
  capabilities: z.array(z.string().max(40)).max(20).optional(),
})
export type ModelFacts = z.infer<typeof ModelFacts>

/** A usable plan: added by key, from an account, or from the built-in sandbox. */
export const PlanView = z.strictObject({
  id: z.string(),
  /** Name of the plan. For an account plan, its name at the account. */
  name: z.string(),
  /** Name with connection, if another connection has a plan of the same name. */
  label: z.string().optional(),
  source: z.enum(['handed-over', 'console', 'sandbox']),
  /** Connection and plan id of an account plan. Absent for other plans. */
  origin: z.strictObject({ connectionId: z.string(), planId: z.string() }).optional(),
  gatewayUrl: z.string(),
  /** CA file for this gateway, in addition to the system's. */
  caFile: z.string().optional(),
  models: z.array(z.string()),
  /** Context size of models without a known size, in tokens. Another value than the default is for all models. */
  contextTokens: z.number().int(),
  modelFacts: z.array(ModelFacts).optional(),
  expiresAt: z.iso.datetime().optional(),
  /** Platform clock offset in ms, absent when equal. The expiry is in the platform's time. */
  aheadMs: z.number().optional(),
  createdAt: z.iso.datetime(),
  keys: z.array(KeyView),
  /** Id of the newest working key. Absent without keys. */
  defaultKeyId: z.string().optional(),
  usedBy: z.array(z.string()),
  lastCheck: CheckView.optional(),
})
export type PlanView = z.infer<typeof PlanView>

/** A corrected gateway address and its request URL per standard. */
export const AddressView = z.strictObject({
  url: z.string(),
  corrections: z.array(AddressCorrection),
  bases: z.strictObject({ 'chat-completions': z.string(), messages: z.string() }),
  requests: z.strictObject({ 'chat-completions': z.string(), messages: z.string() }),
})
export type AddressView = z.infer<typeof AddressView>

const planFields = {
  name: PlanName,
  gatewayUrl: z.string().min(1).max(2000),
  caFile: z.string().max(4000).optional(),
  models: z.array(ModelCode).max(200),
  contextTokens: z.number().int().min(1000).max(10_000_000).optional(),
  expiresAt: z.iso.datetime().optional(),
}

// The console's data. Its responses and the views of the window are parsed by the same schemas.

/** Integer up to `max`. Rounds, and turns negative values into 0. The limit keeps sums over a year exact. */
export const createCount = (max: number) =>
  z
    .number()
    .max(max)
    .overwrite((value) => Math.max(0, Math.round(value)))
export const ConsoleAmount = createCount(1e15)
const Days = createCount(36_600)
const CleanText = z.string().overwrite((text) => cleanName(text))
export const ConsoleLabel = CleanText.catch('')
/** Replaces an empty name, so that the item is visible in lists. */
const ItemName = CleanText.overwrite((name) => name || '?')
const Address = z
  .string()
  .overwrite((text) => cleanName(text, 2000))
  .catch('')
/** Id from the console. Opaque to this app and sent back unchanged. */
const ConsoleId = z.string().max(500)
/** Latest accepted date. ISO 8601 needs a sign for later years, which parsers reject. */
const maxTimestampMs = Date.parse('9999-12-31T23:59:59.999Z')
export const ConsoleTime = z
  .string()
  .refine((text) => Date.parse(text) >= 0 && Date.parse(text) <= maxTimestampMs, { abort: true })
  .overwrite((text) => new Date(text).toISOString())
/** A list of models without those whose code cannot be requested or has lookalike characters. */
export const createModelList = <T extends { readonly modelCode: string }>(model: z.ZodType<T>) =>
  z
    .array(model)
    .max(1000)
    .overwrite((models) => models.filter(({ modelCode }) => ModelCode.safeParse(modelCode).success))

/** Account at the console. Credits are in VND. Only Root and Admin buy (spec, "Roles"). */
export const AccountView = z.object({
  accountId: CleanText,
  role: z.enum(['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER']),
  credits: ConsoleAmount,
})
export type AccountView = z.infer<typeof AccountView>

const includedModel = {
  modelCode: z.string(),
  displayName: ConsoleLabel,
  hostingMode: ConsoleLabel,
  tokenQuota: ConsoleAmount,
  requestQuota: ConsoleAmount,
  enabledTypes: z.array(CleanText).max(100).catch([]),
}

/** Plan type of the catalog. `price` is in VND including VAT, per `durationDays`. */
export const PackageView = z.object({
  packageId: ConsoleId,
  planType: ItemName,
  price: ConsoleAmount,
  durationDays: Days,
  maxKeys: ConsoleAmount,
  /** Gateway address and activation hints, which not every console returns. */
  subscriptionEndpoint: Address.optional(),
  activationNotes: z
    .array(z.string().overwrite((note) => cleanName(note, 1_000)))
    .max(20)
    .optional()
    .catch(undefined),
  models: createModelList(z.object(includedModel)),
})
export type PackageView = z.infer<typeof PackageView>

/** A plan of the account as the console returns it. It masks gateway and keys until `provisioned` (spec, "States", Plan). */
export const AccountPlanRecord = z.object({
  planId: ConsoleId,
  name: ItemName,
  packageId: ConsoleId,
  planType: ItemName,
  status: z.enum(['ACTIVE', 'EXPIRED']),
  provisioned: z.boolean(),
  autoRenew: z.boolean(),
  purchasedAt: ConsoleTime,
  expiresAt: ConsoleTime,
  cycleDays: Days,
  keysUsed: ConsoleAmount,
  maxKeys: ConsoleAmount,
  total: ConsoleAmount,
  gatewayUrl: Address,
  /** Models with their two quotas and their usage in this cycle. */
  models: createModelList(
    z.object({
      ...includedModel,
      status: ConsoleLabel,
      tokensUsed: ConsoleAmount,
      requestsUsed: ConsoleAmount,
      endpoint: Address,
    }),
  ),
  /** Renewal retries. Absent unless a renewal failed. */
  renewal: z
    .object({ failedAttempts: ConsoleAmount, nextAttemptAt: ConsoleTime.optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
export type AccountPlanRecord = z.infer<typeof AccountPlanRecord>

/** A plan of the account with its copy on this computer. */
export const AccountPlanView = z.strictObject({
  ...AccountPlanRecord.shape,
  /** Name with connection, if another connection has a plan of the same name. */
  label: z.string().optional(),
  /** Platform clock offset in ms, absent when equal. The expiry is in the platform's time. */
  aheadMs: z.number().optional(),
  /** Local plan that contains keys of this plan, and the tools that use it. */
  localPlanId: z.string().optional(),
  usedBy: z.array(z.string()),
})
export type AccountPlanView = z.infer<typeof AccountPlanView>
export type PlanModelView = AccountPlanView['models'][number]

/** A subscription key of the account. The secret stays in the main process. */
export const SubscriptionKeyView = z.strictObject({
  keyId: ConsoleId,
  name: ItemName,
  status: KeyStatus,
  createdAt: ConsoleTime,
  masked: z.string(),
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
const connectionFields = { connectionId: z.string() }
const accountPlanFields = { ...connectionFields, planId: z.string() }
const keyFields = { ...accountPlanFields, keyId: z.string() }
const accountPlans = z.strictObject({ ...connectionFields, planIds: z.array(z.string()).min(1).max(100) })
const purchase = z.strictObject({ ...connectionFields, name: PlanName, autoRenew: z.boolean() })
const KeyName = CleanName(limits.nameCharacters)

export const plans = {
  'plans.list': method(z.array(PlanView)),
  'plans.readAddress': method(AddressView, { text: z.string().max(4000) }),
  /** Reads the clipboard in main. The key never enters the window. */
  'plans.takeKeyFromClipboard': method(PendingKeyView),
  /** Tests a key before saving. Without a model code, only key and plan are verified. */
  'plans.checkNew': method(CheckView, {
    gatewayUrl: planFields.gatewayUrl,
    pendingId: z.string(),
    modelCode: ModelCode.optional(),
    caFile: planFields.caFile,
  }),
  'plans.add': method(PlanView, { ...planFields, pendingId: z.string() }),
  'plans.check': method(CheckView, { planId: z.string(), modelCode: ModelCode.optional() }),
  'plans.update': method(PlanView, { planId: z.string(), ...planFields }),
  'plans.replaceKey': method(PlanView, { ...LocalKeyRef.shape, pendingId: z.string() }),
  /** Copies a key in main. Clears the clipboard after `clearsAfterMs` if it is unchanged. */
  'plans.copyKey': method(CopiedSecret, LocalKeyRef),
  /** Removes a plan and its keys. Fails with `plan.inUse` while tools use it, unless `evenIfUsed`. */
  'plans.remove': method(EmptyResult, { planId: z.string(), evenIfUsed: z.boolean().optional() }),

  'account.get': method(AccountView, connectionFields),
  'account.packages': method(z.array(PackageView), connectionFields),
  /** Plans of the account, newest purchase first. */
  'account.plans': method(z.array(AccountPlanView), connectionFields),
  'account.keys': method(z.array(SubscriptionKeyView), accountPlanFields),
  /** Pays immediately. Follows the plan until it is provisioned, also without a window, and then saves its first key. */
  'account.buy': method(
    AccountPlanView,
    z.union([
      purchase.extend({ packageId: z.string() }),
      /** Buys another plan of the same type as an earlier one. */
      purchase.extend({ planId: z.string() }),
    ]),
  ),
  'account.setAutoRenew': method(AccountPlanView, { ...accountPlanFields, autoRenew: z.boolean() }),
  'account.previewDelete': method(z.array(DeletionPreview), accountPlans),
  /** Deletes plans irreversibly, and removes local plans with their keys. */
  'account.deletePlans': method(
    z.strictObject({
      /** Deleted plans. `refund` is missing if the response was lost but the plan is gone. */
      deleted: z.array(z.strictObject({ planId: z.string(), refund: Amount.optional() })),
      failed: z.array(z.strictObject({ planId: z.string(), code: FailureCode, message: z.string() })),
      /** Names of deleted plans still listed locally, because the keychain could not remove their keys. */
      notForgotten: z.array(z.string()),
    }),
    accountPlans,
  ),
  'account.addKey': method(SubscriptionKeyView, { ...accountPlanFields, name: KeyName }),
  'account.renameKey': method(SubscriptionKeyView, { ...keyFields, name: KeyName }),
  'account.setKeyStatus': method(SubscriptionKeyView, { ...keyFields, status: KeyStatus }),
  /** Deletes a key irreversibly. The gateway rejects it from the next request on. */
  'account.deleteKey': method(EmptyResult, keyFields),
  /** Copies a key in main. Clears the clipboard after `clearsAfterMs` if it is unchanged. */
  'account.copyKey': method(CopiedSecret, keyFields),
  /** Saves a key that was created elsewhere, for use by local tools. */
  'account.keepKey': method(SubscriptionKeyView, keyFields),
}
