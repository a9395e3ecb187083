import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { PlaygroundHost } from '../../../../../src/main/playground/store/host'
import type { ThreadOptions } from '../../../../../src/main/playground/store/store'
import type { PlaygroundStore } from '../../../../../src/main/playground/store-client'
import { makeFolder } from '../../../support/folders'
import { callsTo } from '../local-store'

const createHost = (file: string, options: Partial<ThreadOptions> = {}) =>
  new PlaygroundHost({ file, instance: 'one', retryMs: 0, ...options })

/** Opens a store that runs in the test's own thread. */
export function openStoreHere(file: string): PlaygroundStore {
  const host = createHost(file)
  return callsTo(() => host)
}

/** Each test of the file gets a store in its own folder. */
export function setUpStore() {
  const place = { folder: '', file: '' }
  let host: PlaygroundHost
  const store = callsTo(() => host)
  beforeEach(() => {
    place.folder = makeFolder()
    place.file = join(place.folder, 'playground.sqlite')
    host = createHost(place.file)
  })
  afterEach(() => store.close().catch(() => {}))
  /** Simulates closing and restarting the app. */
  const reopen = async (options: Partial<ThreadOptions> = {}): Promise<void> => {
    await store.close()
    host = createHost(place.file, { instance: 'another', ...options })
  }
  return { place, store, reopen }
}

export const notFound = { failure: { code: 'playground.notFound' } }
