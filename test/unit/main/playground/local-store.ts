import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { PlaygroundHost } from '../../../../src/main/playground/store/host'
import { type PlaygroundStore, storeCalls } from '../../../../src/main/playground/store-client'

/** The calls of a store that runs in the calling thread, so no worker build is needed. */
export function callsTo(getHost: () => PlaygroundHost): PlaygroundStore {
  const toCall = (name: string) => [name, (...input: never[]) => getHost().answer({ name, input } as never)]
  return Object.fromEntries(Object.keys(storeCalls).map(toCall))
}

/** Opens the playground's database of a data folder. */
export function localStore(dataDir: string): PlaygroundStore {
  const host = new PlaygroundHost({ file: join(dataDir, 'playground.sqlite'), instance: randomUUID(), retryMs: 0 })
  return callsTo(() => host)
}
