import { setTimeout as wait } from 'node:timers/promises'
import type { SettingsStore } from '../core/settings/settings'

/** Poll interval in ms, because a lost connection can go unnoticed. */
const pollIntervalMs = 60_000
const debounceMs = 150
const minRetryMs = 1_000
const maxRetryMs = 60_000

export interface Follower {
  /** Syncs now. */
  readonly wake: () => void
  readonly end: () => Promise<void>
}

/** Calls `sync` on local changes, when it is woken and every minute. Retries with backoff after a failure. */
export function followSpace(
  settings: SettingsStore,
  sync: (wake: () => void) => Promise<unknown>,
  onFailure: (error: unknown) => void,
): Follower {
  const ending = new AbortController()
  let pause = new AbortController()
  const wake = (): void => pause.abort()
  const unsubscribe = settings.onChange(wake)
  const sleep = (ms: number, { signal }: AbortController): Promise<void> =>
    wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const run = async (): Promise<void> => {
    for (let retryMs = minRetryMs; !ending.signal.aborted; ) {
      pause = new AbortController()
      let delayMs = pollIntervalMs
      try {
        if (settings.read().team) await sync(wake)
        retryMs = minRetryMs
      } catch (error) {
        onFailure(error)
        delayMs = retryMs * (0.5 + Math.random() / 2)
        retryMs = Math.min(maxRetryMs, retryMs * 2)
      }
      await sleep(delayMs, pause)
      await sleep(debounceMs, ending)
    }
  }
  const running = run()
  return {
    wake,
    async end() {
      unsubscribe()
      ending.abort()
      wake()
      await running
    },
  }
}
