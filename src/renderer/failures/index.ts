export { isFailureCode } from './explain-failure'
export { CheckOutcome, CheckState, ExplainedFailure, type RemedyHandlers } from './explained-failure'
