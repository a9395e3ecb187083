import { readMegabytes } from '../bench/relay/shipped.mjs'

/** Samples the resident memory of a process and its children, in MB. */
export function watchMemory(pid: number | undefined) {
  const measureMegabytes = (): number => {
    try {
      // A process that is ending has no memory in its status.
      return readMegabytes(Number(pid)) || 0
    } catch {
      // A process of the tree has just ended.
      return 0
    }
  }
  const startMegabytes = measureMegabytes()
  let peakMb = startMegabytes
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, measureMegabytes())
  }, 50)
  return { peak: () => peakMb, growth: () => peakMb - startMegabytes, stop: () => clearInterval(timer) }
}
