/** Pauses before a process that ended by itself is started again, in ms. */
const pauses = [0, 1000, 5000, 30_000] as const
const longestMs = 60_000

/** A process that ran for so long, in ms, begins anew with the shortest pause. */
const goodRunMs = 60_000

/** How long to wait before each start after a crash: at once the first time, longer and longer when it goes on. */
export class RestartPauses {
  #count = 0
  #startedMs = Number.NEGATIVE_INFINITY

  /** Notes that it runs. */
  noteStart(): void {
    this.#startedMs = performance.now()
  }

  /** The pause before the next start, in ms. */
  next(): number {
    if (performance.now() - this.#startedMs > goodRunMs && this.#startedMs > 0) this.#count = 0
    this.#startedMs = Number.NEGATIVE_INFINITY
    const pause = pauses[this.#count] ?? longestMs
    this.#count += 1
    return pause
  }
}
