export type { Filter, SortColumn } from './plan-list'
export { showPlans } from './plans-table'
