import { z } from 'zod'
import {
  AddressCorrection,
  CheckView,
  CopiedSecret,
  EmptyInputSchema,
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

export const plans = {
  'plans.list': method(EmptyInputSchema, z.array(PlanView)),
  'plans.readAddress': method(z.strictObject({ text: z.string().max(4000) }), AddressView),
  /** Reads the clipboard in main. The key never enters the window. */
  'plans.takeKeyFromClipboard': method(EmptyInputSchema, PendingKeyView),
  /** Tests a key before saving. Without a model code, only key and plan are verified. */
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
  'plans.replaceKey': method(LocalKeyRef.extend({ pendingId: z.string() }), PlanView),
  /** Copies a key in main. Clears the clipboard after `clearsAfterMs` if it is unchanged. */
  'plans.copyKey': method(LocalKeyRef, CopiedSecret),
  /** Removes a plan and its keys. Fails with `plan.inUse` while tools use it, unless `evenIfUsed`. */
  'plans.remove': method(z.strictObject({ planId: z.string(), evenIfUsed: z.boolean().optional() }), EmptyInputSchema),
}
