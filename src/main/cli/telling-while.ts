import type { Output } from './output'

const TOLD_EVERY_MS = 5_000

/** Waits, and tells on standard error what is going on until it is over; resolves with how long it took, in whole seconds. */
export async function tellingWhile(output: Output, what: string, wait: () => Promise<void>): Promise<number> {
  const startedAt = Date.now()
  const seconds = (): number => Math.round((Date.now() - startedAt) / 1000)
  output.err(`${what}. Ctrl+C leaves it to the app.\n`)
  const told = setInterval(() => output.err(`${what} (${seconds()} s).\n`), TOLD_EVERY_MS)
  try {
    await wait()
    return seconds()
  } finally {
    clearInterval(told)
  }
}
