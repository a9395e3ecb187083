import { z } from 'zod'
import { amount, instant, row } from './parts'

/** One version of a runtime: the configuration that a POST or PATCH left behind. Versions count from 1. */
export const RuntimeVersion = z
  .strictObject({ version: amount, createdAt: instant, config: z.record(z.string(), z.unknown()).readonly() })
  .readonly()
export type RuntimeVersion = z.infer<typeof RuntimeVersion>

/** An endpoint of a runtime; it points at one version. */
export const RuntimeEndpoint = z.looseObject({ id: z.string(), name: z.string(), version: amount, ...row }).readonly()
export type RuntimeEndpoint = z.infer<typeof RuntimeEndpoint>

/** A runtime: `CREATING` until `readyAt`, then `ACTIVE`. Its newest version is the last one. */
export const Runtime = z
  .strictObject({
    id: z.string(),
    readyAt: instant,
    /** Rises with every reset of the service account; its secret is derived from id and generation. */
    secretGeneration: amount,
    versions: z.array(RuntimeVersion).min(1).readonly(),
    endpoints: z.array(RuntimeEndpoint).readonly(),
    ...row,
  })
  .readonly()
export type Runtime = z.infer<typeof Runtime>

/** The runtime service's part of the world. */
export const RuntimeState = z.strictObject({ runtimes: z.array(Runtime).readonly() }).readonly()
export type RuntimeState = z.infer<typeof RuntimeState>
