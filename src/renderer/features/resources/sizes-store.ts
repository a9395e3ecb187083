import { create } from 'zustand'
import type { PageSize } from './list-address'

interface SizesStore {
  readonly sizes: Readonly<Record<string, PageSize>>
  readonly remember: (resourceId: string, size: PageSize) => void
}

/** How many rows a page of each list has, as last chosen; kept while the window lives. */
export const useSizes = create<SizesStore>((set) => ({
  sizes: {},
  remember: (resourceId, size) => set(({ sizes }) => ({ sizes: { ...sizes, [resourceId]: size } })),
}))
