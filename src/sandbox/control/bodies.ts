import { z } from 'zod'
import { Fault } from '../faults/faults'
import { Account } from '../state/world'

const longestAdvanceMs = 3_650 * 86_400_000
const wait = z.number().int().min(0).max(3_600_000)

/** `POST /sandbox/plans/{planId}`. */
export const PlanBody = z.strictObject({
  status: z.enum(['ACTIVE', 'EXPIRED']).optional(),
  deleted: z.boolean().optional(),
  expiresAt: z.iso.datetime().optional(),
})

/** `POST /sandbox/keys/{keyId}`. */
export const KeyBody = z.strictObject({
  status: z.enum(['ACTIVE', 'DISABLED']).optional(),
  deleted: z.boolean().optional(),
})

/** `POST /sandbox/models`: what is used of one model's two allowances. */
export const ModelBody = z.strictObject({
  planId: z.string(),
  modelCode: z.string(),
  tokensUsed: z.number().int().min(0).optional(),
  requestsUsed: z.number().int().min(0).optional(),
})

/** `POST /sandbox/clock`: forward only, at most ten years at once. */
export const ClockBody = z.strictObject({ advanceMs: z.number().int().min(0).max(longestAdvanceMs) })

/** `POST /sandbox/faults`: all faults from now on. */
export const FaultsBody = z.strictObject({ faults: z.array(Fault).max(100) })

/** `POST /sandbox/account`; credits in VND. */
export const AccountBody = Account.unwrap().pick({ role: true, credits: true }).partial()

/** `POST /sandbox/timing`. */
export const TimingBody = z.strictObject({
  paceMs: wait.optional(),
  provisioningMs: wait.optional(),
  asyncMs: wait.optional(),
  tokenLifetimeS: z.number().int().min(1).max(86_400).optional(),
})

/** `POST /sandbox/reset`: without a seed the keys stay as they are. */
export const ResetBody = z.strictObject({ seed: z.string().min(1).max(200).optional() })

/** The query of `GET /sandbox/requests`: of which listener, and only those after a number. */
export const RequestsQuery = z.object({
  area: z.enum(['gateway', 'platform', 'all']).default('gateway'),
  after: z.coerce.number().int().min(0).default(0),
})
