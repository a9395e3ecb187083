import { AddressKey } from '@shared/contract/connections'
import { z } from 'zod'
import { Secret } from '../../core/secret'

/** Text that is valid in a header, wrapped in a `Secret` when parsed. */
const SecretText = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .transform((text) => new Secret(text))

/** Message of the sandbox process when it listens. Its keys are valid only in the simulation. */
export const SandboxReady = z.object({
  kind: z.literal('ready'),
  gatewayUrl: z.string(),
  platformUrl: z.string(),
  controlToken: z.string(),
  /** Sandbox addresses by their names in a connection file. */
  addresses: z.record(AddressKey, z.string()),
  iam: z.object({ tokenUrl: z.string(), clientId: z.string(), clientSecret: SecretText }),
  plans: z.array(
    z.object({
      planId: z.string(),
      name: z.string(),
      status: z.string(),
      models: z.array(z.object({ modelCode: z.string(), contextTokens: z.number() })),
      keys: z.array(z.object({ keyId: z.string(), name: z.string(), status: z.string(), key: z.string() })),
    }),
  ),
})
export type SandboxReady = z.infer<typeof SandboxReady>

/** Message of the sandbox process when it cannot listen. */
export const SandboxFailedMessage = z.object({
  kind: z.literal('failed'),
  code: z.string(),
  port: z.number().optional(),
  message: z.string().optional(),
})

export interface SandboxHost {
  /** Port 0 selects a free port. Fails with `sandbox.portInUse`, `sandbox.stateInUse` or `sandbox.failed`. */
  start(ports: { readonly gatewayPort: number; readonly platformPort: number }): Promise<SandboxReady>
  stop(): Promise<void>
  /** Called when the process exits unexpectedly. */
  onExit(listener: () => void): void
}
