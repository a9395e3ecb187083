import type { Dispatcher } from 'undici'
import type { Route } from '../net/proxy'
import { createAgent, createPool } from '../net/send'

/** The kept-alive connections to gateways, one set for each gateway that is reached directly, and one for each proxy. */
export interface Dispatchers {
  to(origin: string, route: Route): Dispatcher
  /** Ends connections that are not among these, once what is under way on them is through. */
  keep(used: ReadonlySet<Dispatcher>): void
  close(): Promise<void>
}

/** Certificates are read when the first connection of a way is needed; `idleMs` is how long a gateway may say nothing. */
export function createDispatchers(caFiles: readonly string[], idleMs: number): Dispatchers {
  const open = new Map<string, Dispatcher>()
  return {
    to(origin, route) {
      const name = route.kind === 'direct' ? origin : `by ${route.url}`
      const known = open.get(name)
      if (known !== undefined) return known
      const limits = { headersTimeout: idleMs, bodyTimeout: idleMs }
      const isDirect = route.kind === 'direct'
      const made = isDirect ? createPool(origin, caFiles, limits) : createAgent(route, caFiles, limits)
      open.set(name, made)
      return made
    },
    keep(used) {
      for (const [name, dispatcher] of open) {
        if (used.has(dispatcher)) continue
        open.delete(name)
        void dispatcher.close()
      }
    },
    async close() {
      const dispatchers = [...open.values()]
      open.clear()
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()))
    },
  }
}
