import { setTimeout } from 'node:timers/promises'

/** Waits for a time in ms. Rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const sleepMs: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal })

/** Timeout and cancellation of a call. Aborts with a `TimeoutError`, or with an `AbortError` by the caller's signal. */
export function startDeadline(options: {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly sleep: Sleep
}): { readonly signal: AbortSignal; stop(): void } {
  const { timeoutMs, signal, sleep } = options
  const controller = new AbortController()
  const deadlineController = new AbortController()
  const abort = (name: string) => controller.abort(new DOMException('The call was stopped.', name))
  const onAbort = () => abort('AbortError')
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  sleep(timeoutMs, deadlineController.signal).then(
    () => abort('TimeoutError'),
    () => undefined,
  )
  return {
    signal: controller.signal,
    stop: (): void => {
      deadlineController.abort()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Stops waiting when the caller's signal aborts, without cancelling the shared work. */
export async function withAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {}
  const abortPromise = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, abortPromise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
