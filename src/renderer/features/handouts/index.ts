export { ManyResults } from './many-page'
export { toolsOfPlan, useHandoutsStore } from './use-handout'
