import { z } from 'zod'
import { failureCodes } from './app-error'

export { AppError, failureCodes } from './app-error'

export const FailureCode = z.enum(failureCodes)
export type FailureCode = z.infer<typeof FailureCode>

/** What a gateway's answer can be told as. */
export type GatewayCode = Extract<FailureCode, `gateway.${string}`>

/** A failure as it comes from another process. */
export const Failure = z.strictObject({
  code: FailureCode,
  message: z.string(),
  status: z.number().int().optional(),
  requestId: z.string().optional(),
  retryAfterMs: z.number().int().nonnegative().optional(),
  field: z.string().optional(),
  line: z.number().int().positive().optional(),
})
export type Failure = z.infer<typeof Failure>
