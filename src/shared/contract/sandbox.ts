import { z } from 'zod'
import { Failure } from '../failure'
import { ApiStandard, EmptyResult, method } from './common'

export const SandboxSituation = z.enum([
  'normal',
  'keyDisabled',
  'planExpired',
  'allowanceUsedUp',
  'rateLimited',
  'serverError',
  'malformed',
  'slow',
  'cutStream',
  'dropped',
])
export type SandboxSituation = z.infer<typeof SandboxSituation>

/** State of the built-in sandbox process. */
export const SandboxView = z.strictObject({
  state: z.enum(['stopped', 'starting', 'running', 'failed']),
  gatewayUrl: z.string().optional(),
  planId: z.string().optional(),
  situation: SandboxSituation.optional(),
  failure: Failure.optional(),
})
export type SandboxView = z.infer<typeof SandboxView>

/** Listener that received the request. */
export const SandboxArea = z.enum(['gateway', 'platform'])
export type SandboxArea = z.infer<typeof SandboxArea>

/** A recorded request. Never contains a key or a text. */
export const SandboxRequestView = z.strictObject({
  n: z.number().int(),
  area: SandboxArea,
  /** Id of the matching operation, if any. */
  operation: z.string().optional(),
  at: z.iso.datetime(),
  method: z.string(),
  path: z.string(),
  status: z.number().int(),
  standard: ApiStandard.optional(),
  modelCode: z.string().optional(),
  planName: z.string().optional(),
  keyName: z.string().optional(),
  client: z.string().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  durationMs: z.number(),
})
export type SandboxRequestView = z.infer<typeof SandboxRequestView>

/** Role of the sandbox account (spec, "Roles"). Only Root and Admin can buy plans. */
export const SandboxRole = z.enum(['ROOT', 'ADMIN', 'DEVELOPER', 'VIEWER'])
export type SandboxRole = z.infer<typeof SandboxRole>

/** Maximum credits in VND: above the price of any plan, and exactly representable as a number. */
const maxCredits = 1_000_000_000_000
const Credits = z.number().int().min(0)

/** State of the sandbox. `plan` is the sandbox plan that this computer uses, if any. */
export const SandboxWorldView = z.strictObject({
  clock: z.iso.datetime(),
  /** Offset to the computer's clock in ms. */
  aheadMs: z.number().int().min(0),
  role: SandboxRole,
  credits: Credits,
  plan: z
    .strictObject({
      name: z.string(),
      status: z.enum(['ACTIVE', 'EXPIRED']),
      expiresAt: z.iso.datetime(),
      autoRenew: z.boolean(),
      /** Price of one cycle in VND. */
      total: Credits,
    })
    .optional(),
})
export type SandboxWorldView = z.infer<typeof SandboxWorldView>

/** Step by which to advance the sandbox clock. The last two depend on the expiry of the plan in use. */
export const SandboxStep = z.enum(['hour', 'day', 'week', 'beforeExpiry', 'pastExpiry'])
export type SandboxStep = z.infer<typeof SandboxStep>

/** Effect of the skipped time on a plan. */
export const SandboxEvent = z.discriminatedUnion('kind', [
  /** Renewal of a plan. `charged` is the price of all renewed cycles in VND. */
  z.strictObject({ kind: z.literal('renewed'), plan: z.string(), charged: Credits, expiresAt: z.iso.datetime() }),
  /** The next paid cycle began, with renewed allowances. */
  z.strictObject({ kind: z.literal('cycleBegan'), plan: z.string() }),
  z.strictObject({ kind: z.literal('renewalFailed'), plan: z.string(), attempts: z.number().int().min(1) }),
  z.strictObject({ kind: z.literal('expired'), plan: z.string(), why: z.enum(['unpaid', 'notRenewed']) }),
])
export type SandboxEvent = z.infer<typeof SandboxEvent>

const RequestFilter = z.strictObject({ after: z.number().int().optional(), area: SandboxArea.optional() })

export const sandbox = {
  'sandbox.get': method(SandboxView),
  /** Starts the sandbox and adds its plan. `anotherPort` uses a free port instead of the default. */
  'sandbox.open': method(SandboxView, { anotherPort: z.boolean().optional() }),
  'sandbox.stop': method(SandboxView),
  /** Recorded requests, by default those to the gateway. */
  'sandbox.requests': method(z.array(SandboxRequestView), RequestFilter),
  'sandbox.simulate': method(SandboxView, { situation: SandboxSituation }),
  'sandbox.world': method(SandboxWorldView),
  /** Advances the sandbox clock. Only a reset moves it back. */
  'sandbox.moveClock': method(z.strictObject({ world: SandboxWorldView, happened: z.array(SandboxEvent) }), {
    step: SandboxStep,
  }),
  'sandbox.setAccount': method(SandboxWorldView, {
    role: SandboxRole.optional(),
    credits: Credits.max(maxCredits).optional(),
  }),
  /** Revokes all IAM tokens issued so far. */
  'sandbox.expireTokens': method(EmptyResult),
  /** Resets the world but keeps the keys of its plans. */
  'sandbox.reset': method(SandboxView),
}
