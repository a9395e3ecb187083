import type { ServerResponse } from 'node:http'

let waiting: { readonly response: ServerResponse; readonly text: string }[] = []

function leave(): void {
  const leaving = waiting
  waiting = []
  for (const { response, text } of leaving) response.end(text)
}

/**
 * Ends an answer together with all others of this turn of the event loop. Each write to a client that sleeps wakes it up, which costs
 * more than the whole rest of a small answer; a client that is being written to already is awake.
 */
export function endTogether(response: ServerResponse, text: string): void {
  if (waiting.push({ response, text }) === 1) setImmediate(leave)
}
