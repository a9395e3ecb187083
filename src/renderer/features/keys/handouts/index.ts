export { BulkResults } from './bulk-page'
export { addHandouts, listPlanTools, useHandoutsStore } from './handout-fields'
export { ImportedKeys } from './open-page'
