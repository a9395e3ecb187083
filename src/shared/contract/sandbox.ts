import { z } from 'zod'
import { Failure } from '../failure'
import { Nothing, Standard } from './common'
import { method } from './define'

/** Situations a person can put the sandbox in, to see what they look like. */
export const SandboxSituation = z.enum([
  'normal',
  'keyDisabled',
  'planExpired',
  'allowanceUsedUp',
  'serverError',
  'cutStream',
])
export type SandboxSituation = z.infer<typeof SandboxSituation>

/** The built-in sandbox's process as the window sees it. */
export const SandboxView = z.strictObject({
  state: z.enum(['stopped', 'starting', 'running', 'failed']),
  gatewayUrl: z.string().optional(),
  planId: z.string().optional(),
  situation: SandboxSituation.optional(),
  failure: Failure.optional(),
})
export type SandboxView = z.infer<typeof SandboxView>

/** A request that reached the sandbox gateway; never a key or a text. */
export const SandboxRequestView = z.strictObject({
  n: z.number().int(),
  at: z.iso.datetime(),
  method: z.string(),
  path: z.string(),
  status: z.number().int(),
  standard: Standard.optional(),
  modelCode: z.string().optional(),
  planName: z.string().optional(),
  keyName: z.string().optional(),
  client: z.string().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  durationMs: z.number(),
})
export type SandboxRequestView = z.infer<typeof SandboxRequestView>

export const sandbox = {
  'sandbox.get': method(Nothing, SandboxView),
  /** Starts the sandbox and adds its plan. `anotherPort`: on a free port instead of the usual one. */
  'sandbox.open': method(z.strictObject({ anotherPort: z.boolean().optional() }), SandboxView),
  'sandbox.stop': method(Nothing, SandboxView),
  'sandbox.requests': method(z.strictObject({ after: z.number().int().optional() }), z.array(SandboxRequestView)),
  'sandbox.simulate': method(z.strictObject({ situation: SandboxSituation }), SandboxView),
}
