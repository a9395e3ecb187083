/**
 * How V8 is set up for the relay. Room for the bodies of a few long requests before it clears up: half of the CPU of a request
 * of 260 KB. And more than usual is made one of what is called in turn: a tenth of the CPU of a small request.
 */
export const engineFlags: readonly string[] = [
  '--initial-heap-size=128',
  '--max-inlined-bytecode-size=1000',
  '--max-inlined-bytecode-size-cumulative=3000',
]
