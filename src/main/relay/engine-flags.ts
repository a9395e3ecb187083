import { setFlagsFromString } from 'node:v8'

/**
 * How V8 is set up for the relay's process. Each is read whenever it matters, so that it may be set while the process runs.
 *
 * - More than usual is made one of what is called in turn: a tenth of the CPU of a small request.
 * - Bodies are no part of V8's heap, but count as if they were: with a heap as small as this one, V8 marks all of it anew for
 *   every few long requests. With room for as much again as the heap has, a request of 260 KB takes 1.23 times the CPU of a bare
 *   pass-through instead of 1.8 (1.5 to 4.5 by the moment).
 * - What is young is cleared up at a twentieth of its room instead of four fifths: fewer bodies wait for it, and half a minute
 *   behind a load the process has 100 MB of its own instead of 166. One thread does that alone: waking others for so little takes
 *   13 to 25 µs of a small request and as much of one of 260 KB.
 */
export const engineFlags: readonly string[] = [
  '--max-inlined-bytecode-size=1000',
  '--max-inlined-bytecode-size-cumulative=3000',
  '--heap-growing-percent=100',
  '--minor-gc-task-trigger=5',
  '--no-parallel-scavenge',
]

/** Sets up the process that it is called in, which is no other than the relay's. */
export function setEngineFlags(): void {
  for (const flag of engineFlags) setFlagsFromString(flag)
}
