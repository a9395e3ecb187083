import { setTimeout } from 'node:timers/promises'
import type { Exchange } from '../http/listener'
import { Refused } from '../http/refused'
import type { Fault } from './faults'

/** Waits, or less when the client leaves. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => undefined)
}

function injected(status: number, retryAfterS: number | undefined): Refused {
  const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
  const message = `The sandbox was told to answer ${status}. Clear the fault to go on.`
  return new Refused({ status, code: 'injected_fault', message, headers })
}

/** Does what a fault asks for before there is an answer: waits, drops the connection (false: nothing is left to do), or throws its status. */
export async function misbehave(fault: Fault, exchange: Exchange): Promise<boolean> {
  const { response } = exchange
  await pause(fault.delayMs ?? 0, exchange.signal)
  if (fault.isDropped) response.destroy()
  else if (fault.status !== undefined) throw injected(fault.status, fault.retryAfterS)
  return !response.destroyed
}
