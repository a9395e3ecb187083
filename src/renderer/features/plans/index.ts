export { showPlans } from './plans-table'
