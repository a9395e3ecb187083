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

export interface Faults {
  readonly current: () => readonly Fault[]
  readonly set: (faults: readonly Fault[]) => void
  /** Returns the first fault that matches the operation and decrements its `times`. */
  readonly take: (operation: string) => Fault | undefined
}

export function createFaultStore(): Faults {
  let faults: readonly Fault[] = []
  const takeFault = (operation: string) => {
    const matchingFault = faults.find(({ operations }) =>
      operations.endsWith('*') ? operation.startsWith(operations.slice(0, -1)) : operations === operation,
    )
    if (matchingFault?.times !== undefined) {
      const usedFault = { ...matchingFault, times: matchingFault.times - 1 }
      faults = faults.flatMap((fault) => (fault !== matchingFault ? [fault] : usedFault.times > 0 ? [usedFault] : []))
    }
    return matchingFault
  }
  const set = (nextFaults: readonly Fault[]) => {
    faults = nextFaults
  }
  return { current: () => faults, set, take: takeFault }
}

/** Returns early when the client disconnects. */
export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => undefined)
}

/** Applies a fault before the response: delays, drops the connection (returns false) or throws its status. */
export async function applyFault(fault: Fault, exchange: Exchange): Promise<boolean> {
  const { response } = exchange
  const { delayMs = 0, isDropped, status, retryAfterS } = fault
  await waitMs(delayMs, exchange.signal)
  if (isDropped) response.destroy()
  else if (status !== undefined) {
    const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
    const message = `Simulated problem: the sandbox returns ${status}. Stop the simulation to continue.`
    throw new HttpError({ status, code: 'injected_fault', message, headers })
  }
  return !response.destroyed
}
