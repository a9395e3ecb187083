import type { Dispatcher } from 'undici'
import { createAgent } from '../net/agent'
import type { Route } from '../net/proxy'

/** The kept-alive connections to gateways, one set for each way through the network. */
export interface Dispatchers {
  along(route: Route): Dispatcher
  /** Ends connections that are not among these, once what is under way on them is through. */
  keep(used: ReadonlySet<Dispatcher>): void
  close(): Promise<void>
}

/** Certificates are read when the first connection of a way is needed; `idleMs` is how long a gateway may say nothing. */
export function createDispatchers(caFiles: readonly string[], idleMs: number): Dispatchers {
  const open = new Map<string, Dispatcher>()
  return {
    along(route) {
      const name = route.kind === 'direct' ? '' : route.url
      const known = open.get(name)
      if (known !== undefined) return known
      const limits = { headersTimeout: idleMs, bodyTimeout: idleMs }
      const agent = createAgent(route, caFiles, limits)
      open.set(name, agent)
      return agent
    },
    keep(used) {
      for (const [name, agent] of open) {
        if (used.has(agent)) continue
        open.delete(name)
        void agent.close()
      }
    },
    async close() {
      const agents = [...open.values()]
      open.clear()
      await Promise.all(agents.map((agent) => agent.destroy()))
    },
  }
}
