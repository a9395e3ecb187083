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
const longestTurnMs = 4
let turnEndsAt = 0

/** Lets other work in between, now and then: to be called after each small part of a long one. Tells whether it did. */
export async function letOthersIn(): Promise<boolean> {
  if (performance.now() < turnEndsAt) return false
  await pause()
  turnEndsAt = performance.now() + longestTurnMs
  return true
}

/** How many rows of a list are worked on at once: a few ms. */
export const rowsAtOnce = 50

/** As `JSON.stringify`, of a list with thousands of rows in parts with other work in between. */
export async function stringifyInTurns(value: unknown): Promise<string> {
  if (!Array.isArray(value)) return JSON.stringify(value)
  const parts: string[] = []
  for (let from = 0; from < value.length; from += rowsAtOnce) {
    await letOthersIn()
    parts.push(JSON.stringify(value.slice(from, from + rowsAtOnce)).slice(1, -1))
  }
  return `[${parts.join(',')}]`
}
