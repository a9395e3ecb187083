import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * How V8 is set up for the relay's process. Each is read whenever it matters, so that it may be set while the process runs.
 *
 * - More than usual is made one of what is called in turn: a tenth of the CPU of a small request.
 * - Bodies are no part of V8's heap, but count as if they were: with a heap as small as this one, V8 marks all of it anew for
 *   every few long requests. With room for as much again as the heap has, a request of 260 KB takes 1.23 times the CPU of a bare
 *   pass-through instead of 1.8 (1.5 to 4.5 by the moment).
 * - What is young is cleared up at 7 percent of its room instead of 80: fewer bodies wait for it. At 10 percent so many do that V8
 *   marks all of the heap for them, and a request of 260 KB takes 0.76 to 0.96 ms of CPU instead of 0.57. At 5 percent requests
 *   outlive two clearings where many are in flight, are moved to what is old, and V8's threads mark all of that every second: with
 *   64 in flight on one core the slowest percent then takes 45 ms instead of 14. One thread clears up alone: waking others for so
 *   little takes 13 to 25 µs of a small request and as much of one of 260 KB.
 * - undici's parser, which is WebAssembly, stays as it was compiled first (no function has this number): compiling it again leaves
 *   10 MB in the C library's memory that do not go back, and saves 0.4 µs of an answer.
 */
export const engineFlags: readonly string[] = [
  '--max-inlined-bytecode-size=1000',
  '--max-inlined-bytecode-size-cumulative=3000',
  '--heap-growing-percent=100',
  '--minor-gc-task-trigger=7',
  '--no-parallel-scavenge',
  '--wasm-tier-up-filter=1000000',
]

/** Sets up the process that it is called in, which is no other than the relay's. */
export function setEngineFlags(): void {
  for (const flag of engineFlags) setFlagsFromString(flag)
}

/** So many requests are a load, behind which there is something to give back. */
const leastRequests = 200
const lookMs = 5000
/** Looks without a request after which it is a rest, and not one of the pauses that tools make. */
const restLooks = 3
/** V8 gives pages back in steps: what one collection frees lies together only after the next. */
const collections = 2

/**
 * Gives memory back to the system once the relay rests behind a load: V8 collects when something is allocated, so that a process
 * at rest would keep what its busiest moment took. Code that V8 made for connections that are gone goes as well and is made anew by
 * the next load, whose first second takes two to three times the CPU: hence only in a real rest, and not for a few requests.
 */
export class RestCollection {
  readonly #isBusy: () => boolean
  readonly #collect: () => void
  #requests = 0
  #seen = 0
  #quietLooks = 0
  #timer: NodeJS.Timeout | undefined

  constructor(isBusy: () => boolean, collect = collectGarbage) {
    this.#isBusy = isBusy
    this.#collect = collect
  }

  /** A request begins. */
  note(): void {
    this.#requests += 1
    if (this.#requests >= leastRequests) this.#timer ??= setInterval(() => this.#look(), lookMs).unref()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    const isQuiet = this.#requests === this.#seen && !this.#isBusy()
    this.#seen = this.#requests
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0
    if (this.#quietLooks < restLooks) return
    this.#collect()
    if (this.#quietLooks < restLooks + collections - 1) return
    this.#requests = 0
    this.#seen = 0
    this.#quietLooks = 0
    this.end()
  }
}

/** V8's own collection, which only a context that is made from now on has. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
