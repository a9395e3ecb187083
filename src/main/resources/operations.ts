import { AppError } from '@shared/failure'
import { isOperationId, type OperationId, operationOf } from '../platform/services'
import type { Operation } from '../platform/table'

/** The services that the window may call freely; the console and the gateway cost money and have features of their own. */
const open: readonly string[] = ['identity', 'runtime', 'memory', 'registry', 'aip', 'inference']

/** An operation of the platform by its id. Fails with `input.invalid` for what there is not, and for the console's and the gateway's. */
export function platformOperation(id: string): Operation & { readonly id: OperationId } {
  const operation = operationOf(id)
  if (!open.includes(operation.service) || !isOperationId(id)) {
    throw new AppError('input.invalid', `${id} is not called from here: it has pages of its own.`, {
      field: 'operation',
    })
  }
  return { ...operation, id }
}
