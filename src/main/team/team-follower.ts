import { setTimeout as wait } from 'node:timers/promises'
import type { SettingsStore } from '../settings/settings'

interface FollowerDeps {
  readonly settings: SettingsStore
  readonly listen: (onNews: () => void, onGone: () => void) => Promise<() => Promise<void>>
  readonly sync: () => Promise<unknown>
  readonly note: (error: unknown) => void
}

/** Also without news: a connection may be gone without a word, and hours are counted. */
const tickMs = 60_000
/** Several changes at once are one. */
const gatherMs = 150
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** Keeps up with the team: on news of the database, on changes here, and now and then; after a failure it tries again, later each time. */
export class TeamFollower {
  readonly #deps: FollowerDeps
  readonly #ending = new AbortController()
  #pause = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: FollowerDeps) {
    this.#deps = deps
  }

  follow(): void {
    this.#running ??= this.#pursue()
  }

  /** Looks now, if it follows. */
  wake(): void {
    this.#pause.abort()
  }

  async end(): Promise<void> {
    this.#ending.abort()
    this.#pause.abort()
    await this.#running
  }

  async #pursue(): Promise<void> {
    const { settings } = this.#deps
    let { register, rotations, team, handouts } = settings.read()
    const stopHearing = settings.onChange(() => {
      const now = settings.read()
      const isSame = now.register === register && now.rotations === rotations && now.handouts === handouts
      if (isSame && now.team === team) return
      ;({ register, rotations, team, handouts } = now)
      this.wake()
    })
    let pauseMs = firstPauseMs
    while (!this.#ending.signal.aborted) {
      if (settings.read().team === undefined) {
        await this.#sleep(tickMs * 60)
        continue
      }
      try {
        await this.#keepUp(() => {
          pauseMs = firstPauseMs
        })
      } catch (error) {
        this.#deps.note(error)
        await this.#sleep(pauseMs * (0.5 + Math.random() / 2))
        pauseMs = Math.min(longestPauseMs, pauseMs * 2)
      }
    }
    stopHearing()
  }

  /** Until the connection is gone, or the team is another one. */
  async #keepUp(onSynced: () => void): Promise<void> {
    const { settings, listen, sync } = this.#deps
    const space = settings.read().team?.spaceId
    let isGone = false
    const stop = await listen(
      () => this.wake(),
      () => {
        isGone = true
        this.wake()
      },
    )
    try {
      while (!this.#ending.signal.aborted && !isGone && settings.read().team?.spaceId === space) {
        this.#pause = new AbortController()
        await sync()
        onSynced()
        await this.#sleep(tickMs)
        await wait(gatherMs, undefined, { signal: this.#ending.signal }).catch(() => undefined)
      }
    } finally {
      await stop()
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#ending.signal.aborted) return
    await wait(ms, undefined, { signal: this.#pause.signal, ref: false }).catch(() => undefined)
    if (this.#pause.signal.aborted) this.#pause = new AbortController()
  }
}
