export { OperationRow, StateMark, useOperationWords } from './operation-row'
