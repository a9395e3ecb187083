import { setImmediate as pause } from 'node:timers/promises'

/** Runs works one after the other, in the order they were given; one that fails holds up nobody. */
export function createWorkQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

/** How long one work goes on before others get their turn, in ms. */
const maxTurnMs = 4
let turnEndsAt = 0

/** Lets other work in between, now and then: to be called after each small part of a long one. Tells whether it did. */
export async function yieldToEventLoop(): Promise<boolean> {
  if (performance.now() < turnEndsAt) return false
  await pause()
  turnEndsAt = performance.now() + maxTurnMs
  return true
}
