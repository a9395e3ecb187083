import { setTimeout as wait } from 'node:timers/promises'
import type { SettingsStore } from '../core/settings/settings'

interface FollowerDeps {
  readonly settings: SettingsStore
  readonly listen: (noteProgress: () => void, onGone: () => void) => Promise<void>
  readonly sync: () => Promise<unknown>
  readonly note: (error: unknown) => void
}

/** Poll interval in ms, because a lost connection can go unnoticed. */
const pollIntervalMs = 60_000
const debounceMs = 150
const minRetryMs = 1_000
const maxRetryMs = 60_000

/** Syncs on notifications of the database, on local changes and every minute. Retries with backoff after a failure. */
export class TeamSyncer {
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

  wake(): void {
    this.#pause.abort()
  }

  async end(): Promise<void> {
    this.#ending.abort()
    this.#pause.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { settings } = this.#deps
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
      if (settings.read().team === undefined) {
        await this.#sleep(pollIntervalMs * 60)
        continue
      }
      try {
        await this.#syncUntilClosed(() => {
          retryMs = minRetryMs
        })
      } catch (error) {
        this.#deps.note(error)
        await this.#sleep(retryMs * (0.5 + Math.random() / 2))
        retryMs = Math.min(maxRetryMs, retryMs * 2)
      }
    }
    unsubscribe()
  }

  /** Keeps syncing until the connection is lost or the joined space has changed. */
  async #syncUntilClosed(onSynced: () => void): Promise<void> {
    const { settings, listen, sync } = this.#deps
    const spaceId = settings.read().team?.spaceId
    let isConnectionLost = false
    const onConnectionLost = (): void => {
      isConnectionLost = true
      this.wake()
    }
    await listen(() => this.wake(), onConnectionLost)
    while (!this.#ending.signal.aborted && !isConnectionLost && settings.read().team?.spaceId === spaceId) {
      this.#pause = new AbortController()
      await sync()
      onSynced()
      await this.#sleep(pollIntervalMs)
      await wait(debounceMs, undefined, { signal: this.#ending.signal }).catch(() => undefined)
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#ending.signal.aborted) return
    await wait(ms, undefined, { signal: this.#pause.signal, ref: false }).catch(() => undefined)
    if (this.#pause.signal.aborted) this.#pause = new AbortController()
  }
}
