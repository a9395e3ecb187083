/** Keeps values a moment after the last change of each, so that typing is not one write per letter. */
export interface Delayed<Value> {
  readonly put: (key: string, value: Value) => void
  /** Keeps what waits at once. */
  readonly flush: () => void
  /** Forgets what waits under a key. */
  readonly drop: (key: string) => void
}

/** Calls `save` with the newest value of a key, `delayMs` after the last change of it. */
export function delayed<Value>(save: (key: string, value: Value) => void, delayMs: number): Delayed<Value> {
  const waiting = new Map<string, { readonly timer: ReturnType<typeof setTimeout>; readonly value: Value }>()
  const drop = (key: string): void => {
    clearTimeout(waiting.get(key)?.timer)
    waiting.delete(key)
  }
  const put = (key: string, value: Value): void => {
    drop(key)
    const keep = (): void => {
      waiting.delete(key)
      save(key, value)
    }
    waiting.set(key, { timer: setTimeout(keep, delayMs), value })
  }
  const flush = (): void => {
    for (const [key, { value }] of [...waiting]) {
      drop(key)
      save(key, value)
    }
  }
  return { put, flush, drop }
}
