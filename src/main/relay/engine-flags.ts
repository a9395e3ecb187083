/**
 * V8 flags of the relay's process. Bodies are outside of V8's heap but count as part of it. With a heap this small, every few long
 * requests would start a complete garbage collection, and a request of 260 KB would take 1.5 to 4.5 times the CPU of a bare proxy.
 */
export const engineFlags: readonly string[] = ['--heap-growing-percent=100']
