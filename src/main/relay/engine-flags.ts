/**
 * V8 flags of the relay process. Bodies are outside of V8's heap but count towards its growth limit. With such a small
 * heap, every few long requests would trigger a full garbage collection, and a 260 KB request would take 1.5 to 4.5
 * times the CPU of a bare proxy.
 */
export const engineFlags: readonly string[] = ['--heap-growing-percent=100']
