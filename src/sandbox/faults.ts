import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { type Exchange, HttpError } from './http/listener'

/** An injected fault. `operations` is an id, a prefix with `*`, or `*`. */
export const Fault = z
  .strictObject({
    operations: z.string().regex(/^(?:[\w-]+\.)*(?:[\w-]+|\*)$/),
    /** Delay before the response. */
    delayMs: z.number().int().min(0).max(600_000).optional(),
    status: z.number().int().min(400).max(599).optional(),
    retryAfterS: z.number().int().min(0).max(86_400).optional(),
    /** Sends invalid JSON. */
    isMalformed: z.boolean().optional(),
    /** Aborts the response after this many bytes of its body. */
    cutAfterBytes: z.number().int().min(0).optional(),
    /** Closes the connection without a response. */
    isDropped: z.boolean().optional(),
    /** Number of uses. Default: unlimited. */
    times: z.number().int().min(1).optional(),
  })
  .readonly()
export type Fault = z.infer<typeof Fault>

export type Faults = ReturnType<typeof createFaultStore>

export function createFaultStore() {
  let faults: readonly Fault[] = []
  return {
    current: () => faults,
    set(nextFaults: readonly Fault[]) {
      faults = nextFaults
    },
    /** Returns the first fault that matches the operation and decrements its `times`. */
    take(operation: string): Fault | undefined {
      const match = faults.find(({ operations }) =>
        operations.endsWith('*') ? operation.startsWith(operations.slice(0, -1)) : operations === operation,
      )
      if (match?.times !== undefined) {
        const usedFault = { ...match, times: match.times - 1 }
        faults = faults.map((fault) => (fault === match ? usedFault : fault)).filter(({ times }) => times !== 0)
      }
      return match
    },
  }
}

/** Returns early when the client disconnects. */
export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => undefined)
}

/** Applies a fault before the response: delays, drops the connection (returns false) or throws its status. */
export async function applyFault(fault: Fault, exchange: Exchange): Promise<boolean> {
  const { response, signal } = exchange
  const { delayMs = 0, isDropped, status, retryAfterS } = fault
  await waitMs(delayMs, signal)
  if (isDropped) response.destroy()
  else if (status !== undefined) {
    const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
    const message = `Simulated problem: the sandbox returns ${status}. Stop the simulation to continue.`
    throw new HttpError(status, 'injected_fault', message, headers)
  }
  return !response.destroyed
}
