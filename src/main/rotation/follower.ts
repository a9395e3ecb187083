import type { RotationRecord } from '../settings/rotation-record'
import { isDue, nextDueMs } from './due'
import type { RotationPorts } from './ports'

/** What is followed. */
export interface Followed {
  readonly records: () => readonly RotationRecord[]
  /** Carries out what is due. Never rejects. */
  readonly run: (record: RotationRecord) => Promise<void>
}

/** Waits for the ends of grace periods; looks at least every hour, since the machine may sleep and others may write. */
export class Follower {
  readonly #ports: Pick<RotationPorts, 'clock' | 'sleep' | 'log'>
  readonly #followed: Followed
  readonly #ending = new AbortController()
  #pause = new AbortController()
  #isFollowing = false

  constructor(ports: Pick<RotationPorts, 'clock' | 'sleep' | 'log'>, followed: Followed) {
    this.#ports = ports
    this.#followed = followed
  }

  /** Looks now, and follows from now on. */
  look(): void {
    this.wake()
    if (this.#isFollowing) return
    this.#isFollowing = true
    void this.#pursue().catch((error: unknown) => this.#ports.log.error('rotation.follow', error))
  }

  /** Looks now, if it follows. */
  wake(): void {
    this.#pause.abort()
  }

  end(): void {
    this.#ending.abort()
    this.#pause.abort()
  }

  async #pursue(): Promise<void> {
    const { clock, sleep } = this.#ports
    while (!this.#ending.signal.aborted) {
      this.#pause = new AbortController()
      for (const record of this.#followed.records()) {
        if (isDue(record, clock()) && !this.#ending.signal.aborted) await this.#followed.run(record)
      }
      const ms = nextDueMs(this.#followed.records(), clock())
      if (!this.#ending.signal.aborted) await sleep(ms, this.#pause.signal).catch(() => undefined)
    }
  }
}
