export type { Filter, SortColumn } from './plan-list'
export { usePlansStore } from './plans-table'
