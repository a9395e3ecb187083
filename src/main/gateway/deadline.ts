const DEFAULT_TIMEOUT_MS = 30_000

/** How long an exchange may take, and who may end it before. */
export type Deadline = { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined }

/** A signal that ends an exchange when its time (30 s unless said) is up or its caller leaves; `stop` when it is over. */
export function startDeadline({ timeoutMs = DEFAULT_TIMEOUT_MS, signal }: Deadline): {
  readonly signal: AbortSignal
  stop(): void
} {
  const controller = new AbortController()
  const stopWith = (reason: unknown) => controller.abort(reason)
  const onTime = () => stopWith(new DOMException('No answer in time.', 'TimeoutError'))
  const onAbort = () => stopWith(signal?.reason)
  const timer = setTimeout(onTime, timeoutMs)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
