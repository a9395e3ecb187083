/** What frames are for: a clock in ms, and a way to be called in the next one. */
export interface Frames {
  readonly now: () => number
  readonly next: (run: () => void) => void
}

/** So long one thing rests between two turns, in ms: for each that comes at the same time, and at least and at most. */
const restMs = { each: 33, least: 50, most: 100 } as const
/** What takes long to draw rests so many times as long. */
const restForCost = 6
/** Whatever was not new for so long, in ms, does not come at the same time as others. */
const quietMs = 1000

const ofWindow: Frames = {
  now: () => performance.now(),
  next: (run) => void requestAnimationFrame(run),
}

/**
 * Draws several things that grow at once one after the other: one in a frame, the one that waits longest first, and none so
 * often that no time is left for anything else.
 */
export class FrameTurns {
  readonly #draw: (id: string) => void
  readonly #frames: Frames
  /** In the order of asking; true for what is not to wait. */
  readonly #waiting = new Map<string, boolean>()
  /** When each may be drawn again. */
  readonly #restsUntil = new Map<string, number>()
  #isComing = false

  constructor(draw: (id: string) => void, frames: Frames = ofWindow) {
    this.#draw = draw
    this.#frames = frames
  }

  /** Something of it is new. `isUrgent`: it goes before others and does not rest first. */
  want(id: string, isUrgent = false): void {
    this.#waiting.set(id, isUrgent || this.#waiting.get(id) === true)
    this.#come()
  }

  #come(): void {
    if (this.#isComing) return
    this.#isComing = true
    this.#frames.next(() => this.#turn())
  }

  #turn(): void {
    this.#isComing = false
    const id = this.#next(this.#frames.now())
    if (id !== undefined) this.#take(id)
    if (this.#waiting.size > 0) this.#come()
  }

  #next(now: number): string | undefined {
    const ids = [...this.#waiting.keys()]
    return ids.find((id) => this.#waiting.get(id) === true) ?? ids.find((id) => (this.#restsUntil.get(id) ?? 0) <= now)
  }

  #take(id: string): void {
    this.#waiting.delete(id)
    const before = this.#frames.now()
    this.#draw(id)
    const now = this.#frames.now()
    for (const [other, until] of this.#restsUntil) if (until < now - quietMs) this.#restsUntil.delete(other)
    const together = new Set([id, ...this.#restsUntil.keys()]).size
    const rest = Math.min(restMs.most, Math.max(restMs.least, together * restMs.each))
    this.#restsUntil.set(id, now + Math.max(rest, (now - before) * restForCost))
  }
}
