export { isFailureCode } from './explain-failure'
export { CheckOutcome, ExplainedFailure, type RemedyHandlers } from './explained-failure'
