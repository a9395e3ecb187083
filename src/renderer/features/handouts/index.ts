export { BulkResults } from './bulk-page'
export { toolsOfPlan, useHandoutsStore } from './use-handout'
