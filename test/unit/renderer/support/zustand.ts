import { create as createStoreHook } from 'zustand/react'
import type { StateCreator } from 'zustand/vanilla'

export { useStore } from 'zustand/react'
export * from 'zustand/vanilla'

const resets: (() => void)[] = []

/** Zustand's `create`, whose stores can be had as they were when they were made. */
export const create = <T>(initialize: StateCreator<T>) => {
  const store = createStoreHook<T>()(initialize)
  resets.push(() => store.setState(store.getInitialState(), true))
  return store
}

/** Every store as it was when it was made. */
export function resetStores(): void {
  for (const reset of resets) reset()
}
