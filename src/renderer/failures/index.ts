export { explainFailure, isFailureCode } from './explain-failure'
export { CheckState, ExplainedFailure, type RemedyHandlers } from './explained-failure'
