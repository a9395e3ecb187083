import { setTimeout } from 'node:timers/promises'

/** Waits for a time in ms. Rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleepMs: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal })

/** Timeout and cancellation of a call. Aborts with a `TimeoutError`, or with an `AbortError` by the caller's signal. */
export function startDeadline({
  timeoutMs,
  signal,
  sleep,
}: {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly sleep: Sleep
}): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const ended = new AbortController()
  const abort = (name: string) => controller.abort(new DOMException('The call was stopped.', name))
  if (signal?.aborted) abort('AbortError')
  signal?.addEventListener('abort', () => abort('AbortError'), { signal: ended.signal })
  sleep(timeoutMs, ended.signal).then(
    () => abort('TimeoutError'),
    () => undefined,
  )
  // A reason avoids a new `DOMException` with a stack for each call.
  return { signal: controller.signal, stop: () => ended.abort('stopped') }
}

/** Stops waiting when the caller's signal aborts, without cancelling the shared work. */
export async function withAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController()
  const abortPromise = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { signal: settled.signal })
  })
  return Promise.race([promise, abortPromise]).finally(() => settled.abort('settled'))
}
