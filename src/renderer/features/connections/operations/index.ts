export { OperationRow, OperationStateIcon, useOperationTexts } from './operation-row'
