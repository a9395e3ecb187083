import { join } from 'node:path'
import type { PlaygroundProgress } from '@shared/contract'
import { type AppUsage, gathered } from './app-usage'
import type { Core } from './core'
import type { ProxyFor } from './net/proxy'
import { createPlaygroundStore } from './playground/store-client'
import { type AppPlayground, createPlayground } from './playground-features'
import type { Log } from './ports'
import { TokenCounter } from './tokens/token-counter'
import type { LedgerEntry } from './usage/entry'

/** What the window is told of the playground. */
export interface PlaygroundNews {
  readonly tellProgress: (news: PlaygroundProgress[]) => void
  /** What is kept has changed; gathered for a moment. */
  readonly tellChanged: () => void
}

interface Parts extends PlaygroundNews {
  readonly dataDir: string
  readonly outDir: string
  readonly proxyFor: ProxyFor
  readonly log: Log
  readonly addUsage: (entries: readonly LedgerEntry[]) => void
}

const gatherMs = 50

/** Builds the playground for the app; its threads are started by the first call. */
export function createAppPlayground(core: Core & Pick<AppUsage, 'quota'>, parts: Parts): AppPlayground {
  const { dataDir, outDir, proxyFor, log, addUsage, tellProgress: tell, tellChanged } = parts
  const counter = new TokenCounter(join(outDir, 'main/count.cjs'))
  const playground = createPlayground(core, {
    ...{ proxyFor, log, tell, onChanged: gathered(tellChanged, gatherMs) },
    store: createPlaygroundStore({ dataDir, workerPath: join(outDir, 'main/playground.cjs') }),
    addUsage,
    countTokens: (texts) => counter.count(texts),
    quotas: () => core.quota.list(),
  })
  return {
    ...playground,
    async end() {
      await Promise.all([playground.end(), counter.end()])
    },
  }
}
