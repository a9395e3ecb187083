export type { Filter, SortColumn } from './plans-table'
export { showPlans } from './plans-table'
