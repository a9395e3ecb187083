export { type Filter, showPlans } from './plans-table'
