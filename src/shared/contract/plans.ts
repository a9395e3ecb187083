import { z } from 'zod'
import { AddressCorrection, CheckView, ModelCode, method, Nothing, PlanName } from './common'

/** A subscription key as it may be shown. `kept` says where the key itself is. */
export const KeyView = z.strictObject({
  id: z.string(),
  name: z.string(),
  masked: z.string(),
  addedAt: z.iso.datetime(),
  kept: z.enum(['keychain', 'session', 'missing']),
  /** The key of an account that it is. */
  origin: z.strictObject({ keyId: z.string() }).optional(),
  /** Last status from the account; absent without one. */
  status: z.enum(['ACTIVE', 'DISABLED']).optional(),
  /** `rejected`: 401 from the gateway; `deleted`: gone from its account. */
  problem: z.enum(['rejected', 'missing', 'deleted']).optional(),
  /** The key that took its place in a rotation: the tools here use that one, and this one works at most for its holders. */
  replacedBy: z.strictObject({ keyId: z.string(), name: z.string() }).optional(),
  /** Ids of the tools on this machine that use it; absent when none does. */
  usedBy: z.array(z.string()).optional(),
})
export type KeyView = z.infer<typeof KeyView>

/** A plan this app can use: handed over by key, kept from an account, or the built-in sandbox's. */
export const PlanView = z.strictObject({
  id: z.string(),
  /** The account's name of a plan of an account. */
  name: z.string(),
  /** The name with its connection, where a plan of another connection has the same name. */
  label: z.string().optional(),
  source: z.enum(['handed-over', 'console', 'sandbox']),
  /** The plan of an account whose keys it holds. */
  origin: z.strictObject({ connectionId: z.string(), planId: z.string() }).optional(),
  gatewayUrl: z.string(),
  /** The file of an authority to trust for this gateway, in addition to the system's. */
  caFile: z.string().optional(),
  models: z.array(z.string()),
  /** Context window for the tools, in tokens. */
  contextTokens: z.number().int(),
  expiresAt: z.iso.datetime().optional(),
  /** Platform clock offset in ms; absent when equal. The expiry is in the platform's time. */
  aheadMs: z.number().optional(),
  createdAt: z.iso.datetime(),
  keys: z.array(KeyView),
  /** Default key: the newest working one; absent without keys. */
  defaultKeyId: z.string().optional(),
  /** Ids of the tools on this machine that use this plan. */
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

/** A key that main took from the clipboard and holds until it is saved (at most 15 minutes). */
export const PendingKeyView = z.strictObject({ pendingId: z.string(), masked: z.string() })
export type PendingKeyView = z.infer<typeof PendingKeyView>

const planFields = {
  name: PlanName,
  gatewayUrl: z.string().min(1).max(2000),
  caFile: z.string().max(4000).optional(),
  models: z.array(ModelCode).max(200),
  contextTokens: z.number().int().min(1000).max(10_000_000).optional(),
  expiresAt: z.iso.datetime().optional(),
}

export const plans = {
  'plans.list': method(Nothing, z.array(PlanView)),
  'plans.readAddress': method(z.strictObject({ text: z.string().max(4000) }), AddressView),
  /** Reads the clipboard in main; the key never enters the window. */
  'plans.takeKeyFromClipboard': method(Nothing, PendingKeyView),
  /** A live check before saving. Without a model code only the key and the plan are proven. */
  'plans.checkNew': method(
    z.strictObject({
      gatewayUrl: planFields.gatewayUrl,
      pendingId: z.string(),
      modelCode: ModelCode.optional(),
      caFile: planFields.caFile,
    }),
    CheckView,
  ),
  'plans.add': method(z.strictObject({ ...planFields, pendingId: z.string() }), PlanView),
  'plans.check': method(z.strictObject({ planId: z.string(), modelCode: ModelCode.optional() }), CheckView),
  'plans.update': method(z.strictObject({ planId: z.string(), ...planFields }), PlanView),
  'plans.replaceKey': method(
    z.strictObject({ planId: z.string(), keyId: z.string(), pendingId: z.string() }),
    PlanView,
  ),
  /** Copies a key in main; the clipboard is cleared after `clearsAfterMs` if it still holds it. */
  'plans.copyKey': method(
    z.strictObject({ planId: z.string(), keyId: z.string() }),
    z.strictObject({ clearsAfterMs: z.number() }),
  ),
  /** Forgets a plan and its keys. Fails with `plan.inUse` while tools use it, unless `evenIfUsed`. */
  'plans.remove': method(z.strictObject({ planId: z.string(), evenIfUsed: z.boolean().optional() }), Nothing),
}
