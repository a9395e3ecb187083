import { create as createStoreHook } from 'zustand/react'
import type { StateCreator } from 'zustand/vanilla'

export { useStore } from 'zustand/react'
export * from 'zustand/vanilla'

const resets: (() => void)[] = []

/** Zustand's `create`, with stores that can be reset. */
export const create = <T>(initialize: StateCreator<T>) => {
  const store = createStoreHook<T>()(initialize)
  resets.push(() => store.setState(store.getInitialState(), true))
  return store
}

/** Resets every store to its initial state. */
export function resetStores(): void {
  for (const reset of resets) reset()
}
