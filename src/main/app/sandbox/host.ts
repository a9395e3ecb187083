import { z } from 'zod'
import { Secret } from '../../core/secret'

/** Text that a header can carry, held as a `Secret` from the moment it is read. */
const SecretText = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .transform((text) => new Secret(text))

/** The addresses of a connection to the sandbox, by their names in a connection file. */
const Addresses = z.object({
  tokenPlanUrl: z.string(),
  consoleUrl: z.string(),
  identityApiUrl: z.string(),
  runtimeApiUrl: z.string(),
  memoryApiUrl: z.string(),
  registryApiUrl: z.string(),
  aipApiUrl: z.string(),
  inferenceUrl: z.string(),
  registryHost: z.string(),
})

/** What the sandbox process says once it listens. Keys are the simulation's own; they open nothing elsewhere. */
export const SandboxReady = z.object({
  kind: z.literal('ready'),
  gatewayUrl: z.string(),
  platformUrl: z.string(),
  controlToken: z.string(),
  addresses: Addresses,
  /** A client that may ask the sandbox for IAM tokens. */
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

/** What it says instead when it cannot listen. */
export const SandboxFailed = z.object({
  kind: z.literal('failed'),
  code: z.string(),
  port: z.number().optional(),
  message: z.string().optional(),
})

interface SandboxPorts {
  /** 0 takes a free one. */
  readonly gatewayPort: number
  readonly platformPort: number
}

/** Runs the sandbox as a process of its own. */
export interface SandboxHost {
  /** Fails with `sandbox.portInUse`, `sandbox.stateInUse` or `sandbox.failed`. */
  start(ports: SandboxPorts): Promise<SandboxReady>
  stop(): Promise<void>
  /** Called when the process ends by itself. */
  onExit(listener: () => void): void
}
