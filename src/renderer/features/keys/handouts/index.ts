export { BulkResults } from './bulk-page'
export { ImportedKeys } from './imported-key'
export { listPlanTools, useHandoutsStore } from './use-handout'
