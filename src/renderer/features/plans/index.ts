export { type Filter, type SortColumn, showPlans } from './plans-table'
