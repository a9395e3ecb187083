import { readMegabytes } from '../bench/relay/shipped.mjs'

/** Samples the resident memory of a process and its children, in MB. */
export function watchMemory(pid: number | undefined) {
  const read = (): number => {
    try {
      return readMegabytes(Number(pid))
    } catch {
      // A process of the tree has just ended.
      return 0
    }
  }
  const before = read()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, read())
  }, 50)
  return { peak: () => peak, growth: () => peak - before, stop: () => clearInterval(timer) }
}
