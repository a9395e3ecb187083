export { OperationRow, StateMark, useOperationTexts } from './operation-row'
