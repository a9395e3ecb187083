import type { LedgerEntry } from '../usage/entry'
import type { ToolTraffic } from './relay-host'
import { failureOfRequest } from './request-failures'

/** What became of each tool's requests since the relay started. */
export class Traffic {
  readonly #tools = new Map<string, ToolTraffic>()

  note(entry: LedgerEntry): void {
    const { toolId, at } = entry
    if (toolId === undefined) return
    const requests = (this.#tools.get(toolId)?.requests ?? 0) + 1
    const failure = failureOfRequest(entry)
    const lastAt = new Date(at).toISOString()
    this.#tools.set(toolId, { toolId, requests, lastAt, ...(failure ? { failure } : {}) })
  }

  tools(): ToolTraffic[] {
    return [...this.#tools.values()]
  }
}
