export { BulkResults } from './bulk-page'
export { ImportedKeys } from './imported-key'
export { addHandouts, listPlanTools, useHandoutsStore } from './use-handout'
