import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { CallInput, CallOutput } from '../../../../../src/main/core/worker-thread'
import { PlaygroundHost } from '../../../../../src/main/playground/store/host'
import type { ThreadOptions } from '../../../../../src/main/playground/store/store'
import type { CallName, PlaygroundStore } from '../../../../../src/main/playground/store-client'
import { removeFolder, tempFolder } from './store-desk'

/** Calls a method of a store that runs in the test's own thread. */
type StoreCall = <Name extends CallName>(
  name: Name,
  ...input: CallInput<PlaygroundStore, Name>
) => Promise<CallOutput<PlaygroundStore, Name>>

export function createStoreCall(file: string, options: Partial<ThreadOptions> = {}): StoreCall {
  const host = new PlaygroundHost({ file, instance: 'one', retryMs: 0, ...options })
  return (name, ...input) => host.answer({ name, input })
}

/** Each test of the file gets a store in its own folder. */
export function setUpStore() {
  const place = { folder: '', file: '' }
  let currentStore: StoreCall
  beforeEach(async () => {
    place.folder = await tempFolder()
    place.file = join(place.folder, 'playground.sqlite')
    currentStore = createStoreCall(place.file)
  })
  afterEach(async () => {
    await currentStore('close').catch(() => {})
    await removeFolder(place.folder)
  })
  const callStore: StoreCall = (name, ...input) => currentStore(name, ...input)
  /** Simulates closing and restarting the app. */
  const reopen = async (options: Partial<ThreadOptions> = {}): Promise<void> => {
    await callStore('close')
    currentStore = createStoreCall(place.file, { instance: 'another', ...options })
  }
  return { place, callStore, reopen }
}

export const matchFailure = (code: string) => ({ failure: { code } })
