import { z } from 'zod'
import { instant, row } from './parts'

/**
 * A platform API key: being created until `readyAt`, then `ACTIVE`; being deleted from the moment `goneAt` is set, and 404 from then on
 * (spec, "States", Platform API key). Its secret is derived from `keyId`.
 */
export const ApiKey = z
  .looseObject({ name: z.string(), keyId: z.string(), readyAt: instant, goneAt: instant.optional(), ...row })
  .readonly()
export type ApiKey = z.infer<typeof ApiKey>

/** The part of the world of the model and API-key management. */
export const AipState = z.strictObject({ apiKeys: z.array(ApiKey).readonly() }).readonly()
export type AipState = z.infer<typeof AipState>
