import { z } from 'zod'

/** What the sandbox process says once it listens. Keys are the simulation's own; they open nothing elsewhere. */
export const SandboxReady = z.object({
  kind: z.literal('ready'),
  gatewayUrl: z.string(),
  platformUrl: z.string(),
  controlToken: z.string(),
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
export const SandboxFailed = z.object({ kind: z.literal('failed'), code: z.string(), port: z.number().optional() })

export interface SandboxPorts {
  /** 0 takes a free one. */
  readonly gatewayPort: number
  readonly platformPort: number
}

/** Runs the sandbox as a process of its own. */
export interface SandboxHost {
  /** Fails with `sandbox.portInUse` or `sandbox.failed`. */
  start(ports: SandboxPorts): Promise<SandboxReady>
  stop(): Promise<void>
  /** Called when the process ends by itself. */
  onExit(listener: () => void): void
}
