import { setTimeout as wait } from 'node:timers/promises'
import type { SettingsStore } from '../core/settings/settings'

interface FollowerDeps {
  readonly settings: SettingsStore
  /** Listens to the database and syncs. Calls `wake` when the database changed or the connection was lost. */
  readonly sync: (wake: () => void) => Promise<unknown>
  readonly onFailure: (error: unknown) => void
}

/** Poll interval in ms, because a lost connection can go unnoticed. */
const pollIntervalMs = 60_000
const debounceMs = 150
const minRetryMs = 1_000
const maxRetryMs = 60_000

/** Syncs on notifications of the database, on local changes and every minute. Retries with backoff after a failure. */
export class TeamFollower {
  readonly #deps: FollowerDeps
  readonly #ending = new AbortController()
  #pause = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: FollowerDeps) {
    this.#deps = deps
  }

  follow(): void {
    this.#running ??= this.#run()
  }

  readonly wake = (): void => this.#pause.abort()

  async end(): Promise<void> {
    this.#ending.abort()
    this.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { settings, sync, onFailure } = this.#deps
    // Parts of the settings that are synced, or that determine which keys this computer uses.
    const readWatchedState = () => {
      const { register, rotations, team, handouts, plans, relay } = settings.read()
      return [register, rotations, team, handouts, plans, relay]
    }
    let stateBefore = readWatchedState()
    const unsubscribe = settings.onChange(() => {
      const watchedState = readWatchedState()
      const hasChanged = watchedState.some((part, index) => part !== stateBefore[index])
      stateBefore = watchedState
      if (hasChanged) this.wake()
    })
    let retryMs = minRetryMs
    while (!this.#ending.signal.aborted) {
      this.#pause = new AbortController()
      let delayMs = pollIntervalMs
      try {
        if (settings.read().team) await sync(this.wake)
        retryMs = minRetryMs
      } catch (error) {
        onFailure(error)
        delayMs = retryMs * (0.5 + Math.random() / 2)
        retryMs = Math.min(maxRetryMs, retryMs * 2)
      }
      await this.#sleep(delayMs, this.#pause.signal)
      await this.#sleep(debounceMs, this.#ending.signal)
    }
    unsubscribe()
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
