import { z } from 'zod'

/** A misbehaviour to show on the gateway's served paths. `times` counts requests; without it the fault stays. */
export const Fault = z
  .strictObject({
    delayMs: z.number().int().min(0).max(600_000).optional(),
    status: z.number().int().min(400).max(599).optional(),
    retryAfterS: z.number().int().min(0).max(86_400).optional(),
    cutAfterBytes: z.number().int().min(0).optional(),
    times: z.number().int().min(1).optional(),
  })
  .readonly()
export type Fault = z.infer<typeof Fault>

/** Holds the fault that is set at the moment. */
export interface Faults {
  readonly current: () => Fault
  readonly set: (fault: Fault) => void
  /** The fault for the next request, which uses up one of its `times`. */
  readonly take: () => Fault
}

/** No fault to begin with. */
export function createFaults(): Faults {
  let fault: Fault = {}
  const take = () => {
    const taken = fault
    if (taken.times !== undefined) fault = taken.times > 1 ? { ...taken, times: taken.times - 1 } : {}
    return taken
  }
  const set = (next: Fault) => {
    fault = next
  }
  return { current: () => fault, set, take }
}
