export { BulkResults } from './bulk-page'
export { ImportedKeys } from './imported-key'
export { toolsOfPlan, useHandoutsStore } from './use-handout'
