import { AppError } from '@shared/failure'
import type { IdsOf, Operation, Service } from '../table'
import { aip } from './aip'
import { consoleService } from './console'
import { gateway } from './gateway'
import { identity } from './identity'
import { inference } from './inference'
import { memory } from './memory'
import { registry } from './registry'
import { runtime } from './runtime'

const all = { identity, runtime, memory, registry, aip, inference, gateway, console: consoleService }

/** Every service of the platform by its name. */
export const services: Readonly<Record<ServiceName, Service>> = all

/** A service as the ids of its operations begin. */
export type ServiceName = keyof typeof all

/** The id of an operation. */
export type OperationId = { [Name in ServiceName]: IdsOf<(typeof all)[Name]> }[ServiceName]

/** All operations with their parameters, service by service. */
export const operations: readonly Operation[] = Object.values(services).flatMap((one) => one.operations)

const byId: ReadonlyMap<string, Operation> = new Map(operations.map((one) => [one.id, one]))

/** Whether there is an operation of this id. */
export function isOperationId(id: string): id is OperationId {
  return byId.has(id)
}

/** The operation of an id. Fails with `input.invalid`. */
export function operationOf(id: string): Operation {
  const operation = byId.get(id)
  if (operation !== undefined) return operation
  throw new AppError('input.invalid', `There is no operation ${JSON.stringify(id.slice(0, 100))}.`, { field: 'id' })
}
