import { randomUUID } from 'node:crypto'
import { PlaygroundHost } from '../../../../src/main/playground/store/host'
import { callsTo, type PlaygroundStore, playgroundFile } from '../../../../src/main/playground/store-client'

/** Opens the playground's database of a data folder in the calling thread, so no worker build is needed. */
export function localStore(dataDir: string): PlaygroundStore {
  const host = new PlaygroundHost({ file: playgroundFile(dataDir), instance: randomUUID(), retryMs: 0 })
  return callsTo({ ask: (name, input) => host.answer({ name, input }) })
}
