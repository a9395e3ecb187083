import { readMegabytes } from '../bench/relay/shipped.mjs'

/** Samples the resident memory of a process and its children, in MB. */
export function watchMemory(pid: number | undefined) {
  const sampleMegabytes = (): number => {
    try {
      return readMegabytes(Number(pid))
    } catch {
      // A process of the tree has just ended.
      return 0
    }
  }
  const startMegabytes = sampleMegabytes()
  let peak = startMegabytes
  const timer = setInterval(() => {
    peak = Math.max(peak, sampleMegabytes())
  }, 50)
  return { peak: () => peak, growth: () => peak - startMegabytes, stop: () => clearInterval(timer) }
}
