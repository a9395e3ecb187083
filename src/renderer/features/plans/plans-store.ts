import { create } from 'zustand'
import { sortedBy } from '../../ui/virtual-table-columns'
import { type Filter, type SortColumn, sortColumns } from './entries'

interface PlansSorting {
  readonly by: SortColumn
  readonly isDescending: boolean
}

interface PlansStore {
  readonly text: string
  readonly filter: Filter
  readonly sorting: PlansSorting
  readonly search: (text: string) => void
  readonly choose: (filter: Filter) => void
  readonly sort: (column: string) => void
  readonly showAll: () => void
  /** Shows a part of the plans, in an order, whatever was searched for before. */
  readonly show: (part: { readonly filter: Filter; readonly sort: SortColumn }) => void
}

const isSortColumn = (column: string): column is SortColumn => sortColumns.some((one) => one === column)

/** How the table of plans is searched, filtered and sorted; kept while the window lives, so that going back finds it as it was. */
export const usePlansStore = create<PlansStore>((set) => ({
  text: '',
  filter: 'all',
  sorting: { by: 'status', isDescending: false },
  search: (text) => set({ text }),
  choose: (filter) => set({ filter }),
  sort: (column) =>
    set(({ sorting }) =>
      isSortColumn(column) ? { sorting: { by: column, isDescending: sortedBy(sorting, column).isDescending } } : {},
    ),
  showAll: () => set({ text: '', filter: 'all' }),
  show: ({ filter, sort }) => set({ text: '', filter, sorting: { by: sort, isDescending: false } }),
}))
