import { create } from 'zustand'
import { type Sorting, sortedBy } from '../../ui/virtual-table-columns'
import type { Sought } from './entries'

interface RegisterStore {
  readonly sought: Sought
  readonly sorting: Sorting
  readonly seek: (part: Partial<Sought>) => void
  readonly sort: (column: string) => void
  readonly showAll: () => void
}

const everything: Sought = { text: '', holder: 'all', status: 'all', look: 'all' }

/** How the register is searched, filtered and sorted; kept while the window lives, so that going back finds it as it was. */
export const useRegisterStore = create<RegisterStore>((set) => ({
  sought: everything,
  sorting: { by: 'key', isDescending: false },
  seek: (part) => set(({ sought }) => ({ sought: { ...sought, ...part } })),
  sort: (column) => set(({ sorting }) => ({ sorting: sortedBy(sorting, column) })),
  showAll: () => set({ sought: everything }),
}))
