export { OperationRow, OperationsState, useOperationWords } from './operations-state'
